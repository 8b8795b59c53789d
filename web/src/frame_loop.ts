// SPDX-License-Identifier: Apache-2.0
//
// Asks about frame after frame, one at a time: the next frame is taken when the answer to the last one has come. So a
// slow server is asked less often and never about the past.

import type { Reply } from './client';
import { Problem, type ProblemKind } from './problem';
import { wait } from './wait';

export interface FrameLoop<F> {
  nextFrame: (signal: AbortSignal) => Promise<F>;
  ask: (frame: F, signal: AbortSignal) => Promise<Reply>;
  onReply: (frame: F, reply: Reply) => Promise<void>;
  /** Something went wrong that passes; the loop goes on after this. */
  onTrouble: (problem: Problem) => void;
  untilServerUp: (signal: AbortSignal) => Promise<void>;
}

const kRetryMs = 1_000;

/** What asking about another frame cannot cure. */
const kLasting: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  'no-model',
  'strange-answer',
  'unsupported-type',
  'too-large',
  'camera-busy',
]);

/** Runs until `signal` is aborted, then returns; throws the Problem that ended it otherwise. */
export async function runFrameLoop<F>(loop: FrameLoop<F>, signal: AbortSignal): Promise<void> {
  const stopped = () => signal.aborted;
  while (!stopped()) {
    try {
      const frame = await loop.nextFrame(signal);
      await loop.onReply(frame, await loop.ask(frame, signal));
    } catch (error) {
      if (stopped()) return;
      if (!(error instanceof Problem) || kLasting.has(error.kind)) throw error;
      loop.onTrouble(error);
      await recover(error, loop, signal);
    }
  }
}

async function recover<F>(problem: Problem, loop: FrameLoop<F>, signal: AbortSignal): Promise<void> {
  try {
    if (problem.kind === 'server-gone') await loop.untilServerUp(signal);
    else if (problem.kind !== 'deadline') await wait(problem.retryAfterMs ?? kRetryMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
