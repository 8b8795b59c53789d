// SPDX-License-Identifier: Apache-2.0
//
// From the mask of an answer to coloured, half transparent pixels.

import type { AnswerOf, Mask } from '../answer';
import { JsonError } from '../json';
import { classColour, type Rgb } from './palette';

/** A mask's pixels: class numbers, or probabilities in 255ths. */
export interface Greys {
  width: number;
  height: number;
  values: Uint8Array;
}

const kOpacity = 150; // of 255
const kBackground = /^(_*background_*|unlabell?ed|void)$/i;

/** Whether a class means "nothing of interest here": listed, but not painted over. */
export function isBackground(label: string): boolean {
  return kBackground.test(label);
}

/** RGBA, 4 bytes a pixel. Only classes among the answer's results are painted. */
export function paintMask(
  answer: AnswerOf<'segment'>,
  greys: Greys,
  leastProbability: number,
): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(4 * greys.values.length);
  const painted = answer.results.filter(({ label }) => !isBackground(label));
  const put = (index: number, colour: Rgb, alpha: number) => {
    pixels.set([...colour, alpha], 4 * index);
  };
  if (answer.mask.kind === 'class_ids') {
    const colours = new Map(painted.map(({ class_id: id }) => [id, classColour(id)]));
    greys.values.forEach((id, index) => {
      const colour = colours.get(id);
      if (colour) put(index, colour, kOpacity);
    });
    return pixels;
  }
  const [shown] = painted;
  if (shown === undefined) return pixels;
  const colour = classColour(shown.class_id);
  greys.values.forEach((value, index) => {
    if (value / 255 >= leastProbability) put(index, colour, Math.round((value / 255) * kOpacity));
  });
  return pixels;
}

/** Reads the mask's PNG. Throws a JsonError where it is none or of another size than it says. */
export async function decodeMask(mask: Mask): Promise<Greys> {
  let bitmap: ImageBitmap;
  try {
    const bytes = Uint8Array.from(atob(mask.data), (letter) => letter.charCodeAt(0));
    bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }), {
      colorSpaceConversion: 'none',
      premultiplyAlpha: 'none',
    });
  } catch {
    throw new JsonError('answer.mask.data is no PNG in base64');
  }
  const { width, height } = bitmap;
  if (width !== mask.width || height !== mask.height) {
    bitmap.close();
    throw new JsonError(`answer.mask.data has ${width} by ${height} pixels, not ${mask.width} by ${mask.height}`);
  }
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new JsonError('this browser gives no canvas to read the mask with');
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const { data } = context.getImageData(0, 0, width, height);
  return { width, height, values: Uint8Array.from({ length: width * height }, (_, index) => data[4 * index] ?? 0) };
}

/** `pixels` as something that can be drawn. */
export function asImage(pixels: Uint8ClampedArray<ArrayBuffer>, width: number, height: number): OffscreenCanvas {
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
  return canvas;
}
