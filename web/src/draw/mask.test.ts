// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { readAnswer, type AnswerOf } from '../answer';
import { kClassValues, kSegment } from '../testing/samples';
import { isBackground, paintMask } from './mask';
import { classColour } from './palette';

const segment = (changes: object = {}) => readAnswer({ ...kSegment, ...changes }) as AnswerOf<'segment'>;
const greys = (...values: number[]) => ({ width: values.length, height: 1, values: Uint8Array.from(values) });
const pixel = (pixels: Uint8ClampedArray, index: number) => [...pixels.slice(4 * index, 4 * index + 4)];

describe('paintMask', () => {
  it('paints each class in its colour and leaves the background bare', () => {
    const pixels = paintMask(segment(), greys(...kClassValues), 0);
    expect(pixel(pixels, 0)).toEqual([0, 0, 0, 0]);
    expect(pixel(pixels, 1)).toEqual([...classColour(1), 150]);
    expect(pixel(pixels, 3)).toEqual([...classColour(2), 150]);
  });

  it('leaves out classes that are not among the results', () => {
    const pixels = paintMask(segment({ results: [kSegment.results[2]] }), greys(...kClassValues), 0);
    expect(pixel(pixels, 1)).toEqual([0, 0, 0, 0]);
    expect(pixel(pixels, 2)).toEqual([...classColour(2), 150]);
  });

  it('paints probabilities the denser the likelier, from the limit on', () => {
    const person = segment({
      results: [{ label: 'person', class_id: 3, share: 0.5, score: 0.9 }],
      mask: { ...kSegment.mask, kind: 'probability' },
    });
    const pixels = paintMask(person, greys(0, 100, 128, 255), 0.5);
    expect([0, 1, 2, 3].map((index) => pixel(pixels, index)[3])).toEqual([0, 0, 75, 150]);
    expect(pixel(pixels, 3).slice(0, 3)).toEqual([...classColour(3)]);
  });

  it('paints nothing of an answer without results', () => {
    for (const kind of ['class_ids', 'probability']) {
      const empty = segment({ results: [], mask: { ...kSegment.mask, kind } });
      expect(paintMask(empty, greys(1, 255), 0).every((value) => value === 0)).toBe(true);
    }
  });
});

describe('isBackground', () => {
  it('knows the names that models give to nothing', () => {
    expect(['background', '__background__', 'Unlabelled', 'void'].every(isBackground)).toBe(true);
    expect(['backgrounds of art', 'cat'].some(isBackground)).toBe(false);
  });
});
