// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';

import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  { ignores: ['node_modules/', 'test-results/'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './tsconfig.node.json'],
        tsconfigRootDir: fileURLToPath(new URL('.', import.meta.url)),
      },
    },
    rules: {
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 50, skipComments: true, skipBlankLines: true }],
      'no-restricted-globals': ['error', 'event', 'name', 'status'],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Text from outside goes through textContent.' },
        { property: 'outerHTML', message: 'Text from outside goes through textContent.' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.test.ts', 'e2e/**'],
    rules: {
      'max-lines-per-function': 'off',
      // A test that trusts too much fails, which is what it is for.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);
