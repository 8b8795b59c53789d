// SPDX-License-Identifier: Apache-2.0
//
// What was found, as text beside the picture. The list changes with every answer; spoken is one sentence, when it says
// something new, and from a camera at most every few seconds.

import type { Answer } from '../answer';
import { count, linesOf, sentenceOf, type Line } from '../words';
import { element, setText, textElement } from './elements';

const kMostLines = 100;
const kSpeakEveryMs = 4_000;

function itemOf({ text, value, note, colour }: Line): HTMLLIElement {
  const item = document.createElement('li');
  const swatch = textElement('span', '', 'swatch');
  swatch.setAttribute('aria-hidden', 'true');
  if (colour === undefined) swatch.classList.add('plain');
  else swatch.style.backgroundColor = colour;
  item.append(swatch, textElement('span', text, 'label'), ' ', textElement('span', value, 'value'));
  if (note !== '') item.append(' ', textElement('span', note, 'note'));
  return item;
}

export class ResultsList {
  private readonly list = element('results-list', HTMLUListElement);
  private readonly empty = element('results-empty', HTMLParagraphElement);
  private readonly spoken = element('spoken', HTMLParagraphElement);
  private spokenAtMs = -Infinity;

  /** `nowMs`: of a camera's frame, to speak seldom; undefined for photos, to speak at once. */
  show(answer: Answer, hidden: number, nowMs?: number): void {
    const lines = linesOf(answer);
    const items = lines.slice(0, kMostLines).map(itemOf);
    if (lines.length > kMostLines) {
      items.push(itemOf({ text: `and ${lines.length - kMostLines} more`, value: '', note: '' }));
    }
    this.list.replaceChildren(...items);
    const filtered = hidden > 0 ? `${count(hidden, 'result')} below the least score.` : '';
    setText(this.empty, lines.length === 0 ? `Nothing found. ${filtered}`.trim() : filtered);
    if (nowMs === undefined || nowMs - this.spokenAtMs >= kSpeakEveryMs) {
      setText(this.spoken, sentenceOf(answer));
      this.spokenAtMs = nowMs ?? -Infinity;
    }
  }

  clear(text: string): void {
    this.list.replaceChildren();
    setText(this.empty, text);
    setText(this.spoken, '');
    this.spokenAtMs = -Infinity;
  }
}
