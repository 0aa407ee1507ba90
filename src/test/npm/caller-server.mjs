/**
 * A server that knows who calls, on the official SDK: each person has notes and a tool of his own.
 *
 *   node caller-server.mjs ERA oauth ISSUER [PORT]   a Bearer token of the issuer, for this server's URL
 *   node caller-server.mjs ERA secret [PORT]         a header X-Token, or ?token= in the URL
 *   node caller-server.mjs ERA stdio                 a variable PERSONAL_TOKEN, over stdio
 *
 * ERA is legacy, modern or both. The token of alice, where no issuer makes them, is `token-of-alice`.
 * Over HTTP the first line on stdout is the URL; each MCP request is a further line of JSON: `method`,
 * `person`, `headers` (their names). A session that a second person uses is a line with `crossed`. Before
 * any check, each request is a line with `arrived`: SHA-256 of each word of its headers, URL and body.
 *
 * Tools: `whoami`, `my_notes`, `add_note` (`note`), `wait` (`ms`, then as `whoami`), `about` (JSON: the
 * process, what the token says, the names of the headers) and one that is named `of_` and the person.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import {
  createMcpHandler, getOAuthProtectedResourceMetadataUrl, isLegacyRequest, OAuthError, OAuthErrorCode,
  ProtocolError, requireBearerAuth, Server,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';

const [era, kind, ...more] = process.argv.slice(2);
if (!['both', 'legacy', 'modern'].includes(era) || !['oauth', 'secret', 'stdio'].includes(kind)) {
  console.error('usage: caller-server.mjs both|legacy|modern oauth ISSUER [PORT] | secret [PORT] | stdio');
  process.exit(2);
}

const notes = new Map();
const personOf = (secret) => /^token-of-(\w+)$/.exec(secret ?? '')?.[1];

const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const tools = {
  whoami: ({ person }) => text(person),
  my_notes: ({ person }) => text(notes.get(person) ?? []),
  add_note: ({ person }, { note }) => {
    notes.set(person, [...notes.get(person) ?? [], note]);
    return text(notes.get(person));
  },
  wait: async ({ person }, { ms }) => {
    await new Promise((over) => setTimeout(over, ms));
    return text(person);
  },
  about: (caller) => text({ pid: process.pid, ...caller }),
};
const input = {
  add_note: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
  wait: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
};

/** @param own who calls, where that does not depend on the request */
function build(own) {
  const server = new Server(
    { name: 'caller-server', version: '1.0.0' }, { capabilities: { tools: {}, resources: {} } });
  const callerOf = (ctx) => own ?? ctx.http.authInfo.extra;
  server.setRequestHandler('tools/list', (request, ctx) => ({
    tools: [...Object.keys(tools), `of_${callerOf(ctx).person}`].map((name) => ({
      name, description: `${name} for ${callerOf(ctx).person}`, inputSchema: input[name] ?? { type: 'object' },
    })),
  }));
  server.setRequestHandler('tools/call', (request, ctx) => {
    const { name, arguments: given } = request.params;
    const caller = callerOf(ctx);
    const tool = name === `of_${caller.person}` ? tools.whoami : Object.hasOwn(tools, name) && tools[name];
    if (!tool) {
      throw new ProtocolError(-32602, `Unknown tool: ${name}`);
    }
    return tool(caller, given ?? {});
  });
  server.setRequestHandler('resources/list', (request, ctx) => ({
    resources: [{ uri: `notes://${callerOf(ctx).person}`, name: 'notes', mimeType: 'application/json' }],
  }));
  server.setRequestHandler('resources/read', (request, ctx) => {
    const { person } = callerOf(ctx);
    if (request.params.uri !== `notes://${person}`) {
      throw new ProtocolError(-32602, `Unknown resource: ${request.params.uri}`);
    }
    return {
      contents: [{
        uri: request.params.uri, mimeType: 'application/json', text: JSON.stringify(notes.get(person) ?? []),
      }],
    };
  });
  return server;
}

