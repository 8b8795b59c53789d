// SPDX-License-Identifier: Apache-2.0
//
// What the tests share: a running server, and the page opened from it with everything it says on the console noted.

import { test as base, expect, type Page } from '@playwright/test';

import { recordAnswers } from './overlay';
import { dataFile, homeFile, kClassifier, kDetector, missing } from './places';
import { Server } from './server';

export const kSample = homeFile('samples/coffee.png');
const kDemoModel = homeFile(`models/${kDetector}`);

/** The models of the tests: the demo model always, a classifier where the data are. */
export function servedModels(): string[] {
  const names = missing(dataFile(`models/${kClassifier}`)) === '' ? [kDetector, kClassifier] : [kDetector];
  return names.flatMap((name) => ['--model', name]);
}

interface Shared {
  server: Server;
}

interface Each {
  /** Opens the page of a server (the shared one by default) and waits until it knows its models. */
  open: (address?: string) => Promise<void>;
}

export const test = base.extend<Each, Shared>({
  server: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
    async ({}, use) => {
      const server = await Server.start(...servedModels());
      await use(server);
      await server.stop();
    },
    { scope: 'worker' },
  ],
  open: async ({ page, server }, use) => {
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // The browser's own note of a failed request is what some tests are about.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        complaints.push(message.text());
      }
    });
    const elsewhere: string[] = [];
    await recordAnswers(page);
    await use(async (address = server.url) => {
      page.on('request', (request) => {
        if (!request.url().startsWith(address) && !request.url().startsWith('blob:')) elsewhere.push(request.url());
      });
      await page.goto(address);
      await expect(page.getByLabel('Model')).toBeEnabled();
    });
    expect(complaints, 'nothing breaks, the Content-Security-Policy included').toEqual([]);
    expect(elsewhere, 'the page asks nobody but its server').toEqual([]);
  },
});

test.beforeEach(() => {
  const absent = missing(kDemoModel, kSample);
  test.skip(absent !== '', absent);
});

export { expect };

/** The text list beside the picture. */
export function results(page: Page) {
  return page.locator('#results-list li');
}
