// SPDX-License-Identifier: Apache-2.0
//
// What the server answers for one picture (docs/http-api.md), in its own field names. Positions are in pixels of the
// upright picture, x to the right and y down.

import { Fields, JsonError, listOf, numbers, oneOf, readNumber, readString, type Reader } from './json';

/** x_min, y_min, x_max, y_max; may reach past the picture's edge. */
export type Box = readonly [number, number, number, number];

export interface Point {
  x: number;
  y: number;
  z?: number;
  score?: number;
  name?: string;
}

export interface Detection {
  label: string;
  class_id: number;
  score: number;
  box: Box;
  points?: Point[];
}

export interface ClassScore {
  label: string;
  class_id: number;
  score: number;
}

export interface LandmarkSet {
  label: string;
  class_id: number;
  score: number;
  box: Box;
  points: Point[];
  side?: 'left' | 'right';
  side_score?: number;
  world_points?: number[][];
}

/** `share` is the class's part of the picture's area. */
export interface Segment {
  label: string;
  class_id: number;
  share: number;
  score: number;
}

/** Covers the whole picture: a class a pixel, or in 255ths the probability of the one class. */
export interface Mask {
  width: number;
  height: number;
  kind: 'class_ids' | 'probability';
  encoding: 'png';
  data: string;
}

export interface Embedding {
  embedding: number[];
  box?: Box;
  label?: string;
  score?: number;
}

export interface Pose {
  rotation: number[][];
  translation: number[];
  size: number[];
}

/** The centre, then the corners (-,-,-) (-,-,+) (-,+,-) ... (+,+,+). */
export interface SolidBox {
  label: string;
  score: number;
  box: Box;
  points: Point[];
  pose?: Pose;
}

export interface Feature {
  x: number;
  y: number;
  score: number;
}

export interface StageTimes {
  decode: number;
  preprocess: number;
  infer: number;
  postprocess: number;
  total: number;
}

interface Head {
  source: string;
  width: number;
  height: number;
  model: string;
  timing_ms: StageTimes;
}

export type Answer = Head &
  (
    | { task: 'detect'; results: Detection[] }
    | { task: 'classify'; results: ClassScore[] }
    | { task: 'landmarks'; results: LandmarkSet[] }
    | { task: 'segment'; results: Segment[]; mask: Mask }
    | { task: 'embed'; results: Embedding[] }
    | { task: 'box3d'; results: SolidBox[] }
    | { task: 'features'; results: Feature[] }
  );

export type Task = Answer['task'];
export type AnswerOf<T extends Task> = Extract<Answer, { task: T }>;

const readBox: Reader<Box> = (value, path) => {
  const [xMin = 0, yMin = 0, xMax = 0, yMax = 0] = numbers(4)(value, path);
  return [xMin, yMin, xMax, yMax];
};

const readPoint: Reader<Point> = (value, path) => {
  const fields = new Fields(value, path);
  return {
    x: fields.get('x', readNumber),
    y: fields.get('y', readNumber),
    ...fields.optional('z', readNumber),
    ...fields.optional('score', readNumber),
    ...fields.optional('name', readString),
  };
};

const readClassScore: Reader<ClassScore> = (value, path) => {
  const fields = new Fields(value, path);
  return {
    label: fields.get('label', readString),
    class_id: fields.get('class_id', readNumber),
    score: fields.get('score', readNumber),
  };
};

const readDetection: Reader<Detection> = (value, path) => {
  const fields = new Fields(value, path);
  return {
    ...readClassScore(value, path),
    box: fields.get('box', readBox),
    ...fields.optional('points', listOf(readPoint)),
  };
};

const readLandmarkSet: Reader<LandmarkSet> = (value, path) => {
  const fields = new Fields(value, path);
  return {
    ...readClassScore(value, path),
    box: fields.get('box', readBox),
    points: fields.get('points', listOf(readPoint)),
    ...fields.optional('side', oneOf('left', 'right')),
    ...fields.optional('side_score', readNumber),
    ...fields.optional('world_points', listOf(numbers(3))),
  };
};

const readSegment: Reader<Segment> = (value, path) => ({
  ...readClassScore(value, path),
  share: new Fields(value, path).get('share', readNumber),
});

const readMask: Reader<Mask> = (value, path) => {
  const fields = new Fields(value, path);
  return {
    width: fields.get('width', readNumber),
    height: fields.get('height', readNumber),
    kind: fields.get('kind', oneOf('class_ids', 'probability')),
    encoding: fields.get('encoding', oneOf('png')),
    data: fields.get('data', readString),
  };
};

const readEmbedding: Reader<Embedding> = (value, path) => {
  const fields = new Fields(value, path);
  return {
    embedding: fields.get('embedding', listOf(readNumber)),
    ...fields.optional('box', readBox),
    ...fields.optional('label', readString),
    ...fields.optional('score', readNumber),
  };
};

const readPose: Reader<Pose> = (value, path) => {
  const fields = new Fields(value, path);
  return {
    rotation: fields.get('rotation', listOf(numbers(3))),
    translation: fields.get('translation', numbers(3)),
    size: fields.get('size', numbers(3)),
  };
};

const kSolidPoints = 9;

const readSolidBox: Reader<SolidBox> = (value, path) => {
  const fields = new Fields(value, path);
  const points = fields.get('points', listOf(readPoint));
  if (points.length !== kSolidPoints) {
    throw new JsonError(`${path}.points has ${points.length} points, not ${kSolidPoints}`);
  }
  return {
    label: fields.get('label', readString),
    score: fields.get('score', readNumber),
    box: fields.get('box', readBox),
    points,
    ...fields.optional('pose', readPose),
  };
};

const readFeature: Reader<Feature> = (value, path) => {
  const fields = new Fields(value, path);
  return { x: fields.get('x', readNumber), y: fields.get('y', readNumber), score: fields.get('score', readNumber) };
};

const readTimes: Reader<StageTimes> = (value, path) => {
  const fields = new Fields(value, path);
  return {
    decode: fields.get('decode', readNumber),
    preprocess: fields.get('preprocess', readNumber),
    infer: fields.get('infer', readNumber),
    postprocess: fields.get('postprocess', readNumber),
    total: fields.get('total', readNumber),
  };
};

const readSize: Reader<number> = (value, path) => {
  const size = readNumber(value, path);
  if (!Number.isInteger(size) || size < 1) throw new JsonError(`${path} is ${size}, not a size in pixels`);
  return size;
};

/** Throws a JsonError where `value` is no answer, or of a task that this page cannot draw. */
export function readAnswer(value: unknown): Answer {
  const fields = new Fields(value, 'answer');
  const head: Head = {
    source: fields.get('source', readString),
    width: fields.get('width', readSize),
    height: fields.get('height', readSize),
    model: fields.get('model', readString),
    timing_ms: fields.get('timing_ms', readTimes),
  };
  const results = <T>(reader: Reader<T>) => fields.get('results', listOf(reader));
  const task = fields.get('task', readString);
  switch (task) {
    case 'detect':
      return { ...head, task, results: results(readDetection) };
    case 'classify':
      return { ...head, task, results: results(readClassScore) };
    case 'landmarks':
      return { ...head, task, results: results(readLandmarkSet) };
    case 'segment':
      return { ...head, task, results: results(readSegment), mask: fields.get('mask', readMask) };
    case 'embed':
      return { ...head, task, results: results(readEmbedding) };
    case 'box3d':
      return { ...head, task, results: results(readSolidBox) };
    case 'features':
      return { ...head, task, results: results(readFeature) };
    default:
      throw new JsonError(`answer.task is ${task}, which this page cannot draw`);
  }
}
