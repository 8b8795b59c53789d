// SPDX-License-Identifier: Apache-2.0

import type { ModelEntry } from '../client';
import { element, textElement } from './elements';

const kTaskWords: Record<string, string> = {
  detect: 'objects',
  classify: 'kinds of picture',
  landmarks: 'landmarks',
  segment: 'areas',
  embed: 'embeddings',
  box3d: 'boxes in space',
  features: 'points',
};

export class ModelPicker {
  private readonly select = element('model', HTMLSelectElement);

  constructor(onChoose: () => void) {
    this.select.addEventListener('change', onChoose);
  }

  /** The chosen model's name, or undefined while none is known. */
  get chosen(): string | undefined {
    return this.select.value === '' ? undefined : this.select.value;
  }

  /** Keeps the choice where that model is still there, else takes the server's default. */
  setModels(models: readonly ModelEntry[]): void {
    const before = this.chosen;
    const wanted =
      models.find(({ name }) => name === before) ?? models.find((model) => model.default) ?? models[0];
    this.select.replaceChildren(
      ...models.map(({ name, task }) => {
        const option = textElement('option', `${name} (${kTaskWords[task] ?? task})`);
        option.value = name;
        return option;
      }),
    );
    this.select.disabled = models.length === 0;
    this.select.value = wanted?.name ?? '';
  }
}
