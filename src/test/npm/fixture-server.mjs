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
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createMcpHandler, isLegacyRequest, ProtocolError, Server } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import {
  localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport,
  toNodeHandler, toWebRequest,
} from '@modelcontextprotocol/node';
import { offerSkills, readSkill, skillResources, skillsExtension } from './fixture-skills.mjs';
import { extra, input, prompts, read, resources, states, tools, wants } from './fixture-offer.mjs';

const [eras, port] = process.argv.slice(2);
if (!['both', 'legacy', 'modern'].includes(eras)) {
  console.error('usage: fixture-server.mjs both|legacy|modern [port]');
  process.exit(2);
}

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

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
        extensions: skillsExtension,
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
    tools: [...Object.keys(tools), ...(extra.tool ? ['test_extra_tool'] : [])].map((name) => ({
      name, description: `For tests: ${name}`, inputSchema: input[name] ?? { type: 'object' },
    })),
  }));
  server.setRequestHandler('tools/call', (request, ctx) =>
    known(tools, request.params.name, 'tool')(call(request, ctx)));
  server.setRequestHandler('prompts/list', () => ({
    prompts: [...Object.keys(prompts), ...(extra.prompt ? ['test_extra_prompt'] : [])].map((name) => ({
      name,
      description: `For tests: ${name}`,
      arguments: (wants[name] ?? []).map((one) => ({ name: one, description: one, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', (request, ctx) =>
    known(prompts, request.params.name, 'prompt')(call(request, ctx)));
  server.setRequestHandler('resources/list', () => ({
    resources: [
      ...Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri.slice(7), description: uri, mimeType })),
      ...skillResources(),
    ],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'data', description: 'By id', mimeType: 'application/json' },
    ],
  }));
  server.setRequestHandler('resources/read', (request) => readSkill(request.params.uri) ?? read(request.params.uri));
  offerSkills(server);
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
