// SPDX-License-Identifier: Apache-2.0
//
// Numbers that a person can read while they change many times a second.

import type { StageTimes } from './answer';

const kWindowMs = 2_000;

/** How many events there were a second, over the last two seconds. */
export class RateMeter {
  private times: number[] = [];

  add(nowMs: number): void {
    this.times = [...this.times.filter((time) => time > nowMs - kWindowMs), nowMs];
  }

  /** Undefined while fewer than two events are known. */
  perSecond(): number | undefined {
    const [first, last] = [this.times[0], this.times.at(-1)];
    if (first === undefined || last === undefined || last <= first) return undefined;
    return ((this.times.length - 1) * 1000) / (last - first);
  }
}

/** Stage times with the round trip that held them. */
export interface Latency extends StageTimes {
  roundTrip: number;
}

const kMostSamples = 30;

/** Medians over the last 30 answers. */
export class LatencyMeter {
  private samples: Latency[] = [];

  add(sample: Latency): void {
    this.samples = [...this.samples, sample].slice(-kMostSamples);
  }

  /** Undefined before the first sample. */
  median(): Latency | undefined {
    if (this.samples.length === 0) return undefined;
    const median = (name: keyof Latency) => {
      const sorted = this.samples.map((sample) => sample[name]).sort((a, b) => a - b);
      const middle = sorted.length >> 1;
      const upper = sorted[middle] ?? 0;
      return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
    };
    return {
      decode: median('decode'),
      preprocess: median('preprocess'),
      infer: median('infer'),
      postprocess: median('postprocess'),
      total: median('total'),
      roundTrip: median('roundTrip'),
    };
  }
}
