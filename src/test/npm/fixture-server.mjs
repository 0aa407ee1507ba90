/**
 * A server with all that the conformance suite asks for, and with what the tests of the gateway
 * ask for besides, on the official SDK, so that nothing of it is our own reading of the protocol.
 *
 *   node fixture-server.mjs both|legacy|modern [port]
 *
 * `legacy` speaks the versions up to 2025-11-25 with sessions, `modern` 2026-07-28. Without a port
 * over stdio, else Streamable HTTP at /mcp on 127.0.0.1; port 0 takes a free one. The URL is the
 * first line on stdout. FIXTURE_NOTES may name a folder where `test_wait` says how it fares.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import {
  createMcpHandler, createRequestStateCodec, inputRequired, isLegacyRequest,
  MissingRequiredClientCapabilityError, ProtocolError, ResourceNotFoundError, Server,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import {
  localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport,
  toNodeHandler, toWebRequest,
} from '@modelcontextprotocol/node';

const [eras, port] = process.argv.slice(2);
const notes = process.env.FIXTURE_NOTES;
if (!['both', 'legacy', 'modern'].includes(eras)) {
  console.error('usage: fixture-server.mjs both|legacy|modern [port]');
  process.exit(2);
}

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const embedded = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });
const object = (properties, required) => ({ type: 'object', properties, ...(required && { required }) });
const string = { type: 'string' };

/** Ends after a while, or at once where the call is cancelled. */
const pause = (ms, signal) => new Promise((done) => {
  const timer = setTimeout(done, ms);
  signal?.addEventListener('abort', () => { clearTimeout(timer); done(); });
});

// ---- What the server wants to know. The SDK asks a legacy client itself, and calls again.

const states = createRequestStateCodec({ key: randomBytes(32) });
const form = (message, properties, required) =>
  inputRequired.elicit({ mode: 'form', message, requestedSchema: object(properties, required) });
const sample = (prompt, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens });
const askName = () => form('What is your name?', { name: string }, ['name']);

const fits = {
  'elicitation/create': (answer) => typeof answer?.action === 'string',
  'sampling/createMessage': (answer) => typeof answer?.role === 'string',
  'roots/list': (answer) => Array.isArray(answer?.roots),
};

/** Calls `use` with the answers, else says what is missing; `state` comes back with them. */
async function ask(call, requests, use, state) {
  const given = call.ctx.mcpReq.inputResponses ?? {};
  if (Object.entries(requests).every(([key, { method }]) => fits[method](given[key]))) {
    return use(given);
  }
  const requestState = state === undefined ? undefined : await states.mint(state);
  return inputRequired({ inputRequests: requests, ...(requestState && { requestState }) });
}

// ---- Tools

let extraTool = false;
let extraPrompt = false;

/** For tests that must know what happens here; its processes may be several. */
const note = (name, line) => {
  if (notes && /^[a-z-]+$/.test(name)) {
    appendFileSync(join(notes, name), `${line}\n`);
  }
};

const logging = async (call) => {
  for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await call.ctx.mcpReq.log('info', line, 'fixture');
    await pause(50);
  }
  return text('logged');
};
const elicitName = (call) =>
  ask(call, { user_name: askName() }, (given) => text(`Hello, ${given.user_name.content?.name}!`));
const confirm = (call) =>
  ask(call, { confirm: form('Please confirm', { ok: { type: 'boolean' } }, ['ok']) }, () => text('state-ok'), 'waiting');
const titled = ['First', 'Second', 'Third'].map((title, i) => ({ const: `value${i + 1}`, title }));
const plain = ['option1', 'option2', 'option3'];
const ended = (given) =>
  text(`Elicitation completed: action=${given.user.action}, content=${JSON.stringify(given.user.content)}`);

