/** What the fixture offers: the tools, prompts and resources of the conformance suite, and more. */
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRequestStateCodec, inputRequired, MissingRequiredClientCapabilityError, ResourceNotFoundError,
} from '@modelcontextprotocol/server';

const notes = process.env.FIXTURE_NOTES;
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

export const states = createRequestStateCodec({ key: randomBytes(32) });
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

/** What the tools bring in and take out again. */
export const extra = { tool: false, prompt: false };

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

export const tools = {
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
    extra.tool = !extra.tool;
    call.changed('tools');
    return text(`test_extra_tool is ${extra.tool ? 'there' : 'gone'}`);
  },
  test_trigger_prompt_change(call) {
    extra.prompt = !extra.prompt;
    call.changed('prompts');
    return text(`test_extra_prompt is ${extra.prompt ? 'there' : 'gone'}`);
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

export const input = {
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
export const prompts = {
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
export const wants = { test_prompt_with_arguments: ['arg1', 'arg2'], test_prompt_with_embedded_resource: ['resourceUri'] };

export const resources = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched' },
};

export function read(uri) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  const found = id === undefined
    ? resources[uri]
    : { mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
  if (!found) {
    throw new ResourceNotFoundError(uri);
  }
  return { contents: [{ uri, ...found }] };
}
