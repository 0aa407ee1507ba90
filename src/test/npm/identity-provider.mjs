/**
 * A company's identity provider, on `oidc-provider`: people log in, and agree only where a client asks
 * for that.
 *
 *   node identity-provider.mjs [OPTIONS]
 *
 * OPTIONS is JSON: `port` (0: a free one), `accessTokenSeconds` (300), `secondsOf` (by resource: others),
 * `redirects` (where mcpbus may send people back to: by default to its callback on this machine),
 * `clients` (more of them, as RFC 7591 describes them), `opaque` (resources whose tokens are no JWTs; the others' are),
 * `exchangeable` (by client, the resources whose tokens it may exchange besides its own tokens),
 * `nonces` (whether DPoP proofs need one).
 *
 * The first line on stdout is {"issuer": URL}. Each request to the token, revocation,
 * introspection and registration endpoints is a further line, without its secrets; `subject` is the
 * SHA-256 of the token that was to be exchanged.
 * POST /test/leave?user=NAME removes a person, POST /test/return?user=NAME undoes it.
 */
import { createServer } from 'node:http';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { errors, interactionPolicy, Provider } from 'oidc-provider';

const options = {
  port: 0,
  accessTokenSeconds: 300,
  secondsOf: {},
  redirects: ['http://127.0.0.1/oauth/callback'],
  clients: [],
  opaque: [],
  exchangeable: {},
  nonces: false,
  ...JSON.parse(process.argv[2] ?? '{}'),
};

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const SCOPES = ['openid', 'offline_access', 'profile', 'email', 'groups', 'mcp', 'mcp:admin', 'notes'];

const people = {
  alice: { groups: ['engineering', 'operators'], name: 'Alice' },
  bob: { groups: ['engineering'], name: 'Bob' },
  carol: { groups: ['guests'], name: 'Carol' },
};
const gone = new Set();
const claims = (sub) => ({ sub, email: `${sub}@example.com`, email_verified: true, ...people[sub] });

const keys = [['ec', { namedCurve: 'P-256' }, 'ES256'], ['rsa', { modulusLength: 2048 }, 'RS256']]
  .map(([type, made, alg]) => ({
    ...generateKeyPairSync(type, made).privateKey.export({ format: 'jwk' }),
    alg,
    use: 'sig',
    kid: randomBytes(6).toString('hex'),
  }));
const publicKeys = createLocalJWKSet({
  keys: keys.map(({ kty, crv, x, y, n, e, alg, use, kid }) => ({ kty, crv, x, y, n, e, alg, use, kid })),
});

