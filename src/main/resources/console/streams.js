/**
 * Server-sent events with a credential, which EventSource cannot send. A stream that breaks is opened
 * again after the last event that was read; mcpbus says `missed` where it no longer has what followed.
 */
import {ApiFailure, failureOf} from './api.js';
import {fetchAsCaller} from './login.js';
import {Blocks} from './parts/blocks.js';

/** The id of no event: mcpbus answers with all that it has kept, and says that some may be missing. */
const ALL_KEPT = 'all';
const PATIENCE_MILLIS = [500, 1_000, 2_000, 5_000, 10_000];

/**
 * It begins with the latest events that mcpbus has kept.
 *
 * @param {(event: object) => void} onEvent each event, in order
 * @param {(state: {open: boolean, failure?: Error}) => void} onState whenever it opens or breaks
 * @returns {() => void} ends it
 */
export function follow(where, onEvent, onState) {
  const ended = new AbortController();
  run(where, onEvent, onState, ended.signal);
  return () => ended.abort();
}

async function run(where, onEvent, onState, signal) {
  let last = ALL_KEPT;
  for (let attempt = 0; !signal.aborted; attempt++) {
    let failure;
    try {
      const answer = await fetchAsCaller(where, {
        headers: {
          Accept: 'text/event-stream',
          'Last-Event-ID': last,
        },
        signal,
      });
      if (!answer.ok) {
        throw failureOf(answer.status, await answer.text());
      }
      onState({open: true});
      attempt = -1;
      last = await read(answer.body, last, onEvent);
    } catch (e) {
      failure = e;
      last = e.lastEventId ?? last;
    }
    if (signal.aborted) {
      return;
    }
    onState({open: false, failure});
    if (failure instanceof ApiFailure && [400, 401, 403].includes(failure.status)) {
      return;
    }
    await new Promise(resume =>
      setTimeout(resume, PATIENCE_MILLIS[Math.min(Math.max(attempt, 0), PATIENCE_MILLIS.length - 1)]));
  }
}

/** Reads until the end. @returns the id of the last event; a failure has it as `lastEventId` */
async function read(body, before, onEvent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const blocks = new Blocks();
  let last = before;
  try {
    for (;;) {
      const {value, done} = await reader.read();
      if (done) {
        return last;
      }
      for (const block of blocks.of(value)) {
        last = take(block, onEvent) ?? last;
      }
    }
  } catch (e) {
    e.lastEventId = last;
    throw e;
  }
}

/** @returns the id of the event, or undefined */
function take(block, onEvent) {
  let id;
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('data:')) {
      data += (data ? '\n' : '') + line.slice(line[5] === ' ' ? 6 : 5);
    } else if (line.startsWith('id:')) {
      id = line.slice(3).trim();
    }
  }
  if (data) {
    onEvent(JSON.parse(data));
  }
  return id;
}
