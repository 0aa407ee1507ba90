/** JSON-RPC messages as they pass, each request beside its response. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {post, serverPath} from '../api.js';
import {action, alertBox, copyButton, download, empty, notify, searchBox} from '../parts/element.js';
import {parse} from '../parts/exact-json.js';
import {httpArchive, jsonLines} from '../parts/export.js';
import {jsonTree} from '../parts/json-tree.js';
import {clock, size, span} from '../parts/time.js';
import {VirtualList} from '../parts/virtual-list.js';
import {named, shown} from '../parts/visible-text.js';
import {redraw, redrawSoon, store} from '../store.js';
import {follow} from '../streams.js';

const KEPT = 2_000;
const KEPT_CHARACTERS = 16_000_000;
const ROW = 34;
const SHOWN_SECONDS = 600;

export class TrafficPage {
  title = 'Traffic';
  admin = true;
  server = '';
  search = '';
  kind = '';
  paused = false;
  failure = null;
  /** The newest last. */
  exchanges = [];
  waiting = new Map();
  number = 0;
  characters = 0;
  missed = 0;
  chosen = null;
  list = new VirtualList({label: 'Messages', rowHeight: ROW, key: one => one.number, row: one => this.row(one)});

  open(query) {
    this.server = query.get('server') ?? '';
    this.start();
  }

  close() {
    this.end();
  }

  start() {
    this.end = follow('/api/rpc-log' + (this.server ? `?server=${encodeURIComponent(this.server)}` : ''), entry => this.take(entry), state => {
      this.failure = state.failure ?? null;
      redraw();
    });
  }

  take(entry) {
    if (this.paused) {
      this.missed++;
      redrawSoon();
      return;
    }
    if (entry.type === 'missed') {
      return;
    }
    const said = read(entry.message);
    const asks = said.method !== undefined;
    if (!asks && said.id !== undefined) {
      const key = `${connection(entry)} ${entry.direction === 'sent' ? 'received' : 'sent'} ${JSON.stringify(said.id)}`;
      const exchange = this.waiting.get(key);
      if (exchange) {
        this.waiting.delete(key);
        exchange.answer = entry;
        exchange.millis = Date.parse(entry.time) - Date.parse(exchange.request.time);
        exchange.failed = said.error !== undefined || said.result?.isError === true;
        this.characters += entry.message.length;
        redrawSoon();
        return;
      }
    }
    const exchange = {number: ++this.number, server: entry.server, direction: entry.direction, method: asks ? said.method : 'response', name: said.params?.name ?? said.params?.uri, request: asks ? entry : null, answer: asks ? null : entry, isNotification: asks && said.id === undefined, failed: said.error !== undefined};
    if (asks && said.id !== undefined) {
      exchange.key = `${connection(entry)} ${entry.direction} ${JSON.stringify(said.id)}`;
      this.waiting.set(exchange.key, exchange);
    }
    this.exchanges.push(exchange);
    this.characters += entry.message.length;
    this.bound();
    redrawSoon();
  }

  /** Drops the oldest tenth at once, so that a message costs the same at any length. */
  bound() {
    if (this.exchanges.length <= KEPT && this.characters <= KEPT_CHARACTERS) {
      return;
    }
    const out = this.exchanges.splice(0, Math.max(1, Math.floor(this.exchanges.length / 10)));
    for (const exchange of out) {
      this.characters -= (exchange.request?.message.length ?? 0) + (exchange.answer?.message.length ?? 0);
      if (exchange.key && this.waiting.get(exchange.key) === exchange) {
        this.waiting.delete(exchange.key);
      }
    }
  }

  found() {
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = one =>
      (this.kind === '' || (this.kind === 'failed' ? one.failed : this.kind === 'open' ? !one.answer && !one.isNotification : one.isNotification)) &&
      hasAll(one, words);
    const found = words.length || this.kind ? this.exchanges.filter(fits) : this.exchanges.slice();
    return found.reverse();
  }

  view() {
    const found = this.found();
    return html`<div class="row wrap toolbar">
        ${searchBox(this.search, 'Search messages', value => { this.search = value; redraw(); })}
        <select aria-label="Server" @change=${event => { this.server = event.target.value; this.end(); this.clear(); this.start(); }}>
          <option value="" .selected=${!this.server}>all servers</option>${[...store.servers.keys()].map(id => html`<option value=${id} .selected=${id === this.server}>${id}</option>`)}</select>
        <select aria-label="Kind" @change=${event => { this.kind = event.target.value; redraw(); }}><option value="">all</option><option value="failed">failed</option><option value="open">without a response</option><option value="notification">notifications</option></select>
        <button type="button" aria-pressed=${this.paused} @click=${() => { this.paused = !this.paused; this.missed = 0; redraw(); }}>${this.paused ? `Go on (${this.missed} not kept)` : 'Pause'}</button>
        <button type="button" @click=${() => this.clear()}>Clear</button>
        <button type="button" @click=${() => download('mcpbus-traffic.jsonl', 'application/jsonl', jsonLines(messages(found)))}>Save as JSON lines</button>
        <button type="button" @click=${() => download('mcpbus-traffic.har', 'application/json', httpArchive(found))}>Save as HAR</button>
        <span class="dim">${found.length} of ${this.exchanges.length}, ${size(this.characters)}</span></div>
      ${alertBox(this.failure)}
      ${this.switchView()}
      <div class="split" data-open=${this.chosen ? 'yes' : 'no'}>
        <div>${found.length ? this.list.view(found) : empty('No message yet. Only servers whose messages are shown send them here.')}</div>
        ${this.chosen ? this.detail(this.chosen) : nothing}</div>`;
  }

  /** Messages of a server pass here only while it is asked to show them. */
  switchView() {
    const one = this.server;
    const show = async mode => {
      const {until} = await post(serverPath(one, 'rpc-log'), mode ? {mode, seconds: SHOWN_SECONDS} : {mode});
      notify(until ? `Its messages pass here until ${clock(until).slice(0, 8)}.` : 'Its messages go where the configuration says.');
    };
    return one
      ? html`<div class="note row wrap">Messages of ${named(one)} pass here where its <code>rpcLog</code> is <code>bus</code>. ${action('Show them for 10 minutes', () => show('bus'))} ${action('As configured', () => show(null))}</div>`
      : html`<div class="note">Messages pass here of servers whose <code>rpcLog</code> is <code>bus</code>. Choose a server to show its messages for a time.</div>`;
  }

  row(one) {
    const mark = one.direction === 'sent' ? '→' : '←';
    return html`<div role="listitem" class="virtual-row"><button type="button" class="exchange" data-failed=${one.failed ? 'yes' : 'no'} aria-current=${this.chosen === one ? 'true' : nothing} @click=${() => { this.chosen = one; redraw(); }}>
      <span>${clock((one.request ?? one.answer).time)}</span><span title=${one.direction === 'sent' ? 'mcpbus to the server' : 'the server to mcpbus'}>${mark}</span><span>${shown(one.server, 40)}</span>
      <span>${shown(one.method, 60)} ${one.name ? html`<b>${named(one.name, 80)}</b>` : nothing}</span>
      <span>${one.isNotification ? 'notification' : one.answer && one.request ? span(one.millis) : one.request ? '…' : nothing}</span></button></div>`;
  }

  detail(one) {
    return html`<aside class="detail" aria-label="One message"><button type="button" class="plain back" @click=${() => { this.chosen = null; redraw(); }}>Close</button>
      ${[one.request, one.answer].filter(Boolean).map(entry => html`<section><div class="row"><h3>${entry === one.request ? (one.isNotification ? 'Notification' : 'Request') : 'Response'}</h3><span class="dim">${entry.direction === 'sent' ? 'mcpbus to the server' : 'the server to mcpbus'}, ${clock(entry.time)}, ${size(entry.message.length)}${entry.lease ? html`, over a client's private connection <code>${shown(entry.lease, 64)}</code>` : nothing}</span>${copyButton(entry.message, 'the message')}</div>
        ${tree(entry)}</section>`)}</aside>`;
  }

  clear() {
    this.exchanges = [];
    this.waiting.clear();
    this.characters = 0;
    this.chosen = null;
    redraw();
  }
}

/** Ids of requests are unique on one connection. */
const connection = entry => `${entry.server} ${entry.lease ?? ''} ${entry.node ?? ''}`;

const messages = exchanges =>
  exchanges.flatMap(one => [one.request, one.answer]).filter(Boolean).sort((one, other) => Date.parse(one.time) - Date.parse(other.time));

function read(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === 'object' ? value : {};
  } catch {
    return {};
  }
}

/** Whether it has all words; a long text is read once for each drawing, not for each word. */
function hasAll(one, words) {
  if (words.length === 0) {
    return true;
  }
  const text = `${one.server} ${one.method} ${one.name ?? ''} ${one.request?.message ?? ''} ${one.answer?.message ?? ''}`.toLowerCase();
  return words.every(word => text.includes(word));
}

const trees = new WeakMap();

function tree(entry) {
  if (!trees.has(entry)) {
    try {
      trees.set(entry, parse(entry.message));
    } catch {
      trees.set(entry, null);
    }
  }
  const value = trees.get(entry);
  return value === null ? html`<pre class="text">${shown(entry.message, 100_000)}</pre>` : jsonTree(value, entry.message.length);
}
