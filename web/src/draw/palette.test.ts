// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { classColour, contrast, css, kBlack, kWhite, sideColour, textColourOn } from './palette';

describe('classColour', () => {
  it('is the colour of src/vision/draw/palette.cc', () => {
    expect([0, 1, 2, 17, 80, 999].map(classColour)).toEqual([[253, 115, 108], [4, 145, 237], [203, 205, 39], [10, 221, 243], [36, 225, 207], [33, 191, 160]]);
  });

  it('lets letters on it be read', () => {
    for (let id = 0; id < 1000; ++id) {
      const colour = classColour(id);
      expect(contrast(colour, textColourOn(colour))).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('lives with numbers that no class has', () => {
    for (const id of [-1, 0.5, 2 ** 40]) expect(classColour(id).every(Number.isInteger)).toBe(true);
  });
});

describe('contrast', () => {
  it('is 21 between black and white', () => {
    expect(contrast(kBlack, kWhite)).toBeCloseTo(21);
  });
});

describe('sideColour', () => {
  it('tells left from right, and leaves the rest to the class', () => {
    expect(sideColour('left', 0)).not.toEqual(sideColour('right', 0));
    expect(sideColour(undefined, 5)).toEqual(classColour(5));
  });
});

describe('css', () => {
  it('writes opaque and see-through colours', () => {
    expect(css([1, 2, 3])).toBe('rgb(1 2 3)');
    expect(css([1, 2, 3], 0.5)).toBe('rgb(1 2 3 / 0.5)');
  });
});
