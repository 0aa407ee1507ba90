/**
 * One of the official SDKs' clients, as a program would use it on the fixture's tools.
 *
 *   node sdk-client.mjs v1|v1-sse|v2-sse|v2-legacy|v2-modern|v2-auto URL
 *   node sdk-client.mjs v1|v2-legacy|v2-modern|v2-auto COMMAND ARGUMENT...     over stdio
 *
 * Prints one JSON object with what it was given.
 */
import { open } from './sdk-open.mjs';

const [kind, url, ...args] = process.argv.slice(2);
const { client, transport, on, call, progress } =
  await open(kind, url, args, { elicitation: {}, sampling: {}, roots: {} });
const asked = [];
on('elicitation/create', (request) => {
  asked.push(request.params.message);
  const names = Object.keys(request.params.requestedSchema.properties);
  return { action: 'accept', content: Object.fromEntries(names.map((name) => [name, `my ${name}`])) };
});
on('sampling/createMessage', () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'a thought' } }));

await client.connect(transport);
const text = (result) => result.content[0].text;
const seen = {
  server: client.getServerVersion()?.name,
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  resources: (await client.listResources()).resources.map((resource) => resource.uri),
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  text: text(await call({ name: 'test_simple_text', arguments: {} })),
  resource: (await client.readResource({ uri: 'test://static-text' })).contents[0].text,
  prompt: (await client.getPrompt({
    name: 'test_prompt_with_arguments', arguments: { arg1: 'one', arg2: 'two' },
  })).messages[0].content.text,
  elicitation: text(await call({ name: 'test_elicitation', arguments: { message: 'Who are you?' } })),
  sampling: text(await call({ name: 'test_sampling', arguments: { prompt: 'Think' } })),
  progressed: text(await call(
    { name: 'test_tool_with_progress', arguments: {} }, { onprogress: () => {} })),
};
const abort = new AbortController();
setTimeout(() => abort.abort(), 300);
const cancelled = await call({ name: 'test_wait', arguments: { name: 'sdk' } }, { signal: abort.signal })
  .then(() => false, () => true);
await client.close();
console.log(JSON.stringify({ ...seen, asked, progress: progress.map((told) => told.progress), cancelled }));
