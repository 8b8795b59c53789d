// SPDX-License-Identifier: Apache-2.0
//
// The wire frame of a box in space. Its points are the centre and eight corners, whose order counts in binary: corner
// i lies on the positive side of x, y and z where bits 4, 2 and 1 of i are set.

import type { Point, SolidBox } from '../answer';
import type { Rgb } from './palette';
import type { Pen } from './pen';

const kAxes = [
  { letter: 'x', bit: 4, colour: [255, 92, 92] },
  { letter: 'y', bit: 2, colour: [88, 214, 88] },
  { letter: 'z', bit: 1, colour: [120, 170, 255] },
] as const satisfies readonly { letter: string; bit: number; colour: Rgb }[];

/** The 12 pairs of corners that differ in one coordinate. */
export const kSolidEdges: readonly (readonly [number, number])[] = kAxes.flatMap(({ bit }) =>
  [0, 1, 2, 3, 4, 5, 6, 7].filter((corner) => (corner & bit) === 0).map((corner) => [corner, corner | bit] as const),
);

/** The middle of the face where the axis of `bit` leaves the box, as seen. */
export function faceMiddle(corners: readonly Point[], bit: number): { x: number; y: number } {
  const face = corners.filter((_, corner) => (corner & bit) !== 0);
  const sum = face.reduce((total, { x, y }) => ({ x: total.x + x, y: total.y + y }), { x: 0, y: 0 });
  return { x: sum.x / face.length, y: sum.y / face.length };
}

export function drawSolidBox(pen: Pen, { points }: SolidBox, colour: Rgb): void {
  const [centre, ...corners] = points;
  if (centre === undefined) return;
  for (const [from, to] of kSolidEdges) {
    const [a, b] = [corners[from], corners[to]];
    if (a && b) pen.line(a, b, colour);
  }
  for (const axis of kAxes) {
    const end = faceMiddle(corners, axis.bit);
    pen.line(centre, end, axis.colour, 3);
    pen.letter(axis.letter, end, axis.colour);
  }
  pen.dot(centre, colour, 3);
}
