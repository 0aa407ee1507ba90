/**
 * A server over stdio with the tools, resources and prompts that the conformance suite calls, to
 * stand behind the gateway. Speaks one era, so that translation is put to the test:
 *
 *   node conformance-server.mjs legacy     2025-11-25: asks its client while it works
 *   node conformance-server.mjs modern     2026-07-28: answers with what it wants to know
 */
import { createHmac, randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';

const modern = process.argv[2] === 'modern';
const key = randomBytes(32);
const META = 'io.modelcontextprotocol/';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const SOUND = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

class Failure extends Error {
  constructor(code, message, data) {
    super(message);
    this.error = { code, message, ...(data && { data }) };
  }
}

// ---- what it asks

let asked = 0;
const waiting = new Map();
let client = {};

function ask(method, params) {
  const id = `q${++asked}`;
  say({ id, method, params });
  return new Promise((done, failed) => waiting.set(id, { done, failed }));
}

const elicit = (message, properties, required) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, ...(required && { required }) } },
});
const sample = (prompt, maxTokens) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
});
const roots = { method: 'roots/list', params: {} };

const seal = (value) => {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
};
const unseal = (state) => {
  const [body, mac] = String(state).split('.');
  if (mac !== createHmac('sha256', key).update(body).digest('base64url')) {
    throw new Failure(-32602, 'Invalid requestState');
  }
  return JSON.parse(Buffer.from(body, 'base64url'));
};

/** The answers by key, or undefined where the client is told first. */
async function answers(call, requests, state) {
  const wanted = Object.fromEntries(
    Object.entries(requests).filter(([, one]) => call.can[one.method.split('/')[0]] !== undefined));
  if (Object.keys(wanted).length === 0) {
    return {};
  }
  if (!modern) {
    const all = await Promise.all(Object.values(wanted).map((one) => ask(one.method, one.params)));
    return Object.fromEntries(Object.keys(wanted).map((name, i) => [name, all[i]]));
  }
  const given = call.params.inputResponses ?? {};
  const fits = (name, value) => {
    if (typeof value !== 'object' || value === null) return false;
    const method = wanted[name].method;
    return method === 'elicitation/create' ? typeof value.action === 'string'
      : method === 'roots/list' ? Array.isArray(value.roots) : typeof value.role === 'string';
  };
  if (Object.keys(wanted).every((name) => fits(name, given[name]))) {
    return given;
  }
  call.interim = {
    resultType: 'input_required',
    inputRequests: wanted,
    ...(state !== undefined && { requestState: seal(state) }),
  };
  return undefined;
}

// ---- tools

