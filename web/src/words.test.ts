// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { readAnswer } from './answer';
import { kBox3d, kClassify, kDetect, kEmbed, kFeatures, kLandmarks, kSegment } from './testing/samples';
import { linesOf, percent, sentenceOf, whereIs } from './words';

const plain = (sample: unknown) =>
  linesOf(readAnswer(sample)).map(({ text, value, note }) => [text, value, note].filter(Boolean).join(' | '));

describe('linesOf', () => {
  it('says of objects what they are, how sure it is, and where', () => {
    expect(plain(kDetect)).toEqual(['dog | 93% | left', 'cat | 81% | right', 'face | 42% | centre, 2 points']);
  });

  it('says of classes what they are', () => {
    expect(plain(kClassify)).toEqual(['tabby | 62%', 'tiger cat | 21%', 'Egyptian cat | 8%']);
  });

  it('says of landmarks which side they belong to', () => {
    expect(plain(kLandmarks)).toEqual(['left hand | 97% | left, 21 points', 'right hand | 88% | right, 21 points']);
  });

  it('says of areas how much of the picture they take', () => {
    expect(plain(kSegment)[1]).toBe('cat | 38% | of the picture, 80% sure');
    const colours = linesOf(readAnswer(kSegment)).map(({ colour }) => colour !== undefined);
    expect(colours).toEqual([false, true, true]); // the background is not painted
  });

  it('says of embeddings how long they are and how they begin', () => {
    expect(plain(kEmbed)).toEqual([
      'person | 90% | 64 numbers: 0.000, 0.841, 0.909, 0.141, …; left',
      'embedding | 4 numbers: 0.500, -0.250, 0.000, 1.000',
    ]);
  });

  it('says of boxes in space how large they are', () => {
    expect(plain(kBox3d)).toEqual(['chair | 77% | centre, 0.50 × 0.90 × 0.50 in size']);
  });

  it('counts features instead of listing them', () => {
    expect(plain(kFeatures)).toEqual(['300 points | that can be found again']);
    expect(plain({ ...kFeatures, results: [] })).toEqual([]);
  });

  it('gives each class the colour of the picture', () => {
    const [dog, cat] = linesOf(readAnswer(kDetect));
    expect(dog?.colour).toMatch(/^rgb\(/);
    expect(dog?.colour).not.toBe(cat?.colour);
  });
});

describe('sentenceOf', () => {
  it('tells equal results once, with their number', () => {
    const dog = kDetect.results[0];
    expect(sentenceOf(readAnswer({ ...kDetect, results: [dog, kDetect.results[1], dog] }))).toBe('Found dog, 2 times; cat.');
  });

  it('names the likeliest classes', () => {
    expect(sentenceOf(readAnswer(kClassify))).toBe('Most likely tabby, 62%; tiger cat, 21%; Egyptian cat, 8%.');
  });

  it('says so when there is nothing, and does not go on for ever', () => {
    expect(sentenceOf(readAnswer({ ...kDetect, results: [] }))).toBe('Nothing found.');
    const many = Array.from({ length: 7 }, (_, i) => ({ ...kDetect.results[0], label: `kind ${i}` }));
    expect(sentenceOf(readAnswer({ ...kDetect, results: many }))).toMatch(/kind 4; and 2 other kinds\.$/);
  });
});

describe('whereIs', () => {
  it('tells nine places, and those past the edge by the nearest', () => {
    expect(whereIs([0, 0, 10, 10], 90, 90)).toBe('top left');
    expect(whereIs([40, 40, 50, 50], 90, 90)).toBe('centre');
    expect(whereIs([40, 80, 50, 90], 90, 90)).toBe('bottom');
    expect(whereIs([95, -20, 200, -10], 90, 90)).toBe('top right');
  });
});

describe('percent', () => {
  it('stays between 0 and 100', () => {
    expect([percent(-0.1), percent(0.005), percent(0.994), percent(1.2)]).toEqual(['0%', '1%', '99%', '100%']);
  });
});
