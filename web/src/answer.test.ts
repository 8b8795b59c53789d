// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { readAnswer } from './answer';
import { kBox3d, kDetect, kSamples, kSegment } from './testing/samples';

describe('readAnswer', () => {
  it.each(kSamples)('takes what the server answers for $task as it is', (sample) => {
    expect(readAnswer(JSON.parse(JSON.stringify(sample)))).toEqual(sample);
  });

  it('leaves out fields it does not know', () => {
    expect(readAnswer({ ...kDetect, novelty: 1 })).toEqual(kDetect);
  });

  it.each([
    ['null', null, 'answer is null, not an object'],
    ['a list', [], 'answer is a list, not an object'],
    ['no size', { ...kDetect, width: undefined }, 'answer.width is undefined, not a number'],
    ['an empty size', { ...kDetect, height: 0 }, 'answer.height is 0, not a size in pixels'],
    ['an unknown task', { ...kDetect, task: 'dream' }, 'answer.task is dream, which this page cannot draw'],
    ['results that are no list', { ...kDetect, results: {} }, 'answer.results is object, not a list'],
    [
      'a box of three numbers',
      { ...kDetect, results: [{ ...kDetect.results[0], box: [1, 2, 3] }] },
      'answer.results[0].box has 3 numbers, not 4',
    ],
    [
      'a number that is none',
      { ...kDetect, results: [kDetect.results[0], { ...kDetect.results[1], score: '1' }] },
      'answer.results[1].score is string, not a number',
    ],
    ['a mask that is absent', { ...kSegment, mask: undefined }, 'answer.mask is undefined, not an object'],
    [
      'a mask of another kind',
      { ...kSegment, mask: { ...kSegment.mask, kind: 'fog' } },
      'answer.mask.kind is string, not one of class_ids, probability',
    ],
    [
      'a box in space without all its corners',
      { ...kBox3d, results: [{ ...kBox3d.results[0], points: [] }] },
      'answer.results[0].points has 0 points, not 9',
    ],
  ])('refuses %s and says where', (_, value, message) => {
    expect(() => readAnswer(value)).toThrow(message);
  });
});
