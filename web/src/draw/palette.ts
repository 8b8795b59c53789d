// SPDX-License-Identifier: Apache-2.0
//
// The colours of src/vision/draw/palette.cc, so that a class looks here as it does on the server's own pictures: hues
// by the golden ratio at three lightnesses in OKLCH (B. Ottosson, 2020), where equal steps look equal.

/** sRGB, 0 to 255. */
export type Rgb = readonly [number, number, number];

const kLightness = [0.72, 0.64, 0.82] as const;
const kGolden = (Math.sqrt(5) - 1) / 2;

/** Linear sRGB; channels outside 0 to 1 are colours that a screen cannot show. */
function fromOklab(lightness: number, a: number, b: number): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
  ];
}

function encode(linear: number): number {
  const value = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055));
}

function decode(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

export function classColour(classId: number): Rgb {
  const index = Math.trunc(classId) >>> 0;
  const turns = 0.07 + index * kGolden;
  const angle = 2 * Math.PI * (turns - Math.floor(turns));
  const lightness = kLightness[index % kLightness.length] ?? kLightness[0];
  for (let chroma = 0.2; ; chroma -= 0.01) {
    const linear = fromOklab(lightness, chroma * Math.cos(angle), chroma * Math.sin(angle));
    if (chroma <= 0 || linear.every((channel) => channel >= 0 && channel <= 1)) {
      return [encode(linear[0]), encode(linear[1]), encode(linear[2])];
    }
  }
}

const kLeft: Rgb = [255, 179, 71];
const kRight: Rgb = [92, 200, 255];

/** Of what has no class. */
export const kFeature: Rgb = [120, 255, 170];
export const kEmbedding: Rgb = [120, 200, 255];

/** Left and right of a body differ more to the eye than their classes do; what has no side has its class's colour. */
export function sideColour(side: 'left' | 'right' | undefined, classId: number): Rgb {
  if (side === undefined) return classColour(classId);
  return side === 'left' ? kLeft : kRight;
}

export function css([red, green, blue]: Rgb, alpha = 1): string {
  return alpha === 1 ? `rgb(${red} ${green} ${blue})` : `rgb(${red} ${green} ${blue} / ${alpha})`;
}

/** WCAG 2 relative luminance. */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * decode(red) + 0.7152 * decode(green) + 0.0722 * decode(blue);
}

/** WCAG 2 contrast ratio, 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [first, second] = [luminance(a) + 0.05, luminance(b) + 0.05];
  return Math.max(first, second) / Math.min(first, second);
}

export const kBlack: Rgb = [0, 0, 0];
export const kWhite: Rgb = [255, 255, 255];

/** Black or white, whichever is easier to read on `background`. */
export function textColourOn(background: Rgb): Rgb {
  return contrast(background, kBlack) >= contrast(background, kWhite) ? kBlack : kWhite;
}
