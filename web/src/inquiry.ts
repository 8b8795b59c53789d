// SPDX-License-Identifier: Apache-2.0
//
// From a picture to what is drawn over it: the answer, with the mask decoded and the skeleton's lines at hand.

import type { Client, Edges, PredictOptions, Reply } from './client';
import { decodeMask } from './draw/mask';
import type { Drawing } from './draw/draw_answer';
import { JsonError } from './json';
import { Problem } from './problem';

export class Inquiry {
  private readonly client: Client;
  private readonly chosenModel: () => string | undefined;
  private edges = new Map<string, Edges>();

  constructor(client: Client, chosenModel: () => string | undefined) {
    this.client = client;
    this.chosenModel = chosenModel;
  }

  /** Models may have changed: what is known of them is asked again. */
  forget(): void {
    this.edges.clear();
  }

  async ask(picture: Blob, options: PredictOptions): Promise<Reply> {
    const model = this.chosenModel();
    // Models are known as soon as the server has been seen once.
    if (model === undefined) throw new Problem('server-gone');
    return this.client.predict(model, picture, options);
  }

  async drawingOf({ answer }: Reply): Promise<Omit<Drawing, 'leastScore'>> {
    const edges = answer.task === 'landmarks' ? await this.edgesOf(answer.model) : [];
    if (answer.task !== 'segment') return { answer, edges };
    try {
      return { answer, edges, greys: await decodeMask(answer.mask) };
    } catch (error) {
      if (error instanceof JsonError) throw new Problem('strange-answer', error.message);
      throw error;
    }
  }

  private async edgesOf(model: string): Promise<Edges> {
    const known = this.edges.get(model);
    if (known) return known;
    try {
      const edges = await this.client.edges(model);
      this.edges.set(model, edges);
      return edges;
    } catch {
      return []; // The points tell enough; the next answer asks again.
    }
  }
}
