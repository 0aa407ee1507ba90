/**
 * A program with one of the official SDKs' clients that calls the tool `add` of notes-server.mjs
 * every 200 ms, while a node is lost, and does nothing about failures. Before that it calls `ask`,
 * whose question it does not answer.
 *
 *   node sdk-lost.mjs v1|v2-legacy URL FILE
 *
 * Creates FILE after the first call; ends 8 s after FILE.lost is there. Prints one JSON object:
 * the outcomes in order, each with its milliseconds since then, and the notifications of lists;
 * under `asked` what became of `ask`, null if nothing did.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { open } from './sdk-open.mjs';

const [kind, url, file] = process.argv.slice(2);
const { client, transport, call, on } = await open(kind, url, [], { elicitation: {} });
let asks = () => {};
const isAsked = new Promise((resolve) => { asks = resolve; });
on('elicitation/create', () => { asks(); return new Promise(() => {}); });
let asked = null;
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
call({ name: 'ask', arguments: {} }, { timeout: 60000 }).then(
  (result) => { asked = `answered: ${result.content[0].text}`; },
  (error) => { asked = `failed: ${JSON.stringify({ code: error.code, data: error.data })} ${String(error.message ?? error).slice(0, 200)}`; asks(); });
await isAsked;
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
console.log(JSON.stringify({ outcomes: outcomes.filter((one) => one.at >= 0 || one.took > 1000), before: outcomes[0].outcome, asked, methods, errors }));
process.exit(0);
