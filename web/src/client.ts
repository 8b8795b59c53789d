// SPDX-License-Identifier: Apache-2.0
//
// The server's HTTP API as functions. What goes wrong is thrown as a Problem; a caller's own abort passes through as
// the AbortError that it is. Addresses are relative to the page, so a proxy may put both below a folder.

import { readAnswer, type Answer } from './answer';
import { Fields, JsonError, listOf, numbers, readBoolean, readString, type Reader } from './json';
import { Problem, problemOfResponse } from './problem';

export interface ModelEntry {
  name: string;
  task: string;
  engine: string;
  precision: string;
  default: boolean;
}

/** Pairs of points that a line joins. */
export type Edges = readonly (readonly number[])[];

export interface Reply {
  answer: Answer;
  /** From the first byte sent to the last one read. */
  roundTripMs: number;
}

export interface PredictOptions {
  signal: AbortSignal;
  /** The deadline to set the server; its own without. */
  timeoutMs?: number;
}

/** The parts of the browser that a test replaces. */
export interface ClientEnvironment {
  fetch: typeof fetch;
  now: () => number;
}

const kPredictPatienceMs = 60_000;
const kShortPatienceMs = 5_000;

const readModelEntry: Reader<ModelEntry> = (value, path) => {
  const fields = new Fields(value, path);
  return {
    name: fields.get('name', readString),
    task: fields.get('task', readString),
    engine: fields.get('engine', readString),
    precision: fields.get('precision', readString),
    default: fields.get('default', readBoolean),
  };
};

/** Runs `work` with a signal that follows `outer` and fires by itself after `ms`, then as the Problem 'no-answer'. */
async function withPatience<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const inner = new AbortController();
  const follow = () => {
    inner.abort(outer?.reason);
  };
  outer?.addEventListener('abort', follow);
  const timer = setTimeout(() => {
    inner.abort(new Problem('no-answer'));
  }, ms);
  try {
    return await work(inner.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', follow);
  }
}

export class Client {
  private readonly environment: ClientEnvironment;

  constructor(environment: ClientEnvironment) {
    this.environment = environment;
  }

  /** Whether the server lives, from a question that costs it next to nothing. */
  async isAlive(): Promise<boolean> {
    try {
      return await withPatience(kShortPatienceMs, undefined, async (signal) => {
        const response = await this.environment.fetch('healthz', { signal, cache: 'no-store' });
        return response.ok;
      });
    } catch {
      return false;
    }
  }

  async models(): Promise<ModelEntry[]> {
    const body = await this.getJson('v1/models');
    return read(body, (value) => new Fields(value, 'answer').get('models', listOf(readModelEntry)));
  }

  /** The lines of the model's skeleton; none for models without one. */
  async edges(model: string): Promise<Edges> {
    const body = await this.getJson(`v1/models/${encodeURIComponent(model)}`);
    return read(body, (value) => new Fields(value, 'answer').optional('edges', listOf(numbers(2))).edges ?? []);
  }

  async predict(model: string, picture: Blob, options: PredictOptions): Promise<Reply> {
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (options.timeoutMs !== undefined) headers['Waystone-Timeout-Ms'] = String(options.timeoutMs);
    return withPatience(kPredictPatienceMs, options.signal, async (signal) => {
      const begin = this.environment.now();
      const path = `v1/predict/${encodeURIComponent(model)}`;
      let body: unknown;
      try {
        body = await this.json(path, { method: 'POST', body: picture, headers, signal });
      } catch (error) {
        // A server that refuses a large body early may close before the browser has read why.
        if (error instanceof Problem && error.kind === 'server-gone' && (await this.isAlive())) {
          throw new Problem('cut-off', `The file has ${(picture.size / 2 ** 20).toFixed(1)} MiB.`);
        }
        throw error;
      }
      return { answer: read(body, readAnswer), roundTripMs: this.environment.now() - begin };
    });
  }

  private getJson(path: string): Promise<unknown> {
    return withPatience(kShortPatienceMs, undefined, (signal) => this.json(path, { signal, cache: 'no-store' }));
  }

  private async json(path: string, init: RequestInit & { signal: AbortSignal }): Promise<unknown> {
    let response: Response;
    let text: string;
    try {
      response = await this.environment.fetch(path, init);
      text = await response.text();
    } catch (error) {
      // fetch tells every failure of the network as a TypeError.
      init.signal.throwIfAborted();
      throw new Problem('server-gone', error instanceof Error ? error.message : '');
    }
    const body = parse(text);
    if (!response.ok) throw problemOfResponse(response.status, body, response.headers.get('Retry-After'));
    if (body === undefined) throw new Problem('strange-answer', 'It is not JSON.');
    return body;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function read<T>(body: unknown, reader: (value: unknown) => T): T {
  try {
    return reader(body);
  } catch (error) {
    if (error instanceof JsonError) throw new Problem('strange-answer', error.message);
    throw error;
  }
}
