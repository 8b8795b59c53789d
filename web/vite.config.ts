// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vite';

const api = { target: process.env['WAYSTONE_URL'] ?? 'http://127.0.0.1:8000' };

export default defineConfig({
  // Relative addresses: the page also works below a folder of a proxy.
  base: './',
  // For `npx vite`: the page from its sources, the answers from a running server.
  server: { proxy: { '/v1': api, '/healthz': api } },
  build: {
    target: 'es2022',
    // The server's Content-Security-Policy allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
  },
});