const http = createServer();
await new Promise((listening) => http.listen(options.port, '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${http.address().port}`;

/** What tokens for a resource are like. */
function resourceServer(resource) {
  return {
    scope: SCOPES.join(' '),
    audience: resource,
    accessTokenFormat: options.opaque.includes(resource) ? 'opaque' : 'jwt',
    accessTokenTTL: options.secondsOf[resource] ?? options.accessTokenSeconds,
    jwt: { sign: { alg: 'ES256' } },
  };
}

const policy = interactionPolicy.base();
policy.get('consent').checks.remove('native_client_prompt');

const provider = new Provider(issuer, {
  clients: [
    {
      // mcpbus, for its sign-in, for introspection and for token exchange
      client_id: 'mcpbus',
      client_secret: 'the secret of mcpbus',
      application_type: 'native',
      redirect_uris: options.redirects,
      grant_types: ['authorization_code', 'refresh_token', EXCHANGE],
    },
    {
      // the test itself
      client_id: 'direct',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/done'],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    ...options.clients,
  ],
  jwks: { keys },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  scopes: SCOPES,
  claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
  conformIdTokenClaims: false,
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  enabledJWA: { dPoPSigningAlgValues: ['ES256', 'EdDSA'] },
  features: {
    devInteractions: { enabled: false },
    deviceFlow: { enabled: false },
    dPoP: {
      enabled: true,
      nonceSecret: options.nonces ? randomBytes(32) : undefined,
      requireNonce: () => options.nonces,
    },
    introspection: { enabled: true, allowedPolicy: (ctx, client) => client.clientAuthMethod !== 'none' },
    revocation: { enabled: true },
    registration: { enabled: true },
    clientIdMetadataDocument: { enabled: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (ctx, resource) => resourceServer(resource),
      useGrantedResource: () => true,
    },
  },
  interactions: { policy, url: (ctx, interaction) => `/login/${interaction.uid}` },
  pkce: { required: () => true },
  issueRefreshToken: (ctx, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  extraTokenClaims: (ctx, { accountId }) =>
    accountId && { groups: people[accountId].groups, email: claims(accountId).email },
  findAccount: (ctx, sub) => (people[sub] && !gone.has(sub)
    ? { accountId: sub, claims: () => claims(sub) } : undefined),
  /** Every person has agreed to every client of the company. */
  async loadExistingGrant(ctx) {
    const { client, session, params } = ctx.oidc;
    return granted(client.clientId, session.accountId, params.resource, [...ctx.oidc.requestParamScopes].join(' '));
  },
  ttl: {
    AccessToken: (ctx, token) => token.resourceServer?.accessTokenTTL ?? options.accessTokenSeconds,
    Grant: 86_400, IdToken: 600, Interaction: 600, RefreshToken: 86_400, Session: 86_400,
  },
});

async function granted(clientId, accountId, resources, scope) {
  const grant = new provider.Grant({ clientId, accountId });
  grant.addOIDCScope(scope);
  for (const resource of [resources ?? []].flat()) {
    grant.addResourceScope(resource, scope);
  }
  await grant.save();
  return grant;
}

/** The person of a token that a client may exchange, and the token's scopes (RFC 8693, section 2.1). */
async function subject(client, { subject_token: token, subject_token_type: type }) {
  const own = (allowed, found) => {
    if (!allowed) {
      throw new errors.InvalidRequest('the subject token was issued to another client');
    }
    return found;
  };
  if (type === ID_TOKEN) {
    const { payload } = await jwtVerify(token, publicKeys, { issuer }).catch(refuse);
    return own([payload.aud].flat().includes(client.clientId), { sub: payload.sub, scopes: SCOPES });
  }
  if (type !== ACCESS_TOKEN) {
    throw new errors.InvalidRequest('subject_token_type is not supported');
  }
  const opaque = await provider.AccessToken.find(token);
  if (opaque) {
    return own(opaque.clientId === client.clientId, { sub: opaque.accountId, scopes: [...opaque.scopes] });
  }
  const { payload } = await jwtVerify(token, publicKeys, { issuer, typ: 'at+jwt' }).catch(refuse);
  const audiences = options.exchangeable[client.clientId] ?? [];
  return own(payload.client_id === client.clientId || [payload.aud].flat().some((one) => audiences.includes(one)),
    { sub: payload.sub, scopes: payload.scope?.split(' ') ?? [] });
}

const refuse = () => {
  throw new errors.InvalidRequest('the subject token is not valid');
};

provider.registerGrantType(EXCHANGE, async (ctx) => {
  const { client, params } = ctx.oidc;
  const target = params.resource ?? params.audience;
  if (!target || Array.isArray(target)) {
    throw new errors.InvalidTarget('one resource or audience is needed');
  }
  const { sub, scopes } = await subject(client, params);
  if (!people[sub] || gone.has(sub)) {
    refuse();
  }
  const wanted = params.scope?.split(' ') ?? scopes;
  const scope = wanted.filter((one) => scopes.includes(one) && SCOPES.includes(one)).join(' ');
  const grant = await granted(client.clientId, sub, target, scope);
  const token = new provider.AccessToken({ accountId: sub, client, grantId: grant.jti, gty: 'token_exchange', scope });
  token.resourceServer = new provider.ResourceServer(target, resourceServer(target));
  ctx.oidc.entity('AccessToken', token);
  ctx.body = {
    access_token: await token.save(), issued_token_type: ACCESS_TOKEN, token_type: 'Bearer',
    expires_in: token.expiration, scope,
  };
}, ['subject_token', 'subject_token_type', 'requested_token_type', 'resource', 'audience', 'scope',
  'actor_token', 'actor_token_type'], ['resource', 'audience']);

provider.use(async (ctx, next) => {
  await next();
  const { route, client, params } = ctx.oidc ?? {};
  if (['token', 'revocation', 'introspection', 'registration'].includes(route)) {
    console.log(JSON.stringify({
      route, status: ctx.status, error: ctx.body?.error, detail: ctx.body?.error_description, client: client?.clientId,
      grant: params?.grant_type, resource: params?.resource ?? params?.audience, dpop: 'dpop' in ctx.headers,
      subject: params?.subject_token && createHash('sha256').update(params.subject_token).digest('hex'),
    }));
  }
});

const page = (res, status, html) => {
  res.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(
    `<!doctype html><html lang="en"><title>Example company</title><main>${html}</main></html>`);
};

const refusal = '<button name="do" value="refuse">Cancel</button></form>';
const forms = {
  login: '<h1>Log in</h1><form method="post"><label>Name <input name="login" autofocus></label>'
    + `<button name="do" value="login">Log in</button>${refusal}`,
  consent: `<h1>Stay logged in?</h1><form method="post"><button name="do" value="consent">Yes</button>${refusal}`,
};

/** The pages of a login; their forms are posted to their own URL. */
async function login(req, res) {
  if (req.method === 'GET') {
    const { prompt } = await provider.interactionDetails(req, res);
    page(res, 200, forms[prompt.name] ?? `<h1>${prompt.name}</h1>`);
    return;
  }
  let body = '';
  for await (const part of req.setEncoding('utf8')) {
    body += part;
  }
  const form = new URLSearchParams(body);
  const name = form.get('login');
  if (form.get('do') === 'refuse') {
    await provider.interactionFinished(req, res, { error: 'access_denied', error_description: 'the person said no' });
  } else if (form.get('do') === 'consent') {
    await provider.interactionFinished(req, res, { consent: {} }, { mergeWithLastSubmission: true });
  } else if (!people[name] || gone.has(name)) {
    page(res, 403, '<h1>Nobody has this name</h1>');
  } else {
    await provider.interactionFinished(req, res, { login: { accountId: name } });
  }
}

const serve = provider.callback();
http.on('request', (req, res) => {
  const url = new URL(req.url, issuer);
  if (url.pathname.startsWith('/login/')) {
    login(req, res).catch((error) => page(res, 400, `<h1>${error.name}</h1>`));
  } else if (req.method === 'POST' && url.pathname.startsWith('/test/')) {
    gone[url.pathname.endsWith('/leave') ? 'add' : 'delete'](url.searchParams.get('user'));
    res.writeHead(204).end();
  } else {
    serve(req, res);
  }
});
console.log(JSON.stringify({ issuer }));
