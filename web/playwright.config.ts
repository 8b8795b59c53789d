// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from '@playwright/test';

import { kBrowser } from './e2e/support/places';

export default defineConfig({
  testDir: 'e2e',
  // Below build/, with everything else that is made.
  outputDir: '../build/web-tests',
  // The server and the browser share few cores; a second of each would only make both slow.
  workers: 1,
  forbidOnly: process.env['CI'] !== undefined,
  reporter: [['list']],
  // Conditions are awaited; these only end what hangs, on a machine that may be busy with other things.
  timeout: 180_000,
  expect: { timeout: 45_000 },
  use: {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    trace: 'retain-on-failure',
    launchOptions: kBrowser,
  },
});
