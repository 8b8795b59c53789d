// SPDX-License-Identifier: Apache-2.0
//
// Draws an answer over its picture, each kind its own way. What is drawn last lies on top: labels over lines, and the
// best result over the others.

import type { Answer, AnswerOf, Box, Point } from '../answer';
import type { Edges } from '../client';
import { percent } from '../words';
import { pointPasses, visiblePart } from '../visible';
import { asImage, paintMask, type Greys } from './mask';
import { classColour, kEmbedding, kFeature, sideColour, type Rgb } from './palette';
import { Pen, type Surface, type View } from './pen';
import { drawSolidBox } from './solid_box';

export interface Drawing {
  answer: Answer;
  /** Results and points below this are left out. */
  leastScore: number;
  edges: Edges;
  /** For segment: the decoded mask. */
  greys?: Greys;
}

const kMostClassRows = 5;
const kManyPoints = 100;
const kFaintest = 0.6;

export function drawAnswer(surface: Surface, view: View, drawing: Drawing): void {
  const pen = new Pen(surface, view);
  const answer = visiblePart(drawing.answer, drawing.leastScore);
  switch (answer.task) {
    case 'detect':
      drawDetections(pen, answer, drawing.leastScore);
      break;
    case 'classify':
      pen.panel(
        answer.results.slice(0, kMostClassRows).map(({ label, class_id: id, score }) => ({
          text: `${label} ${percent(score)}`,
          share: score,
          colour: classColour(id),
        })),
      );
      break;
    case 'landmarks':
      drawLandmarks(pen, answer, drawing);
      break;
    case 'segment':
      drawSegments(pen, answer, drawing);
      break;
    case 'embed':
      drawEmbeddings(pen, answer);
      break;
    case 'box3d':
      for (const solid of worstFirst(answer.results)) drawSolidBox(pen, solid, classColour(0));
      for (const { label, score, box } of answer.results) pen.label(`${label} ${percent(score)}`, box, classColour(0));
      break;
    case 'features':
      drawFeatures(pen, answer);
      break;
  }
}

/** In the order to draw them in: answers come best first. */
function worstFirst<T>(results: readonly T[]): T[] {
  return [...results].reverse();
}

function drawDetections(pen: Pen, answer: AnswerOf<'detect'>, leastScore: number): void {
  for (const { box, class_id: id, points = [] } of worstFirst(answer.results)) {
    pen.box(box, classColour(id));
    drawPoints(pen, points, classColour(id), leastScore);
  }
  for (const { label, score, box, class_id: id } of answer.results) {
    pen.label(`${label} ${percent(score)}`, box, classColour(id));
  }
}

function drawPoints(pen: Pen, points: readonly Point[], colour: Rgb, leastScore: number): void {
  const radius = points.length > kManyPoints ? 1.2 : 3;
  for (const point of points) {
    if (pointPasses(point, leastScore)) pen.dot(point, colour, radius);
  }
}

function drawLandmarks(pen: Pen, answer: AnswerOf<'landmarks'>, { edges, leastScore }: Drawing): void {
  for (const set of worstFirst(answer.results)) {
    const colour = sideColour(set.side, set.class_id);
    pen.box(set.box, colour, 1);
    const shown = (index: number | undefined) => {
      const point = index === undefined ? undefined : set.points[index];
      return point && pointPasses(point, leastScore) ? point : undefined;
    };
    for (const [i, j] of edges) {
      const [from, to] = [shown(i), shown(j)];
      if (from && to) pen.line(from, to, colour);
    }
    drawPoints(pen, set.points, colour, leastScore);
  }
  for (const set of answer.results) {
    const side = set.side === undefined ? '' : ` (${set.side})`;
    pen.label(`${set.label}${side} ${percent(set.score)}`, set.box, sideColour(set.side, set.class_id));
  }
}

function drawSegments(pen: Pen, answer: AnswerOf<'segment'>, { greys, leastScore }: Drawing): void {
  if (greys === undefined) return;
  const pixels = paintMask(answer, greys, leastScore);
  // Class numbers have hard edges; probabilities may flow.
  pen.surface.imageSmoothingEnabled = answer.mask.kind === 'probability';
  pen.surface.drawImage(asImage(pixels, greys.width, greys.height), 0, 0, pen.view.width, pen.view.height);
}

function drawEmbeddings(pen: Pen, answer: AnswerOf<'embed'>): void {
  const whole: Box = [0, 0, answer.width, answer.height];
  for (const { embedding, box } of worstFirst(answer.results)) {
    if (box) pen.box(box, kEmbedding);
    const area = pen.visibleRect(box ?? whole);
    if (area) pen.strip(embedding, area, kEmbedding);
  }
  for (const { label, score, box } of answer.results) {
    const text = [label, score === undefined ? undefined : percent(score)].filter((part) => part !== undefined);
    if (box && text.length > 0) pen.label(text.join(' '), box, kEmbedding);
  }
}

function drawFeatures(pen: Pen, answer: AnswerOf<'features'>): void {
  const best = answer.results.reduce((most, { score }) => Math.max(most, score), 0);
  for (const feature of worstFirst(answer.results)) {
    const share = best > 0 ? feature.score / best : 1;
    pen.dot(feature, kFeature, 2, kFaintest + (1 - kFaintest) * share);
  }
}
