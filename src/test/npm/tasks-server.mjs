/**
 * A server of protocol 2026-07-28 with the tasks extension, on the SDK's own transports. The SDK
 * has no tasks of its own; what is here is what the extension adds. Tasks are files, so that they
 * outlive the process.
 *
 *   node tasks-server.mjs <folder for tasks> [port]     without a port: stdio
 *
 * Tools: `work` ({ms, fail?}) becomes a task; `ask` becomes a task that wants to know a name;
 * `plain` answers at once.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync, renameSync, appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createMcpHandler, fromJsonSchema, MissingRequiredClientCapabilityError, ProtocolError, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const [folder, port] = process.argv.slice(2);

const note = (line) => appendFileSync(join(folder, 'log'), `${line}\n`);
const file = (id) => join(folder, `${id.replace(/[^a-z0-9-]/g, '')}.json`);

function save(task) {
  const to = file(task.id);
  writeFileSync(`${to}.new`, JSON.stringify(task));
  renameSync(`${to}.new`, to);
}

function load(id) {
  if (!existsSync(file(id))) {
    throw new ProtocolError(-32602, 'Failed to retrieve task: Task not found');
  }
  return JSON.parse(readFileSync(file(id), 'utf8'));
}

/** Nothing of tasks for a client that did not say that it knows them. */
function demand(ctx) {
  if (ctx.mcpReq.envelope?.[CAPABILITIES]?.extensions?.[EXTENSION] === undefined) {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [EXTENSION]: {} } } });
  }
}

function seed(task, status) {
  return {
    taskId: task.id,
    status,
    createdAt: new Date(task.at).toISOString(),
    lastUpdatedAt: new Date().toISOString(),
    ttlMs: 600000,
    pollIntervalMs: 100,
  };
}

const text = (value) => ({ content: [{ type: 'text', text: value }] });

function state(task) {
  if (task.cancelled) {
    return seed(task, 'cancelled');
  }
  if (task.tool === 'ask') {
    return task.name === undefined
      ? {
          ...seed(task, 'input_required'),
          inputRequests: {
            name: {
              method: 'elicitation/create',
              params: {
                mode: 'form',
                message: 'Who are you?',
                requestedSchema: {
                  type: 'object',
                  properties: { name: { type: 'string' } },
                  required: ['name'],
                },
              },
            },
          },
        }
      : { ...seed(task, 'completed'), result: text(`hello ${task.name}`) };
  }
  if (Date.now() < task.at + task.ms) {
    return seed(task, 'working');
  }
  return task.fail
    ? { ...seed(task, 'failed'), error: { code: -32050, message: 'the work failed', data: { why: 1 } } }
    : { ...seed(task, 'completed'), result: text(`worked ${task.ms} ms`) };
}

function build() {
  const server = new Server(
    { name: 'tasks', version: '1.0.0' },
    { capabilities: { tools: {}, extensions: { [EXTENSION]: {} } } },
  );
  const inputSchema = { type: 'object' };
  server.setRequestHandler('tools/list', async () => ({
    tools: ['work', 'ask', 'plain'].map((name) => ({ name, inputSchema })),
  }));
  server.setRequestHandler('tools/call', async (request, ctx) => {
    const { name, arguments: given = {} } = request.params;
    note(`call ${name}`);
    if (name === 'plain') {
      return text('at once');
    }
    demand(ctx);
    const task = { id: randomUUID(), tool: name, at: Date.now(), ms: given.ms ?? 300, fail: given.fail };
    save(task);
    return { resultType: 'task', ...seed(task, 'working') };
  });
  const params = fromJsonSchema({ type: 'object', properties: { taskId: { type: 'string' } }, required: ['taskId'] });
  server.setRequestHandler('tasks/get', { params }, async ({ taskId }, ctx) => {
    demand(ctx);
    note('get');
    return state(load(taskId));
  });
  server.setRequestHandler('tasks/update', { params }, async ({ taskId }, ctx) => {
    demand(ctx);
    note('update');
    const task = load(taskId);
    const answer = ctx.mcpReq.inputResponses?.name; // the SDK takes it out of the params
    save({ ...task, name: answer?.action === 'accept' ? answer.content.name : 'nobody' });
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params }, async ({ taskId }, ctx) => {
    demand(ctx);
    note('cancel');
    save({ ...load(taskId), cancelled: true });
    return {};
  });
  return server;
}

if (port === undefined) {
  serveStdio(build);
} else {
  const handler = toNodeHandler(createMcpHandler(build, { legacy: 'reject' }));
  createServer((req, res) => handler(req, res)).listen(Number(port), '127.0.0.1');
}
