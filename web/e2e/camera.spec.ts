// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';

import { chromium, type Browser, type Page } from '@playwright/test';

import { fileOf } from './support/bring';
import { expect, kSample, results, servedModels, test } from './support/fixtures';
import { expectBoxesOverPicture, nextAnswer, recordAnswers } from './support/overlay';
import { kBrowser } from './support/places';
import { Server } from './support/server';

/** The photo as a JPEG of a size that cameras have, from the browser's own encoder. */
async function frameOf(page: Page, path: string): Promise<Buffer> {
  const { base64, type } = fileOf(path);
  const encoded = await page.evaluate(
    async ({ data, kind }) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      const photo = await createImageBitmap(new Blob([bytes], { type: kind }));
      const canvas = document.createElement('canvas');
      canvas.width = 640;
      canvas.height = 480;
      canvas.getContext('2d')!.drawImage(photo, 0, 0, 640, 480);
      return canvas.toDataURL('image/jpeg', 0.95).split(',')[1] ?? '';
    },
    { data: base64, kind: type },
  );
  return Buffer.from(encoded, 'base64');
}

/** A browser whose camera shows the photo, over and over. */
async function browserWithCamera(page: Page, video: string): Promise<Browser> {
  const frame = await frameOf(page, kSample);
  writeFileSync(video, Buffer.concat([frame, frame, frame, frame]));
  return chromium.launch({
    ...kBrowser,
    args: [...kBrowser.args, '--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${video}`],
  });
}

test('camera frames show their boxes, one question at a time', async ({ page, server }, info) => {
  const browser = await browserWithCamera(page, info.outputPath('camera.mjpeg'));
  try {
    const context = await browser.newContext({ permissions: ['camera'] });
    const view = await context.newPage();
    await recordAnswers(view);
    let [open, most, asked] = [0, 0, 0];
    const isQuestion = (url: string) => url.includes('/v1/predict/');
    view.on('request', (request) => {
      if (!isQuestion(request.url())) return;
      ++asked;
      most = Math.max(most, ++open);
    });
    view.on('requestfinished', (request) => (open -= Number(isQuestion(request.url()))));
    view.on('requestfailed', (request) => (open -= Number(isQuestion(request.url()))));

    await view.goto(server.url);
    await expect(view.getByLabel('Model')).toBeEnabled();
    const answer = nextAnswer(view);
    await view.getByRole('button', { name: 'Start camera' }).click();
    await expectBoxesOverPicture(view, await answer);
    await expect(view.locator('#rate')).toHaveText(/^\d+\.\d frames\/s$/);
    await expect.poll(() => asked).toBeGreaterThan(5);
    expect(most).toBe(1);
    await expect(view.getByText('median of the last frames')).toBeVisible();
    await expect(results(view)).not.toHaveCount(0);
    await view.screenshot({ path: info.outputPath('running.png') });

    await view.getByRole('button', { name: 'Stop camera' }).click();
    await expect(view.getByRole('button', { name: 'Start camera' })).toBeVisible();
    await expect.poll(() => open).toBe(0);
    expect(await view.locator('#video').evaluate((video: HTMLVideoElement) => video.srcObject)).toBeNull();
  } finally {
    await browser.close();
  }
});

test('the camera goes on by itself after the server was away', async ({ page }, info) => {
  const server = await Server.start(...servedModels());
  const browser = await browserWithCamera(page, info.outputPath('camera.mjpeg'));
  try {
    const context = await browser.newContext({ permissions: ['camera'] });
    const view = await context.newPage();
    await recordAnswers(view);
    await view.goto(server.url);
    await expect(view.getByLabel('Model')).toBeEnabled();
    await view.getByRole('button', { name: 'Start camera' }).click();
    await expect(results(view)).not.toHaveCount(0);
    await server.stop();
    await expect(view.getByText('Server does not answer; trying again')).toBeVisible();
    await expect(view.getByRole('button', { name: 'Stop camera' })).toBeVisible();
    const answer = nextAnswer(view);
    await server.start();
    await expectBoxesOverPicture(view, await answer);
    await expect(view.locator('#problem')).toBeHidden();
  } finally {
    await browser.close();
    await server.stop();
  }
});

test('a refused camera is told in plain words', async ({ page, server }, info) => {
  const browser = await browserWithCamera(page, info.outputPath('camera.mjpeg'));
  try {
    const view = await browser.newPage(); // without the permission
    await view.goto(server.url);
    await view.getByRole('button', { name: 'Start camera' }).click();
    await expect(view.getByRole('alert')).toContainText('The camera is not allowed here');
    await expect(view.getByRole('button', { name: 'Start camera' })).toBeVisible();
  } finally {
    await browser.close();
  }
});

for (const { name, words } of [
  { name: 'NotFoundError', words: 'There is no camera on this device' },
  { name: 'NotReadableError', words: 'Another program may have it open' },
]) {
  test(`a camera that fails with ${name} is told in plain words`, async ({ page, open }) => {
    // What a machine has for cameras differs; what the page makes of the browser's error does not.
    await page.addInitScript((error) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('as the test wants', error));
    }, name);
    await open();
    await page.getByRole('button', { name: 'Start camera' }).click();
    await expect(page.getByRole('alert')).toContainText(words);
  });
}
