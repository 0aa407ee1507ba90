/**
 * A server of protocol 2026-07-28 with the tasks extension, on the SDK's own transports. The SDK
 * has no tasks of its own; what is here is what the extension adds. Tasks are files, so that they
 * outlive the process.
 *
 *   node tasks-server.mjs <folder for tasks> [port]
 *
 * Without a port over stdio, else Streamable HTTP on 127.0.0.1; port 0 takes a free one. The URL is
 * the first line on stdout.
 *
 * Tools: `work` ({ms, fail?}) becomes a task; `ask` becomes a task that wants to know a name;
 * `plain` answers at once. The others are those that MCP's conformance suite calls.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync, renameSync, appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import {
  createMcpHandler, fromJsonSchema, inputRequired, MissingRequiredClientCapabilityError, ProtocolError, Server,
} from '@modelcontextprotocol/server';
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

const knowsTasks = (ctx) => ctx.mcpReq.envelope?.[CAPABILITIES]?.extensions?.[EXTENSION] !== undefined;

/** Nothing of tasks for a client that did not say that it knows them. */
function demand(ctx) {
  if (!knowsTasks(ctx)) {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [EXTENSION]: {} } } });
  }
}

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const form = (message, properties) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } },
});
const askName = form('Who are you?', { name: { type: 'string' } });
const askConfirm = form('Sure?', { confirm: { type: 'boolean' } });

/** What becomes of a task: how long it works, what it asks, what its end is. */
const work = {
  work: ({ ms = 300, fail }) => ({
    ms,
    ...(fail ? { error: { code: -32050, message: 'the work failed', data: { why: 1 } } } : { result: text(`worked ${ms} ms`) }),
  }),
  ask: () => ({ asks: { name: askName } }),
  slow_compute: ({ seconds = 1, label = '' }) => ({ ms: seconds * 1000, result: text(`computed ${label}`) }),
  failing_job: () => ({ ms: 100, result: { ...text('the job failed'), isError: true } }),
  protocol_error_job: () => ({ ms: 100, error: { code: -32603, message: 'the server broke' } }),
  confirm_delete: () => ({ asks: { confirm: askConfirm } }),
  multi_input: () => ({ asks: { name: askName, confirm: askConfirm } }),
  test_tool_with_task: ({ name }) => ({ ms: 100, result: text(`worked for ${name}`) }),
};

/** Tools that answer a client without tasks as well, after the same time. */
const optional = ['slow_compute', 'confirm_delete', 'multi_input'];

const direct = {
  plain: () => text('at once'),
  greet: ({ name }) => text(`Hello, ${name}!`),
};

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

function state(task) {
  if (task.cancelled) {
    return seed(task, 'cancelled');
  }
  if (task.asks) {
    const open = Object.entries(task.asks).filter(([key]) => task.answers[key] === undefined);
    if (open.length > 0) {
      return { ...seed(task, 'input_required'), inputRequests: Object.fromEntries(open) };
    }
    const { action, content } = task.answers.name ?? {};
    return { ...seed(task, 'completed'), result: text(`hello ${action === 'accept' ? content.name : 'nobody'}`) };
  }
  if (Date.now() < task.at + task.ms) {
    return seed(task, 'working');
  }
  return task.error
    ? { ...seed(task, 'failed'), error: task.error }
    : { ...seed(task, 'completed'), result: task.result };
}

async function call(name, given, ctx) {
  if (Object.hasOwn(direct, name)) {
    return direct[name](given);
  }
  if (!Object.hasOwn(work, name)) {
    throw new ProtocolError(-32602, `Unknown tool: ${name}`);
  }
  if (!knowsTasks(ctx) && optional.includes(name)) {
    const { ms = 0, result = text('nobody was asked') } = work[name](given);
    await new Promise((done) => setTimeout(done, ms));
    return result;
  }
  demand(ctx);
  if (name === 'test_tool_with_task') {
    const answer = ctx.mcpReq.inputResponses?.user_name;
    if (answer === undefined) {
      return inputRequired({ inputRequests: { user_name: inputRequired.elicit(askName.params) } });
    }
    given = { name: answer.content?.name };
  }
  const task = { id: randomUUID(), at: Date.now(), answers: {}, ...work[name](given) };
  save(task);
  return { resultType: 'task', ...seed(task, 'working') };
}

function build() {
  const server = new Server(
    { name: 'tasks', version: '1.0.0' },
    { capabilities: { tools: {}, extensions: { [EXTENSION]: {} } } },
  );
  const inputSchema = { type: 'object' };
  server.setRequestHandler('tools/list', async () => ({
    tools: [...Object.keys(work), ...Object.keys(direct)].map((name) => ({ name, inputSchema })),
  }));
  server.setRequestHandler('tools/call', async (request, ctx) => {
    const { name, arguments: given = {} } = request.params;
    note(`call ${name}`);
    return call(name, given, ctx);
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
    // The SDK takes the answers out of the params.
    save({ ...task, answers: { ...task.answers, ...ctx.mcpReq.inputResponses } });
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params }, async ({ taskId }, ctx) => {
    demand(ctx);
    note('cancel');
    const task = load(taskId);
    if (['working', 'input_required'].includes(state(task).status)) {
      save({ ...task, cancelled: true });
    }
    return {};
  });
  return server;
}

if (port === undefined) {
  serveStdio(build);
} else {
  const handler = toNodeHandler(createMcpHandler(build, { legacy: 'reject' }));
  const http = createServer((req, res) => handler(req, res));
  http.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
