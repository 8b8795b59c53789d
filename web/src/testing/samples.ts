// SPDX-License-Identifier: Apache-2.0
//
// An answer of each task as the server sends it, for a picture of 640 by 480: for tests only.

import type { Edges } from '../client';

const kHead = {
  source: 'body',
  width: 640,
  height: 480,
  model: 'sample',
  timing_ms: { decode: 1.9, preprocess: 0.4, infer: 14.2, postprocess: 0.2, total: 16.8 },
};

export const kDetect = {
  ...kHead,
  task: 'detect',
  results: [
    { label: 'dog', class_id: 17, score: 0.93, box: [40.5, 60, 300, 470] },
    { label: 'cat', class_id: 16, score: 0.81, box: [330, 90.25, 700, 500] }, // past the edge
    {
      label: 'face',
      class_id: 0,
      score: 0.42,
      box: [380, 120, 460, 220],
      points: [
        { x: 400, y: 150, name: 'right eye' },
        { x: 440, y: 150, name: 'left eye', score: 0.2 },
      ],
    },
  ],
};

export const kClassify = {
  ...kHead,
  task: 'classify',
  results: [
    { label: 'tabby', class_id: 281, score: 0.62 },
    { label: 'tiger cat', class_id: 282, score: 0.21 },
    { label: 'Egyptian cat', class_id: 285, score: 0.08 },
  ],
};

/** A hand: five fingers of four points from the wrist. */
const kHand = [
  { x: 200, y: 420 },
  ...[0, 1, 2, 3, 4].flatMap((finger) =>
    [1, 2, 3, 4].map((joint) => ({
      x: 200 + (finger - 2) * (14 + 12 * joint),
      y: 420 - joint * (finger === 0 ? 38 : 72),
      z: -0.01 * joint,
      score: 0.9,
    })),
  ),
];

export const kHandEdges: Edges = [0, 1, 2, 3, 4].flatMap((finger) =>
  [0, 1, 2, 3].map((joint) => [joint === 0 ? 0 : 4 * finger + joint, 4 * finger + joint + 1]),
);

export const kLandmarks = {
  ...kHead,
  task: 'landmarks',
  results: [
    {
      label: 'hand',
      class_id: 0,
      score: 0.97,
      box: [60, 110, 340, 440],
      points: kHand,
      side: 'left',
      side_score: 0.99,
      world_points: kHand.map(() => [0, 0, 0]),
    },
    {
      label: 'hand',
      class_id: 0,
      score: 0.88,
      box: [360, 110, 620, 440],
      points: kHand.map((point) => ({ ...point, x: point.x + 290 })),
      side: 'right',
    },
  ],
};

/** A grey PNG of 4 by 2 pixels: 0 1 2 2 over 0 1 1 2. */
export const kClassMask = {
  width: 4,
  height: 2,
  kind: 'class_ids',
  encoding: 'png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAAAAABawyK/AAAAEklEQVR42mNgYGRiYmBgZGQCAAAzAAogOsTnAAAAAElFTkSuQmCC',
} as const;

export const kClassValues = [0, 1, 2, 2, 0, 1, 1, 2];

export const kSegment = {
  ...kHead,
  task: 'segment',
  results: [
    { label: 'background', class_id: 0, share: 0.25, score: 0.9 },
    { label: 'cat', class_id: 1, share: 0.375, score: 0.8 },
    { label: 'sofa', class_id: 2, share: 0.375, score: 0.5 },
  ],
  mask: kClassMask,
};

export const kEmbed = {
  ...kHead,
  task: 'embed',
  results: [
    { embedding: Array.from({ length: 64 }, (_, i) => Math.sin(i)), box: [60, 40, 260, 460], label: 'person', score: 0.9 },
    { embedding: [0.5, -0.25, 0, 1] },
  ],
};

/** The corners of a cuboid seen from the upper left, in the order of the answer. */
const kCorners = [
  [200, 330], [240, 380], [200, 150], [240, 180], // x-
  [400, 320], [470, 370], [400, 150], [470, 180], // x+
] as const;

export const kBox3d = {
  ...kHead,
  task: 'box3d',
  results: [
    {
      label: 'chair',
      score: 0.77,
      box: [200, 150, 470, 380],
      points: [[325, 258], ...kCorners].map(([x, y]) => ({ x, y })),
      pose: {
        rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        translation: [0, 0, -2],
        size: [0.5, 0.9, 0.5],
      },
    },
  ],
};

export const kFeatures = {
  ...kHead,
  task: 'features',
  results: Array.from({ length: 300 }, (_, i) => ({
    x: 20 + ((i * 97) % 600),
    y: 20 + ((i * 61) % 440),
    score: 40 / (i + 1), // no fixed scale, best first
  })),
};

export const kSamples = [kDetect, kClassify, kLandmarks, kSegment, kEmbed, kBox3d, kFeatures];
