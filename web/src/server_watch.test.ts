// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { ServerWatch, type ServerState } from './server_watch';

let alive = true;
let asked = 0;
let states: ServerState[] = [];

function newWatch(): ServerWatch {
  return new ServerWatch(
    () => {
      ++asked;
      return Promise.resolve(alive);
    },
    (state) => states.push(state),
  );
}

beforeEach(() => {
  vi.useFakeTimers();
  [alive, asked, states] = [true, 0, []];
});
afterEach(() => {
  vi.useRealTimers();
});

describe('ServerWatch', () => {
  it('notices by itself that the server stops and comes back', async () => {
    const watch = newWatch();
    await watch.check();
    alive = false;
    await vi.advanceTimersByTimeAsync(5_000);
    alive = true;
    await vi.advanceTimersByTimeAsync(500);
    expect(states).toEqual(['up', 'down', 'up']);
  });

  it('asks ever less often while the server is away, and at least every 8 seconds', async () => {
    alive = false;
    const watch = newWatch();
    await watch.check();
    const times: number[] = [];
    let nowMs = 0;
    for (let known = asked; nowMs < 40_000; nowMs += 100) {
      await vi.advanceTimersByTimeAsync(100);
      if (asked > known) times.push(nowMs + 100);
      known = asked;
    }
    expect(times).toEqual([500, 1_500, 3_500, 7_500, 15_500, 23_500, 31_500, 39_500]);
  });

  it('believes a request that found nobody, and begins to ask soon', async () => {
    const watch = newWatch();
    await watch.check();
    alive = false;
    watch.reportLost();
    watch.reportLost();
    expect(states).toEqual(['up', 'down']);
    expect(asked).toBe(1);
    alive = true;
    await vi.advanceTimersByTimeAsync(500);
    expect(watch.state).toBe('up');
  });

  it('lets others wait for the server', async () => {
    alive = false;
    const watch = newWatch();
    await watch.check();
    let up = false;
    const waiting = watch.untilUp().then(() => (up = true));
    await vi.advanceTimersByTimeAsync(400);
    expect(up).toBe(false);
    alive = true;
    await vi.advanceTimersByTimeAsync(100);
    await waiting;
    await watch.untilUp(); // at once
  });

  it('has one question open at a time', async () => {
    const watch = newWatch();
    await Promise.all([watch.check(), watch.check()]);
    expect(asked).toBe(1);
  });
});
