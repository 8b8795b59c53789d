// SPDX-License-Identifier: Apache-2.0
//
// The picture with its answer in all its forms: drawn, listed, timed. The score slider filters what is shown here; the
// server is not asked again for it.

import type { Drawing } from '../draw/draw_answer';
import { visiblePart } from '../visible';
import { element, setText } from './elements';
import { LatencyTable } from './latency_table';
import { ResultsList } from './results_list';
import { Stage } from './stage';

export class Exhibit {
  readonly stage = new Stage();
  readonly latency = new LatencyTable();
  readonly list = new ResultsList();
  private readonly slider = element('least-score', HTMLInputElement);
  private readonly sliderText = element('least-score-text', HTMLOutputElement);
  private drawing: Omit<Drawing, 'leastScore'> | undefined;

  constructor() {
    this.slider.addEventListener('input', () => {
      setText(this.sliderText, this.leastScore.toFixed(2));
      this.present();
    });
  }

  /** `nowMs`: of a camera's frame. */
  show(drawing: Omit<Drawing, 'leastScore'>, nowMs?: number): void {
    this.drawing = drawing;
    this.present(nowMs);
  }

  /** The picture without its answer, and a text that says why. */
  clear(text: string): void {
    this.drawing = undefined;
    this.stage.showDrawing(undefined);
    this.list.clear(text);
    this.latency.clear();
  }

  private get leastScore(): number {
    return this.slider.valueAsNumber;
  }

  private present(nowMs?: number): void {
    if (this.drawing === undefined) return;
    const { answer } = this.drawing;
    const visible = visiblePart(answer, this.leastScore);
    this.stage.showDrawing({ ...this.drawing, leastScore: this.leastScore });
    this.list.show(visible, answer.results.length - visible.results.length, nowMs);
  }
}
