/**
 * The caller's key. It is kept in the session storage of this tab, and never in an address: the link
 * that mcpbus prints at its start has it behind `#token=`, which this module takes out of the address
 * before anything else runs.
 */
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

/** @param {string|null} next null forgets it */
export function setKey(next) {
  key = next || null;
  if (key) {
    sessionStorage.setItem(PLACE, key);
  } else {
    sessionStorage.removeItem(PLACE);
  }
}

/** The headers that a request of this caller has. */
export const credential = () => (key ? {Authorization: `Bearer ${key}`} : {});

/** The subprotocols of a WebSocket of this caller: a browser can set no header there. */
export function socketProtocols() {
  if (!key) {
    return ['mcpbus'];
  }
  const text = btoa(String.fromCharCode(...new TextEncoder().encode(key)));
  const token = text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return ['mcpbus', `mcpbus.bearer.${token}`];
}
