/**
 * What all servers offer of one kind, as a list beside the one that is open. With many servers the
 * whole list would be long to read and to load: then a person chooses a server first.
 */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get, serverPath} from '../api.js';
import {listen, redraw, store} from '../store.js';
import {alertBox, empty, part, searchBox} from './element.js';
import {VirtualList} from './virtual-list.js';
import {named, shown} from './visible-text.js';

const SERVERS_AT_ONCE = 100;
const ROW = 56;
const MOST_SEARCHED = 2_000;

export class Catalog {
  search = '';
  server = '';
  items = null;
  failure = null;
  chosen = null;
  detail = null;

  /**
   * @param {{kind: string, label: string, changes: string[], key: (item: object) => string,
   *     open: (item: object) => {view(): unknown, close?(): void}}} how `kind` is the member of the
   *     list and the segment of the path
   */
  constructor(how) {
    this.how = how;
    this.list = new VirtualList({label: how.label, rowHeight: ROW, key: item => `${item.server} ${how.key(item)}`, row: item => this.row(item)});
  }

  /** @param {URLSearchParams} query `server` and `name` open one at once */
  open(query) {
    this.server = query.get('server') ?? '';
    this.wanted = query.get('name');
    this.unlisten = listen(event => {
      if (this.how.changes.includes(event.type) && (!this.server || event.id === this.server)) {
        this.read();
      }
    });
    this.read();
  }

  close() {
    this.unlisten();
    this.detail?.close?.();
  }

  async read() {
    const server = this.server;
    const {kind} = this.how;
    if (!server && store.servers.size > SERVERS_AT_ONCE) {
      this.items = null;
      redraw();
      return;
    }
    try {
      const answer = await get(server ? serverPath(server, kind) : `/api/${kind}`);
      if (server !== this.server) {
        return;
      }
      this.items = answer[kind].map(item => this.own(item, server));
      this.failure = null;
      this.openWanted();
    } catch (e) {
      this.failure = e;
      this.items = null;
    }
    redraw();
  }

  /** The item with its server and the name that the server gave it. */
  own(item, server) {
    const from = server || item._meta?.['dev.mcpbus/server'] || '';
    const own = !server && item.name?.startsWith(`${from}.`) && this.how.kind !== 'resources' ? item.name.slice(from.length + 1) : item.name;
    return {server: from, name: own, item};
  }

  openWanted() {
    const found = this.wanted && this.items.find(item => this.how.key(item) === this.wanted);
    if (found) {
      this.wanted = null;
      this.choose(found);
    }
  }

  choose(item) {
    this.detail?.close?.();
    this.chosen = item;
    this.detail = item ? this.opened(item) : null;
    redraw();
    if (item) {
      requestAnimationFrame(() => document.querySelector('.catalog-detail h2')?.focus());
    }
  }

  opened(item) {
    try {
      return this.how.open(item);
    } catch (e) {
      return {view: () => alertBox(`This cannot be shown: ${e.message}`)};
    }
  }

  found() {
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    return words.length === 0 ? this.items ?? [] : (this.items ?? []).filter(one => {
      const {title, uri, description} = one.item;
      const text = [one.server, one.name, title, uri, description].map(each => String(each ?? '').slice(0, MOST_SEARCHED)).join(' ').toLowerCase();
      return words.every(word => text.includes(word));
    });
  }

  view() {
    const found = this.found();
    const {label} = this.how;
    return html`<div class="catalog" data-open=${this.detail ? 'yes' : 'no'}>
      <div class="catalog-list">
        <div class="row wrap toolbar">${searchBox(this.search, `Search ${label.toLowerCase()}`, value => { this.search = value; redraw(); })}
          <select aria-label="Server" @change=${event => { this.server = event.target.value; this.items = null; this.choose(null); this.read(); }}>
            <option value="" .selected=${!this.server}>all servers</option>
            ${[...store.servers.keys()].map(id => html`<option value=${id} .selected=${id === this.server}>${id}</option>`)}</select>
          <span class="dim">${this.items ? `${found.length} of ${this.items.length}` : ''}</span></div>
        ${alertBox(this.failure)}
        ${this.items === null
          ? empty(store.servers.size > SERVERS_AT_ONCE && !this.server ? `There are ${store.servers.size} servers: choose one.` : this.failure ? '' : 'Reading …')
          : found.length ? this.list.view(found) : empty(this.items.length ? `No ${label.toLowerCase()} match.` : `No server lists ${label.toLowerCase()}.`)}
      </div>
      <div class="catalog-detail">${this.detail ? html`<button type="button" class="plain back" @click=${() => this.choose(null)}>← All ${label.toLowerCase()}</button>${part(() => this.detail.view())}` : html`<p class="empty">Choose one.</p>`}</div>
    </div>`;
  }

  row(one) {
    const isOpen = this.chosen && this.how.key(this.chosen) === this.how.key(one) && this.chosen.server === one.server;
    return html`<div role="listitem" class="virtual-row"><button type="button" class="item" aria-current=${isOpen ? 'true' : nothing} @click=${() => this.choose(one)}>
      <span class="item-name">${named(one.item.title ?? one.name ?? one.item.uri, 120)} <span class="dim">${shown(one.server, 63)}</span></span>
      <span class="item-text">${shown(one.item.description ?? one.item.uri ?? '', 160)}</span></button></div>`;
  }
}
