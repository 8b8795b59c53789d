// SPDX-License-Identifier: Apache-2.0
//
// Looks at what is drawn over the picture, pixel by pixel.

import type { Page } from '@playwright/test';

import { expect } from './fixtures';

export interface BoxAnswer {
  width: number;
  height: number;
  results: { label: string; score: number; box: [number, number, number, number] }[];
}

/** The opaque part of the overlay, from 0 to 1 of its size, or undefined where nothing is drawn. */
export function drawnExtent(page: Page) {
  return page.locator('#overlay').evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, width, height);
    const extent = { left: 1, top: 1, right: 0, bottom: 0, share: 0 };
    let drawn = 0;
    for (let y = 0; y < height; ++y) {
      for (let x = 0; x < width; ++x) {
        if (data[4 * (y * width + x) + 3] === 0) continue;
        ++drawn;
        extent.left = Math.min(extent.left, x / width);
        extent.right = Math.max(extent.right, (x + 1) / width);
        extent.top = Math.min(extent.top, y / height);
        extent.bottom = Math.max(extent.bottom, (y + 1) / height);
      }
    }
    return drawn === 0 ? undefined : { ...extent, share: drawn / (width * height) };
  });
}

/** The share of points along each box's four sides (cut at the picture's edge) where something is drawn, at worst. */
function sidesDrawn(page: Page, answer: BoxAnswer): Promise<number> {
  return page.locator('#overlay').evaluate((canvas: HTMLCanvasElement, { width, height, results: boxes }) => {
    const context = canvas.getContext('2d')!;
    const scale = canvas.width / width;
    const slack = Math.ceil(4 * window.devicePixelRatio);
    const drawnNear = (x: number, y: number) => {
      const [left, top] = [Math.round(x * scale) - slack, Math.round(y * scale) - slack];
      const { data } = context.getImageData(left, top, 2 * slack, 2 * slack);
      return data.some((value, index) => index % 4 === 3 && value > 0);
    };
    let worst = 1;
    for (const { box } of boxes) {
      const [x0, y0] = [Math.max(0, box[0]), Math.max(0, box[1])];
      const [x1, y1] = [Math.min(width, box[2]), Math.min(height, box[3])];
      const along = [0.1, 0.3, 0.5, 0.7, 0.9];
      const points = along.flatMap((t) => {
        const [x, y] = [x0 + t * (x1 - x0), y0 + t * (y1 - y0)];
        return [[x, y0], [x, y1], [x0, y], [x1, y]] as const;
      });
      worst = Math.min(worst, points.filter(([x, y]) => drawnNear(x, y)).length / points.length);
    }
    return worst;
  }, answer);
}

/** Every box of the answer is drawn where it says, on a canvas that lies exactly over the picture's. */
export async function expectBoxesOverPicture(page: Page, answer: BoxAnswer): Promise<void> {
  expect(answer.results.length).toBeGreaterThan(0);
  await expect.poll(() => sidesDrawn(page, answer)).toBe(1);
  const extent = await drawnExtent(page);
  // Outlines and labels only: a painted-over picture would be another fault.
  expect(extent?.share).toBeLessThan(0.6);
  const [picture, overlay] = await Promise.all(['#picture', '#overlay'].map((id) => page.locator(id).boundingBox()));
  expect(picture).not.toBeNull();
  expect(overlay).toEqual(picture);
  const ratio = (picture?.width ?? 0) / (picture?.height ?? 1);
  expect(ratio).toBeCloseTo(answer.width / answer.height, 1);
}

declare global {
  interface Window {
    answers?: BoxAnswer[];
  }
}

/** Keeps a copy of every answer the page gets from now on; to be called before it is opened. */
export async function recordAnswers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const answers: BoxAnswer[] = (window.answers = []);
    const original = window.fetch;
    window.fetch = async (input, init) => {
      const response = await original(input, init);
      if (typeof input === 'string' && input.startsWith('v1/predict/') && response.ok) {
        void response
          .clone()
          .json()
          .then((answer: BoxAnswer) => answers.push(answer));
      }
      return response;
    };
  });
}

/** The answer to the next question about a picture. */
export async function nextAnswer(page: Page): Promise<BoxAnswer> {
  const before = await page.evaluate(() => window.answers?.length ?? 0);
  const answer = await page.waitForFunction((number) => window.answers?.[number], before);
  return (await answer.jsonValue())!;
}