const name = { name: { type: 'string' } };
const tools = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: SOUND, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [{
      type: 'resource',
      resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
    }],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' },
      },
    ],
  }),
  test_error_handling: () => ({ isError: true, ...text('This tool intentionally returns an error for testing') }),
  async test_tool_with_logging(call) {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      if (!modern || call.meta[`${META}logLevel`]) {
        say({ method: 'notifications/message', params: { level: 'info', logger: 'conformance', data: line } });
      }
      await sleep(50);
    }
    return text('logged');
  },
  async test_tool_with_progress(call) {
    for (const progress of [0, 50, 100]) {
      if (call.meta.progressToken !== undefined) {
        say({ method: 'notifications/progress', params: { progressToken: call.meta.progressToken, progress, total: 100 } });
      }
      await sleep(50);
    }
    return text('done');
  },
  async test_sampling(call) {
    const got = await answers(call, { llm: sample(call.args.prompt, 100) });
    return got && text(`LLM response: ${got.llm?.content?.text}`);
  },
  async test_elicitation(call) {
    const form = elicit(call.args.message, {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    }, ['username', 'email']);
    const got = await answers(call, { user: form });
    return got && text(`User response: ${JSON.stringify(got.user)}`);
  },
  async test_elicitation_sep1034_defaults(call) {
    const form = elicit('Defaults', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    });
    const got = await answers(call, { user: form });
    return got && text(`Elicitation completed: action=${got.user?.action}, content=${JSON.stringify(got.user?.content)}`);
  },
  async test_elicitation_sep1330_enums(call) {
    const plain = ['option1', 'option2', 'option3'];
    const titled = ['First', 'Second', 'Third'].map((word, i) => ({ const: `value${i + 1}`, title: word }));
    const form = elicit('Enums', {
      untitledSingle: { type: 'string', enum: plain },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    });
    const got = await answers(call, { user: form });
    return got && text(`Elicitation completed: action=${got.user?.action}, content=${JSON.stringify(got.user?.content)}`);
  },
  async test_input_required_result_elicitation(call) {
    const got = await answers(call, { user_name: elicit('What is your name?', name, ['name']) });
    return got && text(`Hello, ${got.user_name?.content?.name}!`);
  },
  async test_input_required_result_sampling(call) {
    const got = await answers(call, { capital_question: sample('What is the capital of France?', 100) });
    return got && text(`The model says: ${got.capital_question?.content?.text}`);
  },
  async test_input_required_result_list_roots(call) {
    const got = await answers(call, { client_roots: roots });
    return got && text(`Roots: ${JSON.stringify(got.client_roots?.roots)}`);
  },
  async test_input_required_result_request_state(call) {
    if (call.params.requestState !== undefined) unseal(call.params.requestState);
    const got = await answers(call, { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }, ['ok']) }, 'confirm');
    return got && text('state-ok');
  },
  async test_input_required_result_tampered_state(call) {
    if (call.params.requestState !== undefined) unseal(call.params.requestState);
    const got = await answers(call, { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }, ['ok']) }, 'sealed');
    return got && text('state-ok');
  },
  async test_input_required_result_multiple_inputs(call) {
    const got = await answers(call, {
      user_name: elicit('What is your name?', name, ['name']),
      greeting: sample('Generate a greeting', 50),
      client_roots: roots,
    }, 'many');
    return got && text(`Inputs: ${Object.keys(got).join(', ')}`);
  },
  async test_input_required_result_multi_round(call) {
    const before = call.params.requestState === undefined ? {} : unseal(call.params.requestState);
    if (before.step !== 2) {
      const got = await answers(call, { step1: elicit('Step 1: What is your name?', name, ['name']) }, { step: 1 });
      if (!got) return undefined;
      call.params = { ...call.params, inputResponses: {} };
    }
    const colour = elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }, ['color']);
    const got = await answers(call, { step2: colour }, { step: 2 });
    return got && text(`You like ${got.step2?.content?.color}`);
  },
  async test_input_required_result_capabilities(call) {
    const got = await answers(call, {
      user_name: elicit('What is your name?', name, ['name']),
      greeting: sample('Generate a greeting', 50),
      client_roots: roots,
    });
    return got && text('as you can');
  },
};

function missing(call) {
  if (call.can.sampling === undefined) {
    throw new Failure(-32021, 'Missing required client capability', { requiredCapabilities: { sampling: {} } });
  }
  return text('you can sample');
}
tools.test_missing_capability = missing;
tools.test_logging_tool = tools.test_tool_with_logging;
tools.test_streaming_elicitation = tools.test_input_required_result_elicitation;
tools.json_schema_2020_12_tool = () => text('ok');

const ARGUMENTS = {
  test_sampling: { properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  test_elicitation: { properties: { message: { type: 'string' } }, required: ['message'] },
  test_custom_headers: {
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, count: { type: 'integer', 'x-mcp-header': 'Count' } },
  },
};
tools.test_custom_headers = (call) => text(JSON.stringify(call.args));

// ---- prompts and resources

