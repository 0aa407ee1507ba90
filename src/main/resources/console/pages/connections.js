/** All connections: how each is, what it does, and a way to add one. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get} from '../api.js';
import {AddServer} from '../parts/add-server.js';
import {callBars, latencyLine} from '../parts/charts.js';
import {alertBox, empty, searchBox, stateBadge} from '../parts/element.js';
import {span} from '../parts/time.js';
import {VirtualList} from '../parts/virtual-list.js';
import {named, serverName, shown, shownText} from '../parts/visible-text.js';
import {redraw, store} from '../store.js';

const ROW = 52;
const ACTIVITY_MILLIS = 10_000;
const SORTS = {
  id: (one, other) => (one.id < other.id ? -1 : 1),
  state: (one, other) => rank(one) - rank(other) || SORTS.id(one, other),
  restarts: (one, other) => (other.restarts ?? 0) - (one.restarts ?? 0) || SORTS.id(one, other),
};
const RANKS = ['FAILED', 'RECONNECTING', 'DEGRADED', 'CONNECTING', 'DRAINING', 'CLOSED', 'IDLE', 'READY'];

const rank = server => RANKS.indexOf(server.state);

/** What of it stands in a list of the era. */
export const eraText = era => ({DISCOVER: '2026-07-28', INITIALIZE: 'initialize'})[era] ?? era ?? '';

export class ConnectionsPage {
  title = 'Connections';
  search = '';
  state = null;
  sort = 'id';
  activity = new Map();
  adding = null;
  list = new VirtualList({label: 'Connections', rowHeight: ROW, key: server => server.id, row: server => this.row(server)});

  open() {
    this.timer = setInterval(() => this.readActivity(), ACTIVITY_MILLIS);
    setTimeout(() => this.readActivity(), 300);
  }

  close() {
    clearInterval(this.timer);
  }

  /** Of the rows that a person sees, and only while he sees them. */
  async readActivity() {
    if (document.hidden) {
      return;
    }
    const all = this.found();
    const [first, last] = this.list.range(all.length);
    const ids = all.slice(first, last).map(server => server.id);
    if (ids.length === 0) {
      return;
    }
    try {
      const answer = await get('/api/activity', {server: ids.join(',')});
      for (const id of ids) {
        this.activity.set(id, answer.servers[id]);
      }
      redraw();
    } catch {
      // The charts stay as they were.
    }
  }

  found() {
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    return [...store.servers.values()]
      .filter(server => !this.state || server.state === this.state)
      .filter(server => words.every(word => text(server).includes(word)))
      .sort(SORTS[this.sort]);
  }

  view() {
    const all = [...store.servers.values()];
    const counts = new Map();
    all.forEach(server => counts.set(server.state, (counts.get(server.state) ?? 0) + 1));
    const found = this.found();
    return html`
      <div class="row wrap toolbar">
        ${searchBox(this.search, 'Search connections', value => this.set({search: value}))}
        <div class="chips" role="group" aria-label="States">
          <button type="button" class="chip" aria-pressed=${!this.state} @click=${() => this.set({state: null})}>all ${all.length}</button>
          ${RANKS.filter(state => counts.has(state)).map(state => html`<button type="button" class="chip" aria-pressed=${this.state === state} @click=${() => this.set({state: this.state === state ? null : state})}>${stateBadge(state)} ${counts.get(state)}</button>`)}
        </div>
        <label class="inline">Order <select @change=${event => this.set({sort: event.target.value})}>
          <option value="id">by name</option><option value="state">worst first</option><option value="restarts">most restarts</option></select></label>
        ${store.caller?.admin ? html`<button type="button" class="primary" @click=${this.toggleAdding} aria-expanded=${!!this.adding}>${this.adding ? 'Close' : 'Add a server'}</button>` : html`<span class="dim">Only an admin adds servers.</span>`}
      </div>
      ${alertBox(store.failure, 'The list could not be read.')}
      ${store.problems.map(problem => alertBox(problem, 'This node:'))}
      ${store.notes.map(note => html`<div class="note">${shown(note)}</div>`)}
      ${this.adding?.view() ?? nothing}
      ${this.leftOut()}
      ${found.length ? html`<div class="table-head connection-row" aria-hidden="true"><span>Connection</span><span>Era, transport</span><span>Tools</span><span>Calls, last hour</span><span>Time of a call</span><span>Restarts</span><span>Last error</span></div>
        ${this.list.view(found)}` : empty(all.length ? 'No connection matches.' : 'mcpbus has no servers yet. Add one here, or in the configuration file.')}`;
  }

  set(change) {
    Object.assign(this, change);
    redraw();
  }

  toggleAdding = () => {
    this.adding = this.adding ? null : new AddServer(() => this.toggleAdding());
    redraw();
  };

  leftOut() {
    return store.leftOut.length === 0 ? nothing : html`<details class="alert" open><summary>${store.leftOut.length} ${store.leftOut.length === 1 ? 'entry was' : 'entries were'} left out because of mistakes</summary>
      <ul>${store.leftOut.map(one => html`<li>${named(one.id)}: ${one.problems.map(problem => shown(problem.message ?? JSON.stringify(problem)))}</li>`)}</ul></details>`;
  }

  row(server) {
    const activity = this.activity.get(server.id);
    const error = server.lastError;
    const label = shownText(server.id);
    return html`<div role="listitem" class="virtual-row connection-row">
      <span class="name"><a href=${`#/connections/${encodeURIComponent(server.id)}`}>${serverName(server)}</a>${stateBadge(server.state)}</span>
      <span class="dim">${eraText(server.era)} ${shown(server.transport?.type ?? '', 20)}${server.node ? html` · ${shown(server.node, 40)}` : nothing}${server.replicas ? html` · ${server.replicas.length} replicas` : nothing}</span>
      <span>${server.tools ?? ''}</span>
      <span>${activity ? callBars(activity, label) : nothing}</span>
      <span class="latency">${activity ? html`${latencyLine(activity, label)}<small>${latest(activity)}</small>` : nothing}</span>
      <span>${server.restarts || nothing}</span>
      <span class="error" title=${error ? shownText(error.message) : nothing}>${error && server.state !== 'READY' ? html`${shown(error.code)}: ${shown(error.message, 160)}` : nothing}</span>
    </div>`;
  }
}

function latest(activity) {
  for (let minute = activity.calls.length - 1; minute >= 0; minute--) {
    if (activity.calls[minute]) {
      return span(activity.millis[minute] / activity.calls[minute]);
    }
  }
  return '';
}

const text = server =>
  `${server.id} ${server.name ?? ''} ${server.state} ${server.era ?? ''} ${server.transport?.type ?? ''} ${server.transport?.target ?? ''} ${server.node ?? ''} ${server.server?.name ?? ''} ${server.lastError?.message ?? ''}`.toLowerCase();
