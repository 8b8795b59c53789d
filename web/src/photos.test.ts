// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { Photos } from './photos';

const file = (name: string) => ({ name }) as File;

describe('Photos', () => {
  it('moves between the first and the last and not past them', () => {
    const photos = new Photos();
    photos.replace([file('a'), file('b')]);
    expect(photos.move(-1)).toBe(false);
    expect(photos.move(1)).toBe(true);
    expect(photos.move(1)).toBe(false);
    expect([photos.current?.name, photos.position, photos.size]).toEqual(['b', 2, 2]);
  });

  it('begins at the first of new ones, and takes no more than 200', () => {
    const photos = new Photos();
    photos.replace([file('a'), file('b')]);
    photos.move(1);
    photos.replace(Array.from({ length: 300 }, (_, i) => file(String(i))));
    expect([photos.current?.name, photos.size]).toEqual(['0', 200]);
    photos.replace([]);
    expect(photos.current).toBeUndefined();
  });
});
