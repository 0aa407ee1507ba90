/**
 * Who calls from this tab: by a key, or by a sign-in. A key is kept in the session storage of this
 * tab, and never in an address: the link that mcpbus prints at its start has it behind `#token=`,
 * which this module takes out of the address before anything else runs.
 */
import {accessToken, isSignedIn, renew, signOut} from './sign-in.js';

const PLACE = 'mcpbus.key';
const LINK = /^#token=([\x21-\x7e]{1,4096})$/;

let key = sessionStorage.getItem(PLACE);

/** Takes the key out of a link. Where there is none, the key of this tab stays. */
export function takeFromAddress() {
  const link = LINK.exec(location.hash);
  if (link) {
    history.replaceState(null, '', location.pathname + '#/connections');
    setKey(link[1]);
  }
}

export const currentKey = () => key;

/** Whether this tab has a key or a sign-in. */
export const isKnown = () => Boolean(key) || isSignedIn();

/** @param {string|null} next takes the place of a sign-in; null forgets the key alone */
export function setKey(next) {
  key = next || null;
  if (key) {
    signOut();
    sessionStorage.setItem(PLACE, key);
  } else {
    sessionStorage.removeItem(PLACE);
  }
}

/** The next caller of this tab is nobody. */
export function forgetCaller() {
  setKey(null);
  signOut();
}

/** As fetch, as this caller. Where the token of a sign-in is refused, once more with a new one. */
export async function fetchAsCaller(where, init) {
  const token = key ?? await accessToken();
  const answer = await ask(where, init, token);
  return answer.status === 401 && !key && token && await renew(token) ? ask(where, init, await accessToken()) : answer;
}

const ask = (where, init, token) => fetch(where, {
  ...init,
  headers: {...(token ? {Authorization: `Bearer ${token}`} : {}), ...init.headers},
  cache: 'no-store',
  referrerPolicy: 'no-referrer',
});

/** The subprotocols of a WebSocket of this caller: a browser can set no header there. */
export async function socketProtocols() {
  const credential = key ?? await accessToken();
  if (!credential) {
    return ['mcpbus'];
  }
  const text = btoa(String.fromCharCode(...new TextEncoder().encode(credential)));
  const token = text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return ['mcpbus', `mcpbus.bearer.${token}`];
}
