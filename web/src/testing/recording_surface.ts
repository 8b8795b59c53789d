// SPDX-License-Identifier: Apache-2.0
//
// Stands for a canvas in unit tests and keeps what was drawn, in order.

import type { Surface } from '../draw/pen';

export interface Stroke { kind: 'stroke'; points: [number, number][]; style: string; width: number }
export interface Disc { kind: 'disc'; x: number; y: number; radius: number; style: string }
export interface Filled { kind: 'rect'; left: number; top: number; width: number; height: number; style: string }
export interface Text { kind: 'text'; text: string; x: number; y: number; style: string }
export interface Drawn { kind: 'image'; width: number; height: number }
export type Mark = Stroke | Disc | Filled | Text | Drawn;

const kLetterWidth = 7;

export class RecordingSurface implements Surface {
  readonly marks: Mark[] = [];
  fillStyle = '';
  strokeStyle = '';
  font = '';
  imageSmoothingEnabled = true;
  lineCap: CanvasLineCap = 'butt';
  lineJoin: CanvasLineJoin = 'miter';
  lineWidth = 1;
  textBaseline: CanvasTextBaseline = 'alphabetic';
  private points: [number, number][] = [];
  private disc: { x: number; y: number; radius: number } | undefined;

  of<K extends Mark['kind']>(kind: K): Extract<Mark, { kind: K }>[] {
    return this.marks.filter((mark): mark is Extract<Mark, { kind: K }> => mark.kind === kind);
  }

  beginPath(): void {
    this.points = [];
    this.disc = undefined;
  }

  moveTo(x: number, y: number): void {
    this.points.push([x, y]);
  }

  lineTo(x: number, y: number): void {
    this.points.push([x, y]);
  }

  arc(x: number, y: number, radius: number): void {
    this.disc = { x, y, radius };
  }

  stroke(): void {
    this.marks.push({ kind: 'stroke', points: this.points, style: this.strokeStyle, width: this.lineWidth });
  }

  fill(): void {
    if (this.disc) this.marks.push({ kind: 'disc', ...this.disc, style: this.fillStyle });
  }

  fillRect(left: number, top: number, width: number, height: number): void {
    this.marks.push({ kind: 'rect', left, top, width, height, style: this.fillStyle });
  }

  fillText(text: string, x: number, y: number): void {
    this.marks.push({ kind: 'text', text, x, y, style: this.fillStyle });
  }

  measureText(text: string): TextMetrics {
    return { width: kLetterWidth * text.length } as TextMetrics;
  }

  drawImage(...[, , , width = 0, height = 0]: unknown[]): void {
    this.marks.push({ kind: 'image', width: Number(width), height: Number(height) });
  }
}
