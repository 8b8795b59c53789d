// SPDX-License-Identifier: Apache-2.0
//
// Where the time went: a row a stage with a bar, the server's total, the round trip, and frames a second.

import type { Latency } from '../rates';
import { element, setText } from './elements';

const kRows = ['decode', 'preprocess', 'infer', 'postprocess', 'total', 'roundTrip'] as const;

export class LatencyTable {
  private readonly section = element('latency', HTMLElement);
  private readonly caption = element('latency-caption', HTMLTableCaptionElement);
  private readonly rate = element('rate', HTMLParagraphElement);
  private readonly rows = kRows.map((name) => ({
    name,
    value: element(`latency-${name}`, HTMLTableCellElement),
    bar: element(`bar-${name}`, HTMLElement),
  }));

  /** `perSecond`: of a camera; then the times are medians. */
  show(latency: Latency, camera?: { perSecond: number | undefined }): void {
    this.section.hidden = false;
    setText(this.caption, camera ? 'Milliseconds, median of the last frames' : 'Milliseconds');
    for (const { name, value, bar } of this.rows) {
      setText(value, latency[name].toFixed(1));
      const share = latency.roundTrip > 0 ? latency[name] / latency.roundTrip : 0;
      bar.style.width = `${(100 * Math.min(1, share)).toFixed(1)}%`;
    }
    this.rate.hidden = camera === undefined;
    const perSecond = camera?.perSecond;
    setText(this.rate, perSecond === undefined ? '– frames/s' : `${perSecond.toFixed(1)} frames/s`);
  }

  clear(): void {
    this.section.hidden = true;
  }
}