const tools = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({ isError: true, ...text('This tool intentionally returns an error for testing') }),
  json_schema_2020_12_tool: () => text('ok'),
  test_custom_headers: (call) => text(JSON.stringify(call.args)),
  test_tool_with_logging: logging,
  test_logging_tool: logging,
  async test_tool_with_progress(call) {
    const { progressToken } = call.ctx.mcpReq._meta ?? {};
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await call.ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      }
      await pause(50);
    }
    return text('done');
  },
  /** Loses its stream while it works, where there is one to lose; its answer is for who asks again. */
  async test_reconnection(call) {
    await pause(50);
    call.ctx.http?.closeSSE?.();
    await pause(150);
    return text('answered after the stream was closed');
  },
  /** Waits so long that only a cancellation ends it in time. */
  async test_wait(call) {
    note(call.args.name, 'started');
    await pause(60_000, call.ctx.mcpReq.signal);
    note(call.args.name, call.ctx.mcpReq.signal.aborted ? 'cancelled' : 'waited');
    return text('waited');
  },
  test_trigger_tool_change(call) {
    extraTool = !extraTool;
    call.changed('tools');
    return text(`test_extra_tool is ${extraTool ? 'there' : 'gone'}`);
  },
  test_trigger_prompt_change(call) {
    extraPrompt = !extraPrompt;
    call.changed('prompts');
    return text(`test_extra_prompt is ${extraPrompt ? 'there' : 'gone'}`);
  },
  test_missing_capability(call) {
    if (call.can.sampling === undefined) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    }
    return text('you can sample');
  },
  test_sampling: (call) =>
    ask(call, { model: sample(call.args.prompt) }, (given) => text(`LLM response: ${given.model.content?.text}`)),
  test_elicitation: (call) =>
    ask(
      call,
      { user: form(call.args.message, { username: string, email: string }, ['username', 'email']) },
      (given) => text(`User response: ${JSON.stringify(given.user)}`)),
  test_elicitation_sep1034_defaults: (call) =>
    ask(
      call,
      {
        user: form('Defaults', {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        }),
      },
      ended),
  test_elicitation_sep1330_enums: (call) =>
    ask(
      call,
      {
        user: form('Enums', {
          untitledSingle: { type: 'string', enum: plain },
          titledSingle: { type: 'string', oneOf: titled },
          legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
          untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
          titledMulti: { type: 'array', items: { anyOf: titled } },
        }),
      },
      ended),
  test_streaming_elicitation: elicitName,
  test_input_required_result_elicitation: elicitName,
  test_input_required_result_sampling: (call) =>
    ask(
      call,
      { capital_question: sample('What is the capital of France?') },
      (given) => text(`The model says: ${given.capital_question.content?.text}`)),
  test_input_required_result_list_roots: (call) =>
    ask(
      call,
      { client_roots: inputRequired.listRoots() },
      (given) => text(`Roots: ${JSON.stringify(given.client_roots.roots)}`)),
  test_input_required_result_request_state: confirm,
  test_input_required_result_tampered_state: confirm,
  test_input_required_result_multiple_inputs: (call) =>
    ask(
      call,
      { user_name: askName(), greeting: sample('Generate a greeting', 50), client_roots: inputRequired.listRoots() },
      (given) => text(`Inputs: ${Object.keys(given).join(', ')}`),
      'many'),
  async test_input_required_result_multi_round(call) {
    const before = call.ctx.mcpReq.requestState();
    const colour = () =>
      ask(
        call,
        { step2: form('Step 2: What is your favorite color?', { color: string }, ['color']) },
        (given) => text(`${before?.name} likes ${given.step2.content?.color}`),
        { step: 2, name: before?.name ?? call.ctx.mcpReq.inputResponses?.step1?.content?.name });
    return before?.step === 2
      ? colour()
      : ask(call, { step1: form('Step 1: What is your name?', { name: string }, ['name']) }, colour, { step: 1 });
  },
  test_input_required_result_capabilities(call) {
    const all = {
      user_name: askName(), greeting: sample('Generate a greeting', 50), client_roots: inputRequired.listRoots(),
    };
    const able = Object.entries(all).filter(([, { method }]) => call.can[method.split('/')[0]] !== undefined);
    return able.length === 0
      ? text('nothing to ask')
      : ask(call, Object.fromEntries(able), () => text('asked what you can answer'));
  },
};

const input = {
  test_wait: object({ name: string }, ['name']),
  test_sampling: object({ prompt: string }, ['prompt']),
  test_elicitation: object({ message: string }, ['message']),
  test_custom_headers: object({
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
  }),
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { $anchor: 'addressDef', ...object({ street: string, city: string }) } },
    properties: {
      name: string,
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: string,
      email: string,
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

// ---- Prompts and resources

const user = (content) => ({ role: 'user', content });
const prompts = {
  test_simple_prompt: () => ({ messages: [user({ type: 'text', text: 'This is a simple prompt for testing.' })] }),
  test_prompt_with_arguments: ({ args }) => ({
    messages: [user({ type: 'text', text: `Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'` })],
  }),
  test_prompt_with_embedded_resource: ({ args }) => ({
    messages: [
      user(embedded(args.resourceUri, 'text/plain', 'Embedded resource content for testing.')),
      user({ type: 'text', text: 'Please process the embedded resource above.' }),
    ],
  }),
  test_prompt_with_image: () => ({
    messages: [user(image), user({ type: 'text', text: 'Please analyze the image above.' })],
  }),
  test_input_required_result_prompt: (call) =>
    ask(
      call,
      { user_context: form('What context should the prompt use?', { context: string }, ['context']) },
      (given) => ({ messages: [user({ type: 'text', text: `Context: ${given.user_context.content?.context}` })] })),
};
const wants = { test_prompt_with_arguments: ['arg1', 'arg2'], test_prompt_with_embedded_resource: ['resourceUri'] };

const resources = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched' },
};

function read(uri) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  const found = id === undefined
    ? resources[uri]
    : { mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
  if (!found) {
    throw new ResourceNotFoundError(uri);
  }
  return { contents: [{ uri, ...found }] };
}

