/**
 * Whether a person at this page answers the questions of a server. mcpbus lets a server ask only what
 * a caller offers to answer, so the console offers it for the servers that are chosen, and renews the
 * offer while it is open.
 */
import {html} from '../lib/lit-html/lit-html.js';
import {post, remove} from '../api.js';
import {redraw} from '../store.js';
import {notify} from './element.js';
import {failureText} from '../api.js';

const TTL_MILLIS = 120_000;
const RENEW_MILLIS = 50_000;
const CAPABILITIES = {elicitation: {form: {}, url: {}}, sampling: {}};

/** By server: the offer and the timer that renews it. */
const made = new Map();

async function offer(server, id) {
  return (await post('/api/offers', {id: server, capabilities: CAPABILITIES, ttl: TTL_MILLIS, ...(id ? {offer: id} : {})})).offer;
}

async function toggle(server) {
  const mine = made.get(server);
  try {
    if (mine) {
      made.delete(server);
      clearInterval(mine.timer);
      await remove(`/api/offers/${encodeURIComponent(mine.offer)}`);
    } else {
      const first = await offer(server);
      const timer = setInterval(() => renew(server), RENEW_MILLIS);
      made.set(server, {offer: first, timer});
    }
  } catch (e) {
    notify(failureText(e), 'failure');
  }
  redraw();
}

async function renew(server) {
  const mine = made.get(server);
  try {
    mine.offer = await offer(server, mine.offer);
  } catch {
    // It has ended, or mcpbus is away: a new one is made.
    mine.offer = await offer(server).catch(() => mine.offer);
  }
}

export const offers = {
  view: server => html`<label class="inline" title="A connected server of the initialize era gets a new session for it"><input type="checkbox" .checked=${made.has(server)} @change=${() => toggle(server)}> Answer its questions here</label>`,

  endAll() {
    made.forEach(one => clearInterval(one.timer));
    made.clear();
  },
};
