// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Client } from './client';
import { Problem } from './problem';
import { kDetect } from './testing/samples';

type Answerer = (path: string, init: RequestInit) => Response | Promise<Response>;

const json = (value: unknown, init?: ResponseInit) => new Response(JSON.stringify(value), init);
const lost = () => Promise.reject(new TypeError('Failed to fetch'));

/** Never answers; gives up as fetch does. */
const silent: Answerer = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });

function clientOf(answerer: Answerer): Client {
  let nowMs = 0;
  return new Client({
    fetch: async (path, init) => answerer(path as string, init ?? {}),
    now: () => (nowMs += 25),
  });
}

const ask = (client: Client, signal = new AbortController().signal) => client.predict('m', new Blob(['x']), { signal });

async function kindOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof Problem ? error.kind : String(error);
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('Client.predict', () => {
  it('sends the picture as it is and times the round trip', async () => {
    const picture = new Blob(['photo']);
    const asked = vi.fn<Answerer>(() => json(kDetect));
    const { signal } = new AbortController();
    const reply = await clientOf(asked).predict('a model', picture, { signal, timeoutMs: 2000 });
    expect(reply).toEqual({ answer: kDetect, roundTripMs: 25 });
    const [path, init] = asked.mock.calls[0]!;
    expect(path).toBe('v1/predict/a%20model');
    expect(init.method).toBe('POST');
    expect(init.body).toBe(picture);
    expect(init.headers).toEqual({ Accept: 'application/json', 'Waystone-Timeout-Ms': '2000' });
  });

  it('tells refusals as problems', async () => {
    const client = clientOf(() => json({ error: 'full', reason: 'queue_full' }, { status: 429, headers: { 'Retry-After': '3' } }));
    await expect(ask(client)).rejects.toMatchObject({ kind: 'queue-full', detail: 'full', retryAfterMs: 3000 });
  });

  it('tells a server that is gone from one that breaks the connection off', async () => {
    expect(await kindOf(ask(clientOf(lost)))).toBe('server-gone');
    const alive = clientOf((path) => (path === 'healthz' ? json({}) : lost()));
    expect(await kindOf(ask(alive))).toBe('cut-off');
  });

  it.each([['no JSON'], ['{"task":"detect"}'], ['']])('does not understand %j', async (text) => {
    expect(await kindOf(ask(clientOf(() => new Response(text))))).toBe('strange-answer');
  });

  it('gives up on a server that stays silent', async () => {
    const kind = kindOf(ask(clientOf(silent)));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await kind).toBe('no-answer');
  });

  it('passes the abort of its caller on, before and while it waits', async () => {
    const stop = new AbortController();
    const kind = kindOf(ask(clientOf(silent), stop.signal));
    stop.abort(new Error('enough'));
    expect(await kind).toBe('Error: enough');
    expect(await kindOf(ask(clientOf(silent), stop.signal))).toBe('Error: enough');
  });
});

describe('Client.models', () => {
  const entry = { name: 'm', task: 'detect', engine: 'openvino', precision: 'f32', default: true };

  it('lists what is served', async () => {
    expect(await clientOf(() => json({ models: [entry] })).models()).toEqual([entry]);
  });

  it('does not understand a list that is none', async () => {
    expect(await kindOf(clientOf(() => json({ models: [{}] })).models())).toBe('strange-answer');
  });
});

describe('Client.edges', () => {
  it('are those of the model, or none where it has none', async () => {
    const edges = [[0, 1], [1, 2]];
    expect(await clientOf(() => json({ edges })).edges('hand')).toEqual(edges);
    expect(await clientOf(() => json({ name: 'm' })).edges('m')).toEqual([]);
  });
});

describe('Client.isAlive', () => {
  it('is true for a good answer only', async () => {
    expect(await clientOf(() => json({})).isAlive()).toBe(true);
    expect(await clientOf(() => json({}, { status: 502 })).isAlive()).toBe(false);
    expect(await clientOf(lost).isAlive()).toBe(false);
  });

  it('is false where there is no answer in time', async () => {
    const alive = clientOf(silent).isAlive();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await alive).toBe(false);
  });
});