// ---- The server

const CHANGES = { tools: 'tools_list_changed', prompts: 'prompts_list_changed' };
const SENDS = { tools: 'sendToolListChanged', prompts: 'sendPromptListChanged' };
const bus = [];

function build() {
  const server = new Server(
    { name: 'fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
      cacheHints: Object.fromEntries(
        ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read', 'server/discover']
          .map((method) => [method, { ttlMs: 0, cacheScope: 'public' }])),
      requestState: { verify: states.verify },
    });
  const call = (request, ctx) => ({
    ctx,
    args: request.params.arguments ?? {},
    can: ctx.mcpReq.envelope?.[CAPABILITIES] ?? server.getClientCapabilities() ?? {},
    changed(list) {
      bus.forEach((one) => one.publish({ kind: CHANGES[list] }));
      servers.forEach((one) => one[SENDS[list]]().catch(() => servers.delete(one)));
    },
  });
  const known = (table, name, what) => {
    if (!Object.hasOwn(table, name)) {
      throw new ProtocolError(-32602, `Unknown ${what}: ${name}`);
    }
    return table[name];
  };
  server.setRequestHandler('tools/list', () => ({
    tools: [...Object.keys(tools), ...(extraTool ? ['test_extra_tool'] : [])].map((name) => ({
      name, description: `For tests: ${name}`, inputSchema: input[name] ?? { type: 'object' },
    })),
  }));
  server.setRequestHandler('tools/call', (request, ctx) =>
    known(tools, request.params.name, 'tool')(call(request, ctx)));
  server.setRequestHandler('prompts/list', () => ({
    prompts: [...Object.keys(prompts), ...(extraPrompt ? ['test_extra_prompt'] : [])].map((name) => ({
      name,
      description: `For tests: ${name}`,
      arguments: (wants[name] ?? []).map((one) => ({ name: one, description: one, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', (request, ctx) =>
    known(prompts, request.params.name, 'prompt')(call(request, ctx)));
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri.slice(7), description: uri, mimeType })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'data', description: 'By id', mimeType: 'application/json' },
    ],
  }));
  server.setRequestHandler('resources/read', (request) => read(request.params.uri));
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('completion/complete', (request) => {
    const values = ['paris', 'park', 'party'].filter((value) => value.startsWith(request.params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return server;
}

/** Those that outlive a request; the others hear of changes by the bus of the handler. */
const servers = new Set();

function lasting() {
  const server = build();
  servers.add(server);
  server.onclose = () => servers.delete(server);
  return server;
}

if (port === undefined) {
  if (eras === 'legacy') {
    await lasting().connect(new StdioServerTransport());
  } else {
    serveStdio(lasting, { legacy: eras === 'both' ? 'serve' : 'reject' });
  }
} else {
  const sessions = new Map();
  const modern = createMcpHandler(build, { legacy: 'reject' });
  bus.push(modern.bus);
  const serveModern = toNodeHandler(modern);

  /** Events of all streams of a session, so that a stream that broke goes on where it was. */
  const eventStore = () => {
    const events = [];
    return {
      async storeEvent(stream, message) {
        events.push({ stream, message });
        return `${events.length}`;
      },
      async getStreamIdForEventId(id) {
        return events[id - 1]?.stream;
      },
      async replayEventsAfter(id, { send }) {
        const { stream } = events[id - 1];
        for (let i = Number(id); i < events.length; i++) {
          if (events[i].stream === stream && Object.keys(events[i].message).length > 0) {
            await send(`${i + 1}`, events[i].message);
          }
        }
        return stream;
      },
    };
  };

  const serveLegacy = async (req, res) => {
    const id = req.headers['mcp-session-id'];
    let transport = sessions.get(id);
    if (id !== undefined && !transport) {
      res.writeHead(404, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null }));
      return;
    }
    if (!transport) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: eventStore(),
        retryInterval: 500,
        onsessioninitialized: (session) => sessions.set(session, transport),
        onsessionclosed: (session) => sessions.delete(session),
      });
      await lasting().connect(transport);
    }
    await transport.handleRequest(req, res, req.body);
  };

  const host = localhostHostValidation();
  const origin = localhostOriginValidation();
  const http = createServer(async (req, res) => {
    if (!host(req, res) || !origin(req, res)) {
      return;
    }
    if (req.method === 'POST') {
      let body = '';
      for await (const part of req.setEncoding('utf8')) {
        body += part;
      }
      try {
        req.body = JSON.parse(body);
      } catch {
        res.writeHead(400, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' }, id: null }));
        return;
      }
    }
    const legacy = eras === 'legacy'
      || (eras === 'both' && await isLegacyRequest(await toWebRequest(req, req.body), req.body));
    await (legacy ? serveLegacy(req, res) : serveModern(req, res, req.body));
  });
  http.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
