// SPDX-License-Identifier: Apache-2.0
//
// Answers in words: the list beside the picture, and the one sentence that a screen reader speaks.

import type { Answer, Box, Embedding } from './answer';
import { isBackground } from './draw/mask';
import { classColour, css, kEmbedding, kFeature, sideColour } from './draw/palette';

export interface Line {
  text: string;
  /** The score or share, as text; may be empty. */
  value: string;
  /** Where it is, or what else there is to say; may be empty. */
  note: string;
  /** Of what stands for it in the picture. */
  colour?: string;
}

export function percent(share: number): string {
  return `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`;
}

export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

/** Where the middle of a box lies, by thirds of the picture: "top left", "centre". */
export function whereIs([xMin, yMin, xMax, yMax]: Box, width: number, height: number): string {
  const third = (middle: number, size: number) => Math.min(2, Math.max(0, Math.floor((3 * middle) / size)));
  const row = ['top', '', 'bottom'][third((yMin + yMax) / 2, height)] ?? '';
  const column = ['left', '', 'right'][third((xMin + xMax) / 2, width)] ?? '';
  return [row, column].filter((word) => word !== '').join(' ') || 'centre';
}

function embeddingLine({ embedding, label, score, box }: Embedding, answer: Answer): Line {
  const first = embedding.slice(0, 4).map((value) => value.toFixed(3));
  return {
    text: label ?? 'embedding',
    value: score === undefined ? '' : percent(score),
    note: [
      `${count(embedding.length, 'number')}: ${first.join(', ')}${embedding.length > first.length ? ', …' : ''}`,
      ...(box ? [whereIs(box, answer.width, answer.height)] : []),
    ].join('; '),
    colour: css(kEmbedding),
  };
}

function featureLines(number: number): Line[] {
  if (number === 0) return [];
  return [{ text: count(number, 'point'), value: '', note: 'that can be found again', colour: css(kFeature) }];
}

/** One line a result, best first, as the server ordered them; features, of which there are many, in one. */
export function linesOf(answer: Answer): Line[] {
  const where = (box: Box) => whereIs(box, answer.width, answer.height);
  switch (answer.task) {
    case 'detect':
      return answer.results.map(({ label, score, class_id: id, box, points = [] }) => ({
        text: label,
        value: percent(score),
        note: points.length > 0 ? `${where(box)}, ${count(points.length, 'point')}` : where(box),
        colour: css(classColour(id)),
      }));
    case 'classify':
      return answer.results.map(({ label, score, class_id: id }) => ({
        text: label,
        value: percent(score),
        note: '',
        colour: css(classColour(id)),
      }));
    case 'landmarks':
      return answer.results.map(({ label, score, class_id: id, box, points, side }) => ({
        text: side === undefined ? label : `${side} ${label}`,
        value: percent(score),
        note: `${where(box)}, ${count(points.length, 'point')}`,
        colour: css(sideColour(side, id)),
      }));
    case 'segment':
      return answer.results.map(({ label, class_id: id, share, score }) => ({
        text: label,
        value: percent(share),
        note: `of the picture, ${percent(score)} sure`,
        ...(isBackground(label) ? {} : { colour: css(classColour(id)) }),
      }));
    case 'embed':
      return answer.results.map((embedding) => embeddingLine(embedding, answer));
    case 'box3d':
      return answer.results.map(({ label, score, box, pose }) => ({
        text: label,
        value: percent(score),
        note: pose ? `${where(box)}, ${pose.size.map((side) => side.toFixed(2)).join(' × ')} in size` : where(box),
        colour: css(classColour(0)),
      }));
    case 'features':
      return featureLines(answer.results.length);
  }
}

const kMostSpoken = 5;

/** Equal labels are told once, with how many there are: "dog, 2 times". */
export function sentenceOf(answer: Answer): string {
  const lines = linesOf(answer);
  if (lines.length === 0) return 'Nothing found.';
  if (answer.task === 'classify') {
    return `Most likely ${lines.slice(0, 3).map(({ text, value }) => `${text}, ${value}`).join('; ')}.`;
  }
  const times = new Map<string, number>();
  for (const { text } of lines) times.set(text, (times.get(text) ?? 0) + 1);
  const parts = [...times].map(([text, number]) => (number === 1 ? text : `${text}, ${number} times`));
  const more = parts.length - kMostSpoken;
  return `Found ${parts.slice(0, kMostSpoken).join('; ')}${more > 0 ? `; and ${count(more, 'other kind')}` : ''}.`;
}
