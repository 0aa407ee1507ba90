/**
 * A client of one of the official SDKs whose person answers in every way that there is.
 *
 *   node sdk-answers.mjs KIND TOOL ARGUMENTS URL
 *   node sdk-answers.mjs KIND TOOL ARGUMENTS COMMAND ARGUMENT...     over stdio
 *
 * KIND as in sdk-open.mjs, ARGUMENTS of the tool as JSON. Prints one JSON object: for each way to
 * answer what the call gave, a result or an error.
 */
import { open } from './sdk-open.mjs';

const [kind, tool, given, url, ...args] = process.argv.slice(2);
const { client, transport, on, call } =
  await open(kind, url, args, { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} });

const answers = {
  unfit: { action: 'accept', content: { username: 5, other: 'x' } },
  partial: { action: 'accept', content: { username: 'Ada' } },
  empty: { action: 'accept', content: {} },
  bare: { action: 'accept' },
  declined: { action: 'decline' },
  cancelled: { action: 'cancel' },
  rejected: Object.assign(new Error('User rejected'), { code: -1 }),
  failed: Object.assign(new Error('No screen'), { code: -32000 }),
};
let now;
const asked = [];
on('elicitation/create', (request) => {
  asked.push(request.params);
  if (answers[now] instanceof Error) {
    throw answers[now];
  }
  return answers[now];
});
on('sampling/createMessage', () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'a thought' } }));
on('roots/list', () => ({ roots: [] }));

await client.connect(transport);
const seen = {};
for (now of Object.keys(answers)) {
  seen[now] = await call({ name: tool, arguments: JSON.parse(given) }).then(
    (result) => ({ content: result.content, ...(result.isError && { isError: true }) }),
    (error) => ({ code: error.code, message: error.message }));
}
await client.close();
const plain = asked.map(({ _meta, ...params }) => params);
console.log(JSON.stringify({ ...seen, asked: plain[0], times: asked.length }));