if (kind === 'stdio') {
  const person = personOf(process.env.PERSONAL_TOKEN);
  if (!person) {
    console.error('PERSONAL_TOKEN is the token of nobody');
    process.exit(1);
  }
  serveStdio(() => build({ person }), { legacy: era === 'modern' ? 'reject' : 'serve' });
} else {
  const http = createServer();
  await new Promise((listening) => http.listen(Number(more[kind === 'oauth' ? 1 : 0] ?? 0), '127.0.0.1', listening));
  const url = `http://127.0.0.1:${http.address().port}/mcp`;
  const gate = kind === 'oauth' ? await bearer(url, more[0]) : secret;
  http.on('request', (req, res) => serve(req, res, gate).catch((error) => {
    console.error(error);
    res.headersSent ? res.destroy() : res.writeHead(500).end();
  }));
  console.log(url);
}

/** Gives what SDKs call AuthInfo, or null after it has answered. */
async function bearer(url, issuer) {
  const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri));
  const verifyAccessToken = async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, { issuer, audience: url, typ: 'at+jwt' });
      return {
        token, clientId: payload.client_id, scopes: payload.scope?.split(' ') ?? [], expiresAt: payload.exp,
        extra: { person: payload.sub, client: payload.client_id, audience: payload.aud, token: payload.jti },
      };
    } catch (error) {
      throw new OAuthError(OAuthErrorCode.InvalidToken, error.message);
    }
  };
  const where = new URL(getOAuthProtectedResourceMetadataUrl(new URL(url)));
  const check = requireBearerAuth({ verifier: { verifyAccessToken }, resourceMetadataUrl: where.href });
  return async (req, res) => {
    if (req.url === where.pathname) {
      res.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({ resource: url, authorization_servers: [issuer], scopes_supported: ['notes'] }));
      return null;
    }
    const checked = await check(await toWebRequest(req, {}));
    if (!(checked instanceof Response)) {
      return checked;
    }
    res.writeHead(checked.status, Object.fromEntries(checked.headers)).end(await checked.text());
    return null;
  };
}

function secret(req, res) {
  const token = req.headers['x-token'] ?? new URL(req.url, 'http://localhost').searchParams.get('token');
  const person = personOf(token);
  if (!person) {
    res.writeHead(401, { 'content-type': 'text/plain' }).end('the token of nobody');
    return null;
  }
  return { token, clientId: person, scopes: [], extra: { person } };
}

const sessions = new Map();
const modern = era === 'legacy' ? null : toNodeHandler(createMcpHandler(() => build(), { legacy: 'reject' }));

async function serve(req, res, gate) {
  let body = '';
  for await (const part of req.setEncoding('utf8')) {
    body += part;
  }
  const words = [req.url, ...Object.values(req.headers).flat(), body].flatMap((text) => text.split(/[^\w.~+/-]+/));
  console.log(JSON.stringify({ arrived: [...new Set(words)].map((word) => createHash('sha256').update(word).digest('hex')) }));
  req.auth = await gate(req, res);
  if (!req.auth) {
    return;
  }
  const { person } = req.auth.extra;
  req.auth.extra.headers = Object.keys(req.headers);
  try {
    req.body = body === '' ? undefined : JSON.parse(body);
  } catch {
    res.writeHead(400).end();
    return;
  }
  console.log(JSON.stringify({ method: req.body?.method ?? req.method, person, headers: Object.keys(req.headers) }));
  const legacy = era === 'legacy'
    || (era === 'both' && await isLegacyRequest(await toWebRequest(req, req.body ?? {}), req.body));
  if (!legacy) {
    await modern(req, res, req.body);
    return;
  }
  const id = req.headers['mcp-session-id'];
  let session = sessions.get(id);
  if (session && session.person !== person) {
    console.log(JSON.stringify({ crossed: [session.person, person] }));
  }
  if (id !== undefined && session?.person !== person) {
    res.writeHead(404, { 'content-type': 'application/json' }).end(
      JSON.stringify({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null }));
    return;
  }
  if (!session) {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => sessions.set(made, session),
      onsessionclosed: (ended) => sessions.delete(ended),
    });
    session = { person, transport };
    await build().connect(transport);
  }
  await session.transport.handleRequest(req, res, req.body);
}
