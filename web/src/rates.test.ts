// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { LatencyMeter, RateMeter } from './rates';

describe('RateMeter', () => {
  it('knows no rate before the second event', () => {
    const meter = new RateMeter();
    expect(meter.perSecond()).toBeUndefined();
    meter.add(100);
    expect(meter.perSecond()).toBeUndefined();
  });

  it('counts over the last two seconds', () => {
    const meter = new RateMeter();
    for (let nowMs = 0; nowMs <= 10_000; nowMs += 100) meter.add(nowMs);
    expect(meter.perSecond()).toBeCloseTo(10);
    for (let nowMs = 10_500; nowMs <= 14_000; nowMs += 500) meter.add(nowMs);
    expect(meter.perSecond()).toBeCloseTo(2);
  });
});

describe('LatencyMeter', () => {
  const sample = (infer: number) => ({ decode: 1, preprocess: 1, infer, postprocess: 1, total: infer + 3, roundTrip: infer + 5 });

  it('gives medians, which one slow frame does not move', () => {
    const meter = new LatencyMeter();
    expect(meter.median()).toBeUndefined();
    for (const infer of [10, 12, 900]) meter.add(sample(infer));
    expect(meter.median()).toEqual(sample(12));
    meter.add(sample(10));
    expect(meter.median()?.infer).toBe(11);
  });

  it('forgets what is more than 30 answers ago', () => {
    const meter = new LatencyMeter();
    for (let i = 0; i < 100; ++i) meter.add(sample(i < 70 ? 1 : 2));
    expect(meter.median()?.infer).toBe(2);
  });
});