const user = (content) => ({ role: 'user', content });
const prompts = {
  test_simple_prompt: () => ({ messages: [user({ type: 'text', text: 'This is a simple prompt for testing.' })] }),
  test_prompt_with_arguments: ({ args }) => ({
    messages: [user({ type: 'text', text: `Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'` })],
  }),
  test_prompt_with_embedded_resource: ({ args }) => ({
    messages: [
      user({ type: 'resource', resource: { uri: args.resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } }),
      user({ type: 'text', text: 'Please process the embedded resource above.' }),
    ],
  }),
  test_prompt_with_image: () => ({
    messages: [user({ type: 'image', data: PIXEL, mimeType: 'image/png' }), user({ type: 'text', text: 'Please analyze the image above.' })],
  }),
  async test_input_required_result_prompt(call) {
    const form = elicit('What context should the prompt use?', { context: { type: 'string' } }, ['context']);
    const got = await answers(call, { user_context: form });
    return got && { messages: [user({ type: 'text', text: `Context: ${got.user_context?.content?.context}` })] };
  },
};
const WANTS = { test_prompt_with_arguments: ['arg1', 'arg2'], test_prompt_with_embedded_resource: ['resourceUri'] };

const resources = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
  'test://watched-resource': { mimeType: 'text/plain', text: 'watched' },
};

function read(uri) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  const found = id === undefined ? resources[uri]
    : { mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
  if (!found) {
    throw new Failure(modern ? -32602 : -32002, 'Resource not found', { uri });
  }
  return { contents: [{ uri, ...found }] };
}

// ---- the protocol

const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};
const serverInfo = { name: 'conformance-fixture', version: '1.0.0' };
const cached = (result) => (modern ? { ttlMs: 60000, cacheScope: 'public', ...result } : result);

async function handle(method, params) {
  const meta = params._meta ?? {};
  const call = { params, meta, args: params.arguments ?? {}, can: modern ? meta[`${META}clientCapabilities`] ?? {} : client };
  switch (method) {
    case 'initialize':
      if (modern) throw new Failure(-32601, 'Method not found');
      client = params.capabilities ?? {};
      return { protocolVersion: '2025-11-25', capabilities, serverInfo };
    case 'server/discover':
      if (!modern) throw new Failure(-32601, 'Method not found');
      return cached({ supportedVersions: ['2026-07-28'], capabilities, _meta: { [`${META}serverInfo`]: serverInfo } });
    case 'ping':
    case 'logging/setLevel':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return {};
    case 'tools/list':
      return cached({
        tools: Object.keys(tools).map((tool) => ({
          name: tool, description: `For the conformance suite: ${tool}`, inputSchema: { type: 'object', ...ARGUMENTS[tool] },
        })),
      });
    case 'tools/call': {
      if (!Object.hasOwn(tools, params.name)) throw new Failure(-32602, `Unknown tool: ${params.name}`);
      const result = await tools[params.name](call);
      return result ?? call.interim;
    }
    case 'prompts/list':
      return cached({
        prompts: Object.keys(prompts).map((prompt) => ({
          name: prompt,
          description: `For the conformance suite: ${prompt}`,
          arguments: (WANTS[prompt] ?? []).map((one) => ({ name: one, description: one, required: true })),
        })),
      });
    case 'prompts/get': {
      if (!Object.hasOwn(prompts, params.name)) throw new Failure(-32602, `Unknown prompt: ${params.name}`);
      const result = await prompts[params.name](call);
      return result ?? call.interim;
    }
    case 'resources/list':
      return cached({
        resources: Object.entries(resources).map(([uri, one]) => ({ uri, name: uri.slice(7), description: uri, mimeType: one.mimeType })),
      });
    case 'resources/templates/list':
      return cached({
        resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'data', description: 'By id', mimeType: 'application/json' }],
      });
    case 'resources/read':
      return cached(read(params.uri));
    case 'completion/complete':
      return { completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } };
    default:
      throw new Failure(-32601, `Method not found: ${method}`);
  }
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) {
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) one?.failed(new Failure(message.error.code, message.error.message));
    else one?.done(message.result);
  } else if (message.id !== undefined && message.method !== 'subscriptions/listen') {
    try {
      const result = await handle(message.method, message.params ?? {});
      say({ id: message.id, result: modern ? { resultType: 'complete', ...result } : result });
    } catch (failure) {
      say({ id: message.id, error: failure.error ?? { code: -32603, message: String(failure) } });
    }
  } else if (message.method === 'subscriptions/listen') {
    say({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: message.params.notifications, _meta: { [`${META}subscriptionId`]: message.id } },
    });
  }
}).on('close', () => process.exit(0));
