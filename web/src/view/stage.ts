// SPDX-License-Identifier: Apache-2.0
//
// The picture and, on a canvas of its own above it, what was recognised. Both are drawn at the resolution of the
// screen and again whenever their size changes.

import type { Answer } from '../answer';
import { drawAnswer, type Drawing } from '../draw/draw_answer';
import { element } from './elements';

export interface Picture {
  image: CanvasImageSource;
  width: number;
  height: number;
}

export class Stage {
  private readonly root = element('stage', HTMLDivElement);
  private readonly figure = element('figure', HTMLDivElement);
  private readonly pictureCanvas = element('picture', HTMLCanvasElement);
  private readonly overlayCanvas = element('overlay', HTMLCanvasElement);
  private picture: Picture | undefined;
  private drawing: Drawing | undefined;

  constructor() {
    new ResizeObserver(() => {
      this.fit(this.pictureCanvas);
      this.paintPicture();
      this.paintOverlay();
    }).observe(this.figure);
  }

  /** Shows `picture` without anything over it. It must stay usable until the next one is shown. */
  showPicture(picture: Picture, description: string): void {
    this.picture = picture;
    this.drawing = undefined;
    this.root.classList.add('has-picture');
    this.figure.hidden = false;
    this.figure.style.setProperty('--ratio', String(picture.width / picture.height));
    this.pictureCanvas.setAttribute('aria-label', description);
    this.paintPicture();
    this.paintOverlay();
  }

  /** Draws over the picture that is shown; undefined leaves it bare. */
  showDrawing(drawing: Drawing | undefined): void {
    this.drawing = drawing;
    this.paintOverlay();
  }

  /** No picture: the invitation to bring one. */
  clear(): void {
    this.picture = undefined;
    this.drawing = undefined;
    this.root.classList.remove('has-picture');
    this.figure.hidden = true;
  }

  set busy(busy: boolean) {
    this.root.classList.toggle('busy', busy);
    this.figure.setAttribute('aria-busy', String(busy));
  }

  set dropTarget(over: boolean) {
    this.root.classList.toggle('drop-target', over);
  }

  /** The figure's size in CSS pixels, and the canvas made to match the screen's own pixels. */
  private fit(canvas: HTMLCanvasElement): { width: number; height: number; density: number } {
    const { width, height } = this.figure.getBoundingClientRect();
    const density = window.devicePixelRatio;
    const [columns, rows] = [Math.max(1, Math.round(width * density)), Math.max(1, Math.round(height * density))];
    if (canvas.width !== columns || canvas.height !== rows) {
      canvas.width = columns;
      canvas.height = rows;
    }
    return { width, height, density };
  }

  private paintPicture(): void {
    if (this.picture === undefined) return;
    this.fit(this.pictureCanvas);
    const context = this.pictureCanvas.getContext('2d');
    if (context === null) return;
    const { width, height } = this.pictureCanvas;
    context.imageSmoothingQuality = 'high';
    context.clearRect(0, 0, width, height);
    context.drawImage(this.picture.image, 0, 0, width, height);
  }

  private paintOverlay(): void {
    const { width, height, density } = this.fit(this.overlayCanvas);
    const context = this.overlayCanvas.getContext('2d');
    if (context === null) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.overlayCanvas.width, this.overlayCanvas.height);
    if (this.drawing === undefined) return;
    const { answer }: { answer: Answer } = this.drawing;
    context.setTransform(density, 0, 0, density, 0, 0);
    drawAnswer(context, { width, height, scale: width / answer.width }, this.drawing);
  }
}
