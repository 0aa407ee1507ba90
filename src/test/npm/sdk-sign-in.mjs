/**
 * One of the official SDKs' clients that signs in with its own OAuth code, told what to do line by line.
 *
 *   node sdk-sign-in.mjs v1|v2-legacy|v2-modern URL REDIRECT [dpop]
 *
 * stdin: {"connect": true}, {"callback": URL} where the browser was sent back to, {"list": true},
 * {"call": TOOL, "arguments": {}}, {"spoil": true} makes the access token a wrong one, {"tokens": true}
 * shows what the client has; its end ends the client.
 * stdout: for each line one of JSON: `result`, or `error` with the name and text of what was thrown.
 * Between them {"authorize": URL} where a browser has to go, {"saved": {...}} for each answer of the
 * token endpoint, {"forgot": SCOPE} where the SDK drops what it has.
 */
import { createInterface } from 'node:readline';
import { open } from './sdk-open.mjs';

const [kind, url, redirect, dpop] = process.argv.slice(2);
const say = (line) => console.log(JSON.stringify(line));
console.debug = console.error; // the SDK explains itself there
const has = {};

/** Both SDKs call the same methods. */
const authProvider = {
  redirectUrl: redirect,
  clientMetadata: {
    client_name: `sdk-${kind}`,
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    ...dpop && { dpop_bound_access_tokens: true },
  },
  state: () => (has.state = `state-${process.pid}`),
  clientInformation: () => has.client,
  saveClientInformation: (client) => { has.client = client; },
  tokens: () => has.tokens,
  saveTokens(tokens) {
    has.tokens = tokens;
    const { expires_in, token_type, scope } = tokens;
    say({ saved: { expires_in, token_type, scope, refresh: 'refresh_token' in tokens } });
  },
  redirectToAuthorization: (to) => say({ authorize: to.href }),
  saveCodeVerifier: (verifier) => { has.verifier = verifier; },
  codeVerifier: () => has.verifier,
  saveDiscoveryState: (state) => { has.discovery = state; },
  discoveryState: () => has.discovery,
  invalidateCredentials(scope) {
    say({ forgot: scope });
    const parts = { all: ['client', 'tokens', 'verifier', 'discovery'] }[scope] ?? [scope];
    parts.forEach((part) => delete has[part]);
  },
};
if (dpop) {
  const { DpopSession } = await import('@modelcontextprotocol/client');
  const session = await DpopSession.create();
  authProvider.dpop = () => session;
}

const reopen = () => open(kind, url, [], {}, { authProvider });
let opened = await reopen();

const doing = {
  /** A transport that has failed is of no more use. */
  async connect() {
    opened = await reopen();
    await opened.client.connect(opened.transport);
    return opened.client.getServerVersion();
  },
  async callback({ callback }) {
    const params = new URL(callback).searchParams;
    if (params.get('state') !== has.state) {
      throw new Error(`the state is not mine: ${params}`);
    }
    if (params.has('error')) {
      throw new Error(`${params.get('error')}: ${params.get('error_description')}`);
    }
    await opened.transport.finishAuth(...kind === 'v1' ? [params.get('code')] : [params]);
    return {};
  },
  list: async () => (await opened.client.listTools()).tools.map((tool) => tool.name),
  call: async ({ call, arguments: given }) => opened.call({ name: call, arguments: given ?? {} }),
  spoil: () => ({ ...has.tokens = { ...has.tokens, access_token: `${has.tokens.access_token}x` } }),
  tokens: () => ({ ...has.tokens, client_id: has.client?.client_id }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  try {
    say({ result: await doing[Object.keys(order)[0]](order) ?? null });
  } catch (error) {
    say({ error: `${error.constructor.name}: ${error.message}` });
  }
}
process.exit(0);
