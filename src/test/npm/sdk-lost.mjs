/**
 * A program with one of the official SDKs' clients that calls the tool `add` of notes-server.mjs
 * every 200 ms, while a node is lost, and does nothing about failures.
 *
 *   node sdk-lost.mjs v1|v2-legacy URL FILE
 *
 * Creates FILE after the first call; ends 8 s after FILE.lost is there. Prints one JSON object:
 * the outcomes in order, each with its milliseconds since then, and the notifications of lists.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { open } from './sdk-open.mjs';

const [kind, url, file] = process.argv.slice(2);
const { client, transport, call } = await open(kind, url, [], {});
const outcomes = [];
const methods = [];
const errors = [];
let lost = 0;
client.fallbackNotificationHandler = async (told) => { methods.push(told.method); };
client.onerror = (error) => errors.push(String(error.message ?? error).slice(0, 200));

const once = async () => {
  const began = Date.now();
  const outcome = await call({ name: 'add', arguments: { note: 'n' } }, { timeout: 5000 })
    .then((result) => result.content[0].text, (error) => `failed: ${String(error.message ?? error).slice(0, 200)}`);
  outcomes.push({ at: lost ? began - lost : -1, took: Date.now() - began, outcome });
};

await client.connect(transport);
await once();
writeFileSync(file, '');
for (;;) {
  if (!lost && existsSync(`${file}.lost`)) {
    lost = Date.now();
  }
  if (lost && Date.now() - lost > 8000) {
    break;
  }
  await once();
  await new Promise((next) => setTimeout(next, 200));
}
console.log(JSON.stringify({ outcomes: outcomes.filter((one) => one.at >= 0 || one.took > 1000), before: outcomes[0].outcome, methods, errors }));
process.exit(0);
