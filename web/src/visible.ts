// SPDX-License-Identifier: Apache-2.0
//
// The part of an answer that the score slider lets through. Results without a score always pass. The scores of
// features have no fixed scale: theirs count as shares of the best one.

import type { Answer, Point } from './answer';

function atLeast(limit: number): (item: { score?: number }) => boolean {
  return (item) => item.score === undefined || item.score >= limit;
}

export function visiblePart(answer: Answer, limit: number): Answer {
  const passes = atLeast(limit);
  switch (answer.task) {
    case 'detect':
      return { ...answer, results: answer.results.filter(passes) };
    case 'classify':
      return { ...answer, results: answer.results.filter(passes) };
    case 'landmarks':
      return { ...answer, results: answer.results.filter(passes) };
    case 'segment':
      return { ...answer, results: answer.results.filter(passes) };
    case 'embed':
      return { ...answer, results: answer.results.filter(passes) };
    case 'box3d':
      return { ...answer, results: answer.results.filter(passes) };
    case 'features': {
      const best = answer.results.reduce((most, feature) => Math.max(most, feature.score), 0);
      return { ...answer, results: answer.results.filter((feature) => feature.score >= limit * best) };
    }
  }
}

/** Whether a point of a visible result shows: points can have scores of their own. */
export function pointPasses(point: Point, limit: number): boolean {
  return atLeast(limit)(point);
}
