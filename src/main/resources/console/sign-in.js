/**
 * The sign-in at mcpbus with the company's identity provider: an authorization code with PKCE for the
 * client that mcpbus knows as its console. What comes back counts where this tab has begun it. The
 * tokens stay in the session storage of this tab; a copy of the tab shares them, and hears of new ones.
 */
const CLIENT = 'mcpbus-console';
const BEGUN = 'mcpbus.signIn.begun';
const PLACE = 'mcpbus.signIn';
const REFUSED = {access_denied: 'The sign-in was cancelled.'};

const tabs = new BroadcastChannel(PLACE);
/** @type {{access: string, refresh: string, renewAt: number}|null} */
let tokens = JSON.parse(sessionStorage.getItem(PLACE));
let previous = null; // the refresh token before
let renewal = null;
let offered = null;

// Two copies that renew at the same time have two tokens of one generation: both take the lesser one,
// or the copy that renews later would use one that is over, which ends the login.
tabs.onmessage = ({data: {before, next}}) => {
  const crossed = before === previous && (!next || next.refresh < tokens?.refresh);
  if (tokens && (before === tokens.refresh || crossed)) {
    previous = before;
    keep(next);
  }
};

export const isSignedIn = () => tokens !== null;

function keep(next) {
  tokens = next;
  if (next) {
    sessionStorage.setItem(PLACE, JSON.stringify(next));
  } else {
    sessionStorage.removeItem(PLACE);
  }
}

function change(next) {
  const before = tokens?.refresh;
  keep(next);
  if (before) {
    previous = before;
    tabs.postMessage({before, next});
  }
}

/**
 * Whether people sign in here: asked once, for who has no key.
 *
 * @param {string} [challenge] of a request that was refused; without it one is made
 */
export function isOffered(challenge) {
  offered ??= find(challenge).catch(() => {
    offered = null; // mcpbus does not answer now
    return false;
  });
  return offered;
}

async function find(challenge) {
  const said = challenge ?? (await fetch('/api/caller', {cache: 'no-store'})).headers.get('WWW-Authenticate');
  const place = /resource_metadata="([^"]+)"/.exec(said ?? '')?.[1];
  if (!place || new URL(place).origin !== location.origin || !globalThis.crypto.subtle) {
    return false;
  }
  const metadata = await (await fetch(place, {cache: 'no-store'})).json();
  return metadata.authorization_servers?.includes(location.origin) ?? false;
}

const text = bytes => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
const random = () => text(crypto.getRandomValues(new Uint8Array(32)));
const page = () => `${location.origin}/`;

/** Leaves for the provider. */
export async function begin() {
  const begun = {state: random(), verifier: random(), hash: location.hash};
  sessionStorage.setItem(BEGUN, JSON.stringify(begun));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(begun.verifier));
  location.assign(`/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT,
    redirect_uri: page(),
    state: begun.state,
    code_challenge: text(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  })}`);
}

/**
 * Takes what the address has of a sign-in out of it, and gets the tokens.
 *
 * @returns {Promise<string|null>} what is wrong with it; null for no answer, and for a good one
 */
export async function takeAnswer() {
  const fields = new URLSearchParams(location.search);
  if (!fields.has('code') && !fields.has('error') && !fields.has('state')) {
    return null;
  }
  const begun = JSON.parse(sessionStorage.getItem(BEGUN));
  sessionStorage.removeItem(BEGUN);
  const isMine = Boolean(begun) && begun.state === fields.get('state') && fields.get('iss') === location.origin;
  history.replaceState(null, '', location.pathname + (isMine ? begun.hash : location.hash));
  if (!isMine) {
    return 'This tab has not begun that sign-in.';
  }
  if (!fields.get('code')) {
    return REFUSED[fields.get('error')] ?? 'The identity provider could not sign you in. Try again.';
  }
  try {
    signOut();
    await ask({grant_type: 'authorization_code', code: fields.get('code'), redirect_uri: page(), code_verifier: begun.verifier});
    return tokens ? null : 'The sign-in took too long, or was used before. Try again.';
  } catch {
    return 'mcpbus does not answer; does it run?';
  }
}

const post = (where, form) => fetch(where, {
  method: 'POST',
  body: new URLSearchParams({client_id: CLIENT, ...form}),
  cache: 'no-store',
  referrerPolicy: 'no-referrer',
  keepalive: true, // the answer has the only refresh token, and who leaves the page signs out all the same
});

/** New tokens; none where mcpbus refuses. What went wrong on the way is thrown, and changes nothing. */
async function ask(form) {
  const answer = await post('/oauth/token', form);
  if (form.refresh_token !== tokens?.refresh) {
    return; // who signed out meanwhile stays so, and a copy of this tab was faster
  }
  if (answer.ok) {
    const {access_token: access, refresh_token: refresh, expires_in: seconds} = await answer.json();
    change({access, refresh, renewAt: Date.now() + seconds * 800}); // after four fifths of its time
  } else if (answer.status === 400 || answer.status === 401) {
    change(null);
  } else {
    throw new Error(`HTTP ${answer.status}`);
  }
}

/** The access token, renewed before its end; null for nobody who has signed in. */
export async function accessToken() {
  if (tokens && Date.now() >= tokens.renewAt) {
    await renew(tokens.access);
  }
  return tokens?.access ?? null;
}

/**
 * Renews the tokens once for all who ask.
 *
 * @param {string} access that is over, or was refused
 * @returns {Promise<boolean>} whether there is another one
 */
export async function renew(access) {
  if (tokens?.access === access) {
    renewal ??= ask({grant_type: 'refresh_token', refresh_token: tokens.refresh}).finally(() => {
      renewal = null;
    });
    await renewal.catch(() => {}); // the token may still be good
  }
  return tokens !== null && tokens.access !== access;
}

/** Ends the login: none of its tokens is good any more. */
export function signOut() {
  if (tokens) {
    post('/oauth/revoke', {token: tokens.refresh}).catch(() => {}); // it ends by itself
    change(null);
  }
}
