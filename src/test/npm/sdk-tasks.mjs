/**
 * The official SDK's client of 2025-11-25, which calls a tool as a task.
 *
 *   node sdk-tasks.mjs URL TOOL ARGUMENTS [sse]
 *
 * Prints one JSON object with what it was given.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [url, tool, args, sse] = process.argv.slice(2);
const client = new Client({ name: 'sdk-tasks', version: '1.0.0' }, { capabilities: { elicitation: {} } });
const asked = [];
client.setRequestHandler(ElicitRequestSchema, (request) => {
  const [field] = Object.keys(request.params.requestedSchema.properties);
  asked.push(field);
  return { action: 'accept', content: { [field]: field === 'interpretation' ? 'snake' : 'Ada' } };
});
await client.connect(sse ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url)));
const { tools } = await client.listTools();

const seen = [];
let taskId;
let result;
const stream = client.experimental.tasks.callToolStream(
  { name: tool, arguments: JSON.parse(args) }, CallToolResultSchema, { task: { ttl: 60_000 } });
for await (const message of stream) {
  seen.push(message.type);
  if (message.type === 'taskCreated') {
    taskId = message.task.taskId;
  } else if (message.type === 'result') {
    result = message.result;
  } else if (message.type === 'error') {
    throw message.error;
  }
}
const { tasks } = await client.experimental.tasks.listTasks();
const ended = await client.experimental.tasks.getTask(taskId);
await client.close();
console.log(JSON.stringify({
  support: tools.find(({ name }) => name === tool).execution?.taskSupport,
  seen: [...new Set(seen)],
  asked,
  text: result.content[0].text,
  related: result._meta?.['io.modelcontextprotocol/related-task']?.taskId === taskId,
  listed: tasks.some((task) => task.taskId === taskId),
  status: ended.status,
}));
