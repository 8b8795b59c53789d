// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { faceMiddle, kSolidEdges } from './solid_box';

describe('kSolidEdges', () => {
  it('are the 12 edges of a cube: three at each corner, none twice', () => {
    expect(new Set(kSolidEdges.map(String)).size).toBe(12);
    for (let corner = 0; corner < 8; ++corner) {
      expect(kSolidEdges.filter((edge) => edge.includes(corner))).toHaveLength(3);
    }
  });
});

describe('faceMiddle', () => {
  it('is the middle of the four corners on the positive side', () => {
    // x as 100, y as 10, z as 1: a corner's number is where it is.
    const corners = [0, 1, 10, 11, 100, 101, 110, 111].map((x) => ({ x, y: 0 }));
    expect(faceMiddle(corners, 4).x).toBe(105.5);
    expect(faceMiddle(corners, 2).x).toBe(60.5);
    expect(faceMiddle(corners, 1).x).toBe(56);
  });
});
