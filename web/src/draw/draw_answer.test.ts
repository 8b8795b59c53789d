// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { readAnswer } from '../answer';
import type { Edges } from '../client';
import { RecordingSurface, type Mark } from '../testing/recording_surface';
import {
  kBox3d,
  kClassify,
  kDetect,
  kEmbed,
  kFeatures,
  kHandEdges,
  kLandmarks,
  kSamples,
  kSegment,
} from '../testing/samples';
import { drawAnswer } from './draw_answer';
import { classColour, css, sideColour } from './palette';

/** At half the picture's size. */
const kView = { width: 320, height: 240, scale: 0.5 };

function draw(sample: unknown, leastScore = 0, edges: Edges = []): RecordingSurface {
  const surface = new RecordingSurface();
  drawAnswer(surface, kView, { answer: readAnswer(sample), leastScore, edges });
  return surface;
}

/** The strokes without their casings. */
const lines = (surface: RecordingSurface) => surface.of('stroke').filter(({ style }) => !style.includes('/'));
const texts = (surface: RecordingSurface) => surface.of('text').map(({ text }) => text);

function extent(mark: Mark): number[] {
  switch (mark.kind) {
    case 'stroke': {
      const [xs, ys] = [mark.points.map(([x]) => x), mark.points.map(([, y]) => y)];
      return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    }
    case 'disc':
      return [mark.x, mark.y, mark.x, mark.y];
    case 'rect':
      return [mark.left, mark.top, mark.left + mark.width, mark.top + mark.height];
    case 'text':
      return [mark.x, mark.y, mark.x, mark.y];
    case 'image':
      return [0, 0, mark.width, mark.height];
  }
}

