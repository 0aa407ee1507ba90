/**
 * Prints what a client of one of the official SDKs gets of any server: who it is, its lists, one
 * resource, the calls that are asked for, the questions and notifications that came meanwhile.
 * Direct and through a gateway it prints the same.
 *
 *   node sdk-report.mjs KIND CALLS URL | COMMAND ARGUMENT...
 *
 * CALLS is a JSON array of {name, arguments}; a URI in `subscribe` of one is subscribed to first,
 * and `until` names the notification to wait for after it.
 */
import { open } from './sdk-open.mjs';

const [kind, calls, url, ...args] = process.argv.slice(2);
const { client, transport, on, call, progress } =
  await open(kind, url, args, { elicitation: {}, sampling: {}, roots: { listChanged: true } });
const asked = [];
const answers = {
  'elicitation/create': { action: 'accept', content: { name: 'a name' } },
  'sampling/createMessage': { role: 'assistant', model: 'none', content: { type: 'text', text: 'a thought' } },
  'roots/list': { roots: [{ uri: 'file:///nowhere', name: 'none' }] },
};
for (const [method, answer] of Object.entries(answers)) {
  on(method, (request) => {
    if (method !== 'roots/list') {
      asked.push({ method, params: request.params });
    }
    return answer;
  });
}
const told = [];
client.fallbackNotificationHandler = async ({ method, params }) => {
  told.push({ method, params });
};

await client.connect(transport);
const outcome = (promise) => promise.catch(({ code, message, data }) => ({ code, message, data }));
const seen = {
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(),
  tools: await outcome(client.listTools()),
  resources: await outcome(client.listResources()),
  templates: await outcome(client.listResourceTemplates()),
  prompts: await outcome(client.listPrompts()),
};
const first = seen.resources.resources?.[0]?.uri;
if (first !== undefined) {
  seen.read = await outcome(client.readResource({ uri: first }));
}
seen.calls = [];
for (const { subscribe, until, ...params } of JSON.parse(calls)) {
  if (subscribe !== undefined) {
    seen.subscribed = await outcome(client.subscribeResource({ uri: subscribe }));
  }
  progress.length = 0;
  const result = await outcome(call(params, { onprogress: () => {} }));
  seen.calls.push(result, progress.slice(0, 1)); // the last may come after the result
  for (let i = 0; until !== undefined && i < 500 && !told.some(({ method }) => method === until); i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
await client.close();
const updates = told.filter(({ method }) => method === 'notifications/resources/updated');
console.log(JSON.stringify({ ...seen, asked, updates }));
process.exit(0);
