// SPDX-License-Identifier: Apache-2.0
//
// Draws in the units of the screen what is given in pixels of the picture, so lines and letters have one size however
// large the picture is. Every line has a dark casing that keeps it apart from any background, and nothing leaves the
// picture's area.

import type { Box, Point } from '../answer';
import { css, kWhite, textColourOn, type Rgb } from './palette';

/** What of a canvas is used: a test stands in for these. */
export type Surface = Pick<
  CanvasRenderingContext2D,
  | 'arc'
  | 'beginPath'
  | 'drawImage'
  | 'fill'
  | 'fillRect'
  | 'fillStyle'
  | 'fillText'
  | 'font'
  | 'imageSmoothingEnabled'
  | 'lineCap'
  | 'lineJoin'
  | 'lineTo'
  | 'lineWidth'
  | 'measureText'
  | 'moveTo'
  | 'stroke'
  | 'strokeStyle'
  | 'textBaseline'
>;

/** The area that shows the picture, in CSS pixels, and how many of these a pixel of the picture takes. */
export interface View {
  width: number;
  height: number;
  scale: number;
}

export interface Rect {
  left: number;
  top: number;
  width: number;
  height: number;
}

type Position = Pick<Point, 'x' | 'y'>;

const kCasing = 'rgb(0 0 0 / 0.55)';
const kPlate = 'rgb(0 0 0 / 0.65)';
const kFontSize = 13;
const kPadding = 4;
const kLabelHeight = kFontSize + 2 * kPadding;
const kCasingWidth = 1;

