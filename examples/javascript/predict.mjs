// SPDX-License-Identifier: Apache-2.0
//
// Asks a Waystone server what is in a photo. Node 18 or newer; in a browser, take `ask` and give it a File.
//
//   node predict.mjs PHOTO [--server URL] [--model NAME]
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

/** The answer for a picture (bytes, Blob or File). Throws an Error with the server's own words when it refuses. */
async function ask(server, model, picture) {
  const response = await fetch(`${server}/v1/predict/${encodeURIComponent(model)}`, {
    method: 'POST',
    body: picture,
    headers: { Accept: 'application/json', 'Waystone-Timeout-Ms': '5000' },
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status}: ${answer.error}`);
  return answer;
}

async function firstModel(server) {
  const { models } = await (await fetch(`${server}/v1/models`)).json();
  return models[0].name;
}

const { values, positionals } = parseArgs({
  options: { server: { type: 'string', default: 'http://127.0.0.1:8000' }, model: { type: 'string' } },
  allowPositionals: true,
});
if (positionals.length !== 1) {
  console.error('usage: node predict.mjs PHOTO [--server URL] [--model NAME]');
  process.exit(2);
}
try {
  const model = values.model ?? (await firstModel(values.server));
  const answer = await ask(values.server, model, await readFile(positionals[0]));
  for (const { label, score, box } of answer.results) {
    const place = box ? ` at ${box.map((side) => side.toFixed(0)).join(', ')}` : '';
    console.log(`${(score ?? 1).toFixed(3)} ${label ?? answer.task}${place}`);
  }
  console.log(`${answer.results.length} results in ${answer.timing_ms.total.toFixed(1)} ms`);
} catch (error) {
  console.error(error.cause ? `no answer from ${values.server}: ${error.cause.message}` : error.message);
  process.exit(1);
}
