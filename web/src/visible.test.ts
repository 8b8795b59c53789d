// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { readAnswer } from './answer';
import { kDetect, kEmbed, kFeatures, kSamples } from './testing/samples';
import { visiblePart } from './visible';

describe('visiblePart', () => {
  it.each(kSamples)('lets all of $task through at 0', (sample) => {
    const answer = readAnswer(sample);
    expect(visiblePart(answer, 0)).toEqual(answer);
  });

  it('includes the limit', () => {
    const labels = visiblePart(readAnswer(kDetect), 0.81).results.map((result) => 'label' in result && result.label);
    expect(labels).toEqual(['dog', 'cat']);
  });

  it('always lets through what has no score', () => {
    expect(visiblePart(readAnswer(kEmbed), 1).results).toHaveLength(1);
  });

  it('takes the scores of features as shares of the best', () => {
    expect(visiblePart(readAnswer(kFeatures), 0.1).results).toHaveLength(10);
    expect(visiblePart(readAnswer({ ...kFeatures, results: [] }), 0.5).results).toEqual([]);
  });
});
