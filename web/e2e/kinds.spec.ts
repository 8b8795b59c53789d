// SPDX-License-Identifier: Apache-2.0
//
// Answers of every task in a real browser. The real server has models of two of them in every installation, so here
// the answers are the samples of the unit tests.

import type { Page } from '@playwright/test';

import { classColour } from '../src/draw/palette';
import { kClassMask, kHandEdges, kSamples, kSegment } from '../src/testing/samples';
import { drop, fileOf } from './support/bring';
import { expect, kSample, results, test } from './support/fixtures';
import { drawnExtent } from './support/overlay';

async function answerWith(page: Page, sample: object): Promise<void> {
  await page.route('**/v1/predict/**', (route) => route.fulfill({ json: sample }));
  await page.route('**/v1/models/*', (route) => route.fulfill({ json: { name: 'sample', edges: kHandEdges } }));
}

for (const sample of kSamples) {
  test(`an answer of the task ${sample.task} is drawn and listed`, async ({ page, open }, info) => {
    await answerWith(page, sample);
    await open();
    await drop(page, fileOf(kSample));
    await expect(results(page)).toHaveCount(sample.task === 'features' ? 1 : sample.results.length);
    await expect.poll(() => drawnExtent(page)).toBeDefined();
    await page.screenshot({ path: info.outputPath(`${sample.task}.png`), fullPage: true });
    await page.getByLabel('Least score').fill('1');
    // What has no score stays, and of the features the best one.
    const left = { embed: 1, features: 1 }[sample.task] ?? 0;
    await expect(results(page)).toHaveCount(left);
  });
}

/** The overlay's colour in the middle of a pixel of the mask. */
function colourAt(page: Page, column: number, row: number) {
  return page.locator('#overlay').evaluate(
    (canvas: HTMLCanvasElement, { x, y }) => [
      ...canvas.getContext('2d')!.getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data,
    ],
    { x: (column + 0.5) / kClassMask.width, y: (row + 0.5) / kClassMask.height },
  );
}

/** Equal but for the rounding of half transparent pixels. */
function expectColour([r = -1, g = -1, b = -1, a = 0]: number[], [red, green, blue]: readonly number[]): void {
  expect(a).toBe(150);
  for (const [got, wanted] of [[r, red], [g, green], [b, blue]]) expect(Math.abs(got! - wanted!)).toBeLessThan(3);
}

test('a mask covers the whole picture, each class in its colour', async ({ page, open }) => {
  await answerWith(page, kSegment);
  await open();
  await drop(page, fileOf(kSample));
  await expect.poll(() => drawnExtent(page)).toBeDefined();
  expect(await colourAt(page, 0, 0)).toEqual([0, 0, 0, 0]); // the background
  expectColour(await colourAt(page, 1, 0), classColour(1));
  expectColour(await colourAt(page, 3, 0), classColour(2));
  expectColour(await colourAt(page, 2, 1), classColour(1));
  expectColour(await colourAt(page, 3, 1), classColour(2));
});

test('a mask that is no PNG is told, not drawn', async ({ page, open }) => {
  await answerWith(page, { ...kSegment, mask: { ...kClassMask, data: 'AAAA' } });
  await open();
  await drop(page, fileOf(kSample));
  await expect(page.getByRole('alert')).toContainText('answer.mask.data is no PNG');
});

test('landmarks are drawn even where the lines between them cannot be had', async ({ page, open }) => {
  await page.route('**/v1/predict/**', (route) => route.fulfill({ json: kSamples.find(({ task }) => task === 'landmarks')! }));
  await open(); // the real server has no model of that name
  await drop(page, fileOf(kSample));
  await expect(results(page)).toHaveCount(2);
  await expect.poll(() => drawnExtent(page)).toBeDefined();
});
