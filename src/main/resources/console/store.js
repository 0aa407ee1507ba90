/**
 * What the console knows of the service: the servers, the latest events, who the caller is. Streams
 * and answers write here; pages read here, and are drawn again after a change.
 */
import {ApiFailure, get, serverPath} from './api.js';
import {currentKey} from './login.js';
import {follow} from './streams.js';

const KEPT_EVENTS = 500;
const ALONE = 8;
const REREAD_MILLIS = 2_000;
const DRAW_MILLIS = 200;
const REFUSED = 'mcpbus does not take this key any more: it has expired, was removed, or is the admin token of before a restart.';
const ENDED = 'Your sign-in has ended.';

export const store = {
  /** @type {{name: string, admin: boolean, login: boolean}|null} null before the login */
  caller: null,
  /** By id, in the order of ids. @type {Map<string, object>} */
  servers: new Map(),
  leftOut: [],
  problems: [],
  notes: [],
  /** The newest first. @type {object[]} */
  events: [],
  questions: [],
  live: false,
  missed: false,
  failure: null,
  /** Why the caller has to sign in again; null where nobody has taken his key from him. */
  refused: null,
  /** What mcpbus told a caller whom it does not know; undefined before. @type {string|undefined} */
  challenge: undefined,
};

let draw = () => {};
let drawing = false;
let soon = 0;
let endEvents = null;
let dirty = new Set();
let reread = 0;
let heard = false;
const onEvent = new Set();

/** @param {() => void} how draws the page */
export function drawWith(how) {
  draw = how;
}

/** Draws the page before the next frame; many calls are one drawing. */
export function redraw() {
  if (!drawing) {
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      draw();
    });
  }
}

/** For what streams in: at most one drawing in 200 ms. */
export function redrawSoon() {
  soon ||= setTimeout(() => {
    soon = 0;
    redraw();
  }, DRAW_MILLIS);
}

/** @param {(event: object) => void} listener of each event. @returns {() => void} ends it */
export function listen(listener) {
  onEvent.add(listener);
  return () => onEvent.delete(listener);
}

/** Asks who the caller is. A failure other than a missing key is thrown. */
export async function identify() {
  try {
    store.caller = await get('/api/caller');
  } catch (e) {
    store.caller = null;
    if (!(e instanceof ApiFailure && e.isUnauthorized)) {
      throw e;
    }
    store.challenge = e.challenge ?? undefined;
  }
  return store.caller;
}

export async function open() {
  close();
  endEvents = follow('/api/events', take, state => {
    store.live = state.open;
    if (state.failure?.isUnauthorized) {
      refuse();
    } else if (state.open) {
      // What happened while no stream was open is in no event.
      rereadAll();
    }
    redraw();
  });
  await rereadAll();
}

export function close() {
  endEvents?.();
  endEvents = null;
  clearTimeout(reread);
  heard = false;
  reread = 0;
  dirty.clear();
}

function refuse() {
  store.refused = currentKey() ? REFUSED : ENDED;
  signOut();
}

export function signOut() {
  forget();
  store.caller = null;
  redraw();
}

/** What one caller was told is not for the next one. */
export function forget() {
  close();
  store.servers = new Map();
  store.events = [];
  store.questions = [];
}

async function rereadAll() {
  try {
    const list = await get('/api/servers');
    store.servers = new Map(list.servers.map(server => [server.id, server]));
    store.leftOut = list.leftOut ?? [];
    store.problems = list.problems ?? [];
    store.notes = list.notes ?? [];
    store.failure = null;
    rereadQuestions();
  } catch (e) {
    if (e.isUnauthorized) {
      refuse();
    }
    store.failure = e;
  }
  redraw();
}

export async function rereadQuestions() {
  try {
    store.questions = (await get('/api/inputs')).questions;
  } catch {
    store.questions = []; // callers without the right to call have none
  }
  redraw();
}

function take(event) {
  if (event.type === 'missed') {
    // The first is of what happened before this page was opened.
    store.missed = heard;
    heard = true;
    rereadAll();
    return;
  }
  heard = true;
  store.events.unshift(event);
  if (store.events.length > KEPT_EVENTS + 100) {
    store.events.length = KEPT_EVENTS;
  }
  if (event.type === 'inputRequested' || event.type === 'inputResolved') {
    rereadQuestions();
  }
  apply(event);
  onEvent.forEach(listener => listener(event));
  redrawSoon();
}

/** A state is known at once; the rest is read again, of many servers at most every 2 s. */
function apply(event) {
  const server = store.servers.get(event.id);
  if (event.type === 'serverRemoved') {
    store.servers.delete(event.id);
    return;
  }
  if (server && event.type === 'stateChanged') {
    store.servers.set(event.id, {...server, state: event.to});
  }
  if (['log', 'progress', 'notification', 'resourceUpdated', 'task', 'callsRepeated'].includes(event.type)) {
    return;
  }
  dirty.add(event.id);
  reread ||= setTimeout(rereadDirty, dirty.size > ALONE ? REREAD_MILLIS : 100);
}

async function rereadDirty() {
  const ids = [...dirty];
  dirty.clear();
  if (ids.length > ALONE || ids.some(id => !store.servers.has(id))) {
    await rereadAll();
    await new Promise(later => setTimeout(later, REREAD_MILLIS));
  } else {
    await Promise.all(ids.map(async id => {
      try {
        const status = await get(serverPath(id, 'status'));
        if (store.servers.has(id)) {
          store.servers.set(id, {...status, id});
        }
      } catch {
        // It is on its way to another node or gone: its next event tells.
      }
    }));
    redraw();
  }
  reread = dirty.size ? setTimeout(rereadDirty, 100) : 0;
}