describe('drawAnswer', () => {
  it.each(kSamples.filter(({ task }) => task !== 'segment'))('draws $task inside the picture', (sample) => {
    const { marks } = draw(sample, 0, kHandEdges);
    expect(marks.length).toBeGreaterThan(0);
    for (const mark of marks) {
      const [left = -1, top = -1, right = 999, bottom = 999] = extent(mark);
      expect(Math.min(left, top), JSON.stringify(mark)).toBeGreaterThanOrEqual(0);
      expect(right, JSON.stringify(mark)).toBeLessThanOrEqual(kView.width);
      expect(bottom, JSON.stringify(mark)).toBeLessThanOrEqual(kView.height);
    }
  });

  it.each(kSamples.map((sample) => ({ ...sample, results: [] })))('draws nothing of an empty $task', (sample) => {
    expect(draw(sample).marks).toEqual([]);
  });

  it('outlines objects at the size of the screen, the best one last, and cuts at the edge', () => {
    const surface = draw({ ...kDetect, results: kDetect.results.slice(0, 2) });
    const [cat, dog] = lines(surface);
    expect(dog?.style).toBe(css(classColour(17)));
    expect(dog?.points.slice(0, 3)).toEqual([[22.25, 32], [148, 32], [148, 233]]);
    expect(cat?.points[2]).toEqual([318, 238]);
    expect(texts(surface)).toEqual(['dog 93%', 'cat 81%']);
  });

  it('keeps labels apart, and leaves out the one that finds no place', () => {
    const twin = { label: 'thing', class_id: 1, score: 0.9, box: [10, 100, 200, 160] };
    const surface = draw({ ...kDetect, results: Array.from({ length: 8 }, () => twin) });
    const plates = surface.of('rect');
    expect(plates.length).toBeLessThan(8);
    const tops = plates.map(({ top }) => top).sort((a, b) => a - b);
    expect(tops.length).toBeGreaterThan(1);
    tops.slice(1).forEach((top, i) => {
      expect(top - tops[i]!).toBeGreaterThanOrEqual(plates[0]!.height);
    });
  });

  it('hides results and points under the least score', () => {
    expect(texts(draw(kDetect, 0.5))).toEqual(['dog 93%', 'cat 81%']);
    const centres = (surface: RecordingSurface) => surface.of('disc').map(({ x }) => x);
    expect(centres(draw(kDetect, 0.1))).toEqual([200, 200, 220, 220]); // a casing under each
    expect(centres(draw(kDetect, 0.3))).toEqual([200, 200]);
  });

  it('skips boxes that lie nowhere or are no boxes', () => {
    const at = (box: number[]) => ({ ...kDetect, results: [{ label: 'x', class_id: 1, score: 1, box }] });
    expect(draw(at([700, 0, 800, 100])).marks).toEqual([]);
    expect(draw(at([100, 100, 50, 200])).marks).toEqual([]);
  });

  it('lists classes with a bar as long as the score', () => {
    const surface = draw(kClassify);
    expect(texts(surface)).toEqual(['tabby 62%', 'tiger cat 21%', 'Egyptian cat 8%']);
    const [, first, second] = surface.of('rect');
    expect(first!.width / second!.width).toBeCloseTo(0.62 / 0.21);
  });

  it('joins landmarks by the edges of the model, each side in its colour', () => {
    const surface = draw(kLandmarks, 0, kHandEdges);
    const bones = lines(surface).filter(({ points }) => points.length === 2);
    expect(bones).toHaveLength(2 * kHandEdges.length);
    expect(new Set(bones.map(({ style }) => style))).toEqual(
      new Set([css(sideColour('left', 0)), css(sideColour('right', 0))]),
    );
    expect(surface.of('disc')).toHaveLength(2 * 2 * 21);
    expect(texts(surface)).toEqual(['hand (left) 97%', 'hand (right) 88%']);
  });

  it('draws landmarks without edges, and ignores edges to points that are not there', () => {
    const bones = (edges: Edges) => lines(draw(kLandmarks, 0, edges)).filter(({ points }) => points.length === 2);
    expect(bones([])).toEqual([]);
    expect(bones([[0, 99], [-1, 0], [0, 1]])).toHaveLength(2);
  });

  it('draws no area before its mask is decoded', () => {
    expect(draw(kSegment).marks).toEqual([]);
  });

  it('draws embeddings as a strip: in their box, or along the bottom', () => {
    const surface = draw(kEmbed);
    expect(texts(surface)).toEqual(['person 90%']);
    const plates = surface.of('rect').filter(({ style }) => style.includes('/'));
    expect(plates.map(({ left, width }) => [left, width])).toEqual([[0, 320], [30, 100]]);
    const bars = surface.of('rect').filter(({ style }) => !style.includes('/'));
    expect(bars.length).toBe(4 + 64 + 1); // and the label's plate
    // The largest of 0.5, -0.25, 0, 1 reaches up, the negative one down.
    const middle = kView.height - 24;
    expect(bars[3]!.top).toBeLessThan(middle);
    expect(bars[1]!.top).toBe(middle);
  });

  it('draws the 12 edges and three axes of a box in space', () => {
    const surface = draw(kBox3d);
    const strokes = lines(surface);
    expect(strokes).toHaveLength(12 + 3);
    expect(texts(surface)).toEqual(['x', 'y', 'z', 'chair 77%']);
    const axes = strokes.filter(({ width }) => width === 3);
    for (const { points } of axes) expect(points[0]).toEqual([162.5, 129]);
    // The x axis ends in the middle of the corners 4 to 7.
    expect(axes[0]!.points[1]).toEqual([217.5, 127.5]);
  });

  it('draws every feature as a point, the weaker the fainter', () => {
    const surface = draw(kFeatures);
    const cores = surface.of('disc').filter(({ style }) => !style.includes('0 0 0'));
    expect(cores).toHaveLength(300);
    expect(cores.at(-1)!.style).toBe('rgb(120 255 170)');
    expect(cores[0]!.style).toMatch(/\/ 0\.60/);
    expect(draw(kFeatures, 0.5).of('disc').length).toBeLessThan(10);
  });
});