function overlaps(a: Rect, b: Rect): boolean {
  return (
    a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height
  );
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

export class Pen {
  readonly view: View;
  readonly surface: Surface;
  private labels: Rect[] = [];

  constructor(surface: Surface, view: View) {
    this.surface = surface;
    this.view = view;
    surface.font = `600 ${kFontSize}px system-ui, sans-serif`;
    surface.textBaseline = 'middle';
    surface.lineJoin = 'round';
    surface.lineCap = 'round';
  }

  /** The part of a box that shows, on the screen; undefined where it shows nowhere. */
  visibleRect([xMin, yMin, xMax, yMax]: Box): Rect | undefined {
    const { width, height, scale } = this.view;
    if (!(xMin <= xMax && yMin <= yMax)) return undefined;
    if (xMax * scale <= 0 || yMax * scale <= 0 || xMin * scale >= width || yMin * scale >= height) return undefined;
    const left = clamp(xMin * scale, 0, width);
    const top = clamp(yMin * scale, 0, height);
    return { left, top, width: clamp(xMax * scale, 0, width) - left, height: clamp(yMax * scale, 0, height) - top };
  }

  box(box: Box, colour: Rgb, lineWidth = 2): void {
    const rect = this.visibleRect(box);
    if (rect === undefined) return;
    // The whole line stays inside, also where the box ends at the picture's edge.
    const inset = lineWidth / 2 + kCasingWidth;
    const right = Math.max(rect.left + inset, rect.left + rect.width - inset);
    const bottom = Math.max(rect.top + inset, rect.top + rect.height - inset);
    const [left, top] = [rect.left + inset, rect.top + inset];
    this.path([
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
      [left, top],
    ]);
    this.strokeCased(colour, lineWidth);
  }

  line(from: Position, to: Position, colour: Rgb, lineWidth = 2): void {
    const { scale } = this.view;
    this.path([
      [from.x * scale, from.y * scale],
      [to.x * scale, to.y * scale],
    ]);
    this.strokeCased(colour, lineWidth);
  }

  dot(at: Position, colour: Rgb, radius: number, alpha = 1): void {
    const { surface, view } = this;
    const [x, y] = [at.x * view.scale, at.y * view.scale];
    if (radius >= 2) {
      surface.fillStyle = kCasing;
      this.disc(x, y, radius + kCasingWidth);
    }
    surface.fillStyle = css(colour, alpha);
    this.disc(x, y, radius);
  }

  /** Letters at a point, in the colour, with the casing around them. */
  letter(text: string, at: Position, colour: Rgb): void {
    const { surface, view } = this;
    const [x, y] = [at.x * view.scale, at.y * view.scale];
    surface.fillStyle = kPlate;
    const width = surface.measureText(text).width;
    surface.fillRect(x + kPadding, y - kLabelHeight / 2, width + 2 * kPadding, kLabelHeight);
    surface.fillStyle = css(colour);
    surface.fillText(text, x + 2 * kPadding, y);
  }

  /**
   * A plate with text at a box: above it, else inside, else below; left out where other labels leave no room, for
   * the list beside the picture has it too.
   */
  label(text: string, box: Box, colour: Rgb): void {
    const rect = this.visibleRect(box);
    if (rect === undefined) return;
    const { surface, view } = this;
    const width = Math.min(view.width, surface.measureText(text).width + 2 * kPadding);
    const left = clamp(rect.left, 0, view.width - width);
    const bottom = rect.top + rect.height;
    const tops = [rect.top - kLabelHeight, rect.top, bottom - kLabelHeight, bottom];
    for (const top of tops) {
      const place = { left, top, width, height: kLabelHeight };
      if (top < 0 || top + kLabelHeight > view.height) continue;
      if (this.labels.some((other) => overlaps(place, other))) continue;
      this.labels.push(place);
      surface.fillStyle = css(colour);
      surface.fillRect(left, top, width, kLabelHeight);
      surface.fillStyle = css(textColourOn(colour));
      surface.fillText(text, left + kPadding, top + kLabelHeight / 2);
      return;
    }
  }

  /** Rows of text with a bar each, in the top left corner. */
  panel(rows: readonly { text: string; share: number; colour: Rgb }[]): void {
    const { surface, view } = this;
    const margin = 8;
    const row = kLabelHeight + 6;
    const widest = Math.max(0, ...rows.map(({ text }) => surface.measureText(text).width));
    const width = Math.min(view.width - 2 * margin, Math.max(160, widest + 2 * margin));
    const shown = rows.slice(0, Math.max(1, Math.floor((view.height - 2 * margin) / row)));
    if (shown.length === 0) return;
    surface.fillStyle = kPlate;
    surface.fillRect(margin, margin, width, shown.length * row + kPadding);
    shown.forEach(({ text, share, colour }, index) => {
      const top = margin + index * row;
      surface.fillStyle = css(kWhite);
      surface.fillText(text, 2 * margin, top + kLabelHeight / 2 + 1);
      surface.fillStyle = css(colour);
      surface.fillRect(2 * margin, top + kLabelHeight, (width - 2 * margin) * clamp(share, 0, 1), 4);
    });
  }

  /** Numbers as bars above and below a middle line, along the bottom of an area of the screen. */
  strip(values: readonly number[], area: Rect, colour: Rgb): void {
    const { surface } = this;
    const height = Math.min(48, area.height);
    const middle = area.top + area.height - height / 2;
    surface.fillStyle = kPlate;
    surface.fillRect(area.left, middle - height / 2, area.width, height);
    const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    if (most === 0) return;
    surface.fillStyle = css(colour);
    const step = area.width / values.length;
    values.forEach((value, index) => {
      const length = (value / most) * (height / 2 - 2);
      const top = Math.min(middle, middle - length);
      surface.fillRect(area.left + index * step, top, Math.max(step - 0.25, 0.5), Math.abs(length));
    });
  }

  private path(positions: readonly (readonly [number, number])[]): void {
    this.surface.beginPath();
    positions.forEach(([x, y], index) => {
      if (index === 0) this.surface.moveTo(x, y);
      else this.surface.lineTo(x, y);
    });
  }

  private strokeCased(colour: Rgb, lineWidth: number): void {
    this.surface.strokeStyle = kCasing;
    this.surface.lineWidth = lineWidth + 2 * kCasingWidth;
    this.surface.stroke();
    this.surface.strokeStyle = css(colour);
    this.surface.lineWidth = lineWidth;
    this.surface.stroke();
  }

  private disc(x: number, y: number, radius: number): void {
    this.surface.beginPath();
    this.surface.arc(x, y, radius, 0, 2 * Math.PI);
    this.surface.fill();
  }
}
