/**
 * The event bus of mcpbus over a WebSocket, for what only the bus has: the progress of one's own
 * calls. It is open while somebody listens.
 */
import {socketProtocols} from './login.js';

const PING_MILLIS = 5_000;

const AGAIN_MILLIS = 1_000;

let socket = null;
let opening = null;
let ping = 0;
const listeners = new Map();

/** A name that nobody else guesses; mcpbus takes 16 to 64 letters, digits and hyphens. */
export const secretName = () => crypto.randomUUID();

/**
 * Listens to the progress of the call with the header `Progress: name`.
 *
 * @param {(progress: object) => void} onProgress params of notifications/progress
 * @returns {Promise<() => void>} once mcpbus listens, or cannot; ends it
 */
export async function listenToProgress(name, onProgress) {
  const address = `mcp.progress.${name}`;
  listeners.set(address, onProgress);
  const end = () => {
    listeners.delete(address);
    if (listeners.size === 0) {
      close();
    } else {
      say({type: 'unregister', address});
    }
  };
  try {
    await opened();
    say({type: 'register', address, headers: {}});
  } catch {
    // Without a socket the call has no progress bar, and everything else.
  }
  return end;
}

function say(frame) {
  if (socket?.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify(frame));
  }
}

function opened() {
  if (socket?.readyState === WebSocket.OPEN) {
    return Promise.resolve();
  }
  opening ??= open().finally(() => {
    opening = null;
  });
  return opening;
}

async function open() {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const mine = new WebSocket(`${scheme}//${location.host}/eventbus/websocket`, await socketProtocols());
  mine.binaryType = 'arraybuffer';
  socket = mine;
  mine.addEventListener('message', message => {
    const text = typeof message.data === 'string' ? message.data : new TextDecoder().decode(message.data);
    const frame = JSON.parse(text);
    if (frame.type === 'rec') {
      listeners.get(frame.address)?.(frame.body);
    }
  });
  mine.addEventListener('close', () => {
    if (socket === mine) {
      socket = null;
      clearInterval(ping);
    }
  });
  await new Promise((resolve, reject) => {
    mine.addEventListener('open', resolve, {once: true});
    mine.addEventListener('close', () => reject(new Error('no socket')), {once: true});
  });
  ping = setInterval(() => say({type: 'ping'}), PING_MILLIS);
  mine.addEventListener('close', () => setTimeout(reopen, AGAIN_MILLIS));
  if (!listeners.size) {
    close(); // the last one went while it was opened
  }
}

/** The token with which it was opened has ended, and there may be a new one. */
async function reopen() {
  if (listeners.size && await opened().then(() => true, () => false)) {
    listeners.forEach((listener, address) => say({type: 'register', address, headers: {}}));
  }
}

function close() {
  clearInterval(ping);
  socket?.close();
  socket = null;
}
