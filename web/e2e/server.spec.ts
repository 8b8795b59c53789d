// SPDX-License-Identifier: Apache-2.0
import { drop, fileOf } from './support/bring';
import { expect, kSample, results, servedModels, test } from './support/fixtures';
import { expectBoxesOverPicture, nextAnswer } from './support/overlay';
import { Server } from './support/server';

test('a server that stops is noticed, and the open question is answered when it is back', async ({ page, open }) => {
  const server = await Server.start(...servedModels());
  try {
    await open(server.url);
    await expect(page.getByText('Server is up')).toBeVisible();
    await server.stop();
    // Nobody touched the page: it looks by itself.
    await expect(page.getByText('Server does not answer; trying again')).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('goes on by itself');

    await drop(page, fileOf(kSample));
    await expect(page.getByText('Waiting for the server.')).toBeVisible();
    const answer = nextAnswer(page);
    await server.start();
    await expectBoxesOverPicture(page, await answer);
    await expect(page.getByText('Server is up')).toBeVisible();
    await expect(page.locator('#problem')).toBeHidden();
    await expect(results(page)).not.toHaveCount(0);
  } finally {
    await server.stop();
  }
});

test('a page opened while the server is away comes to life with it', async ({ page, open, server }) => {
  // The page itself must come from somewhere: only what it asks is cut off.
  await page.route('**/healthz', (route) => route.abort());
  await page.goto(server.url);
  await expect(page.getByText('Server does not answer; trying again')).toBeVisible();
  await expect(page.getByLabel('Model')).toBeDisabled();
  await page.unroute('**/healthz');
  await expect(page.getByLabel('Model')).toBeEnabled();
  await expect(page.locator('#problem')).toBeHidden();
  await open();
});
