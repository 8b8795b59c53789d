// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Reply } from './client';
import { runFrameLoop } from './frame_loop';
import { Problem } from './problem';

const kReply = {} as Reply;

/** A loop over numbered frames whose answers are the test's to give. */
function newLoop() {
  const stop = new AbortController();
  const log: string[] = [];
  let frame = 0;
  let settle: { resolve: (reply: Reply) => void; reject: (error: unknown) => void } | undefined;
  let serverUp: (() => void) | undefined;
  const done = runFrameLoop<number>(
    {
      nextFrame: () => Promise.resolve(++frame),
      ask: (number) => {
        log.push(`ask ${number}`);
        return new Promise((resolve, reject) => (settle = { resolve, reject }));
      },
      onReply: (number) => {
        log.push(`reply ${number}`);
        return Promise.resolve();
      },
      onTrouble: ({ kind }) => log.push(kind),
      untilServerUp: () => new Promise((resolve) => (serverUp = resolve)),
    },
    stop.signal,
  );
  return {
    log,
    done,
    stop,
    reply: () => {
      settle?.resolve(kReply);
      return vi.advanceTimersByTimeAsync(0);
    },
    fail: (error: unknown) => {
      settle?.reject(error);
      return vi.advanceTimersByTimeAsync(0);
    },
    returnServer: () => {
      serverUp?.();
      return vi.advanceTimersByTimeAsync(0);
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('runFrameLoop', () => {
  it('takes a frame only when the last answer has come', async () => {
    const loop = newLoop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(loop.log).toEqual(['ask 1']);
    await loop.reply();
    expect(loop.log).toEqual(['ask 1', 'reply 1', 'ask 2']);
  });

  it('takes the next frame at once after a deadline', async () => {
    const loop = newLoop();
    await vi.advanceTimersByTimeAsync(0);
    await loop.fail(new Problem('deadline'));
    expect(loop.log).toEqual(['ask 1', 'deadline', 'ask 2']);
  });

  it('waits as long as a full queue says, else a second', async () => {
    const loop = newLoop();
    await vi.advanceTimersByTimeAsync(0);
    await loop.fail(new Problem('queue-full', '', 3_000));
    await vi.advanceTimersByTimeAsync(2_999);
    expect(loop.log).toEqual(['ask 1', 'queue-full']);
    await vi.advanceTimersByTimeAsync(1);
    expect(loop.log).toEqual(['ask 1', 'queue-full', 'ask 2']);
    await loop.fail(new Problem('server-error'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(loop.log.at(-1)).toBe('ask 3');
  });

  it('waits for a server that is gone', async () => {
    const loop = newLoop();
    await vi.advanceTimersByTimeAsync(0);
    await loop.fail(new Problem('server-gone'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(loop.log).toEqual(['ask 1', 'server-gone']);
    await loop.returnServer();
    expect(loop.log.at(-1)).toBe('ask 2');
  });

  it('ends with what another frame cannot cure', async () => {
    const loop = newLoop();
    const ended = expect(loop.done).rejects.toMatchObject({ kind: 'no-model' });
    await vi.advanceTimersByTimeAsync(0);
    await loop.fail(new Problem('no-model'));
    await ended;
  });

  it('ends quietly when it is stopped, while it asks and while it waits', async () => {
    const asking = newLoop();
    await vi.advanceTimersByTimeAsync(0);
    asking.stop.abort();
    await asking.fail(new DOMException('', 'AbortError'));
    await asking.done;
    const waiting = newLoop();
    await vi.advanceTimersByTimeAsync(0);
    await waiting.fail(new Problem('queue-full', '', 60_000));
    waiting.stop.abort();
    await waiting.done;
    expect(waiting.log).toEqual(['ask 1', 'queue-full']);
  });
});
