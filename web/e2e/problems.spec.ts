// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';

import type { Route } from '@playwright/test';

import { choose, drop, fileOf } from './support/bring';
import { expect, kSample, results, servedModels, test } from './support/fixtures';
import { Server } from './support/server';

const kPredict = '**/v1/predict/**';

/** The smallest GIF there is: a picture, but of a type the server does not read. */
const kGif = {
  name: 'tiny.gif',
  type: 'image/gif',
  base64: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
};

test('an unsupported file is refused with its type and what would do', async ({ page, open }) => {
  await open();
  await drop(page, kGif);
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('tiny.gif: The server does not read this type of file. It takes JPEG, PNG and WebP');
  await expect(alert).toContainText('GIF');
  await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden();
});

test('a file that is no picture, and a drop without a file, say so', async ({ page, open }) => {
  await open();
  await drop(page, { name: 'notes.txt', type: 'text/plain', base64: Buffer.from('no picture').toString('base64') });
  await expect(page.getByRole('alert')).toContainText('notes.txt: The server cannot read this picture');
  await drop(page);
  await expect(page.getByRole('alert')).toContainText('That is not a picture');
});

test('a picture over a limit of the server is refused with the limit', async ({ page, open }, info) => {
  const server = await Server.start(...servedModels(), '--max-picture-mb', '1');
  try {
    await open(server.url);
    // A photo with bytes after its end: over the limit for the picture, then over that for any body.
    const large = info.outputPath('large.png');
    const photo = readFileSync(kSample);
    writeFileSync(large, Buffer.concat([photo, Buffer.alloc(Math.round(1.2 * 2 ** 20) - photo.length)]));
    const huge = info.outputPath('huge.png');
    writeFileSync(huge, Buffer.alloc(64 * 2 ** 20));
    await choose(page, large);
    await expect(page.getByRole('alert')).toContainText('large.png: The picture is too large for the server.');
    await expect(page.getByRole('alert')).toContainText('1048576');
    await choose(page, huge);
    await expect(page.getByRole('alert')).toContainText(/huge\.png: The (picture is too large|connection broke)/);
  } finally {
    await server.stop();
  }
});

for (const { status, reason, words } of [
  { status: 429, reason: 'queue_full', words: 'its queue is full' },
  { status: 504, reason: 'expired', words: 'too busy to look at the picture in time' },
  { status: 503, reason: 'draining', words: 'The server is stopping' },
]) {
  test(`status ${status} (${reason}) is told in plain words, and asking again helps`, async ({ page, open }) => {
    await open();
    await page.route(kPredict, (route: Route) => route.fulfill({ status, json: { error: 'refused', reason } }));
    await drop(page, fileOf(kSample));
    await expect(page.getByRole('alert')).toContainText(words);
    await page.unroute(kPredict);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(results(page)).not.toHaveCount(0);
    await expect(page.locator('#problem')).toBeHidden();
  });
}

test('an answer that makes no sense is not drawn', async ({ page, open }) => {
  await open();
  await page.route(kPredict, (route: Route) => route.fulfill({ json: { source: 'body', task: 'detect' } }));
  await drop(page, fileOf(kSample));
  await expect(page.getByRole('alert')).toContainText('an answer that this page does not understand');
  await expect(page.getByRole('alert')).toContainText('answer.width');
});
