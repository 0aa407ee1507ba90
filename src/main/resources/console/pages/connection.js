/** One connection: what it is, what happened to it, what its process wrote, and its switches. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get, post, remove, serverPath} from '../api.js';
import {callBars, latencyLine, timeline} from '../parts/charts.js';
import {action, alertBox, ask, empty, facts, notify, stateBadge} from '../parts/element.js';
import {jsonTree} from '../parts/json-tree.js';
import {ago, clock, span} from '../parts/time.js';
import {named, serverName, shown} from '../parts/visible-text.js';
import {listen, redraw, redrawSoon, store} from '../store.js';
import {eraText} from './connections.js';

const OUTPUT_MILLIS = 2_000;
const KEPT_LINES = 500;

export class ConnectionPage {
  endings = [];
  lines = [];
  after = undefined;
  output = null;
  activity = null;
  config = null;
  failure = null;

  constructor(id) {
    this.id = id;
    this.title = id;
  }

  open() {
    this.read();
    this.unlisten = listen(event => {
      if (event.id === this.id && ['disconnected', 'connected', 'gaveUp', 'serverChanged'].includes(event.type)) {
        this.read();
      }
    });
    this.timer = setInterval(() => this.poll(), OUTPUT_MILLIS);
    this.poll();
  }

  close() {
    this.unlisten();
    clearInterval(this.timer);
  }

  async read() {
    try {
      const server = await get(serverPath(this.id));
      this.config = server.config;
      this.source = server.source;
      store.servers.set(this.id, {...store.servers.get(this.id), ...server});
      this.failure = null;
    } catch (e) {
      this.failure = e;
    }
    if (store.caller?.admin) {
      this.endings = await get(serverPath(this.id, 'history')).then(history => history.endings, () => this.endings);
    }
    redraw();
  }

  /** Output and figures, while a person sees them. */
  async poll() {
    if (document.hidden) {
      return;
    }
    this.activity = await get('/api/activity', {server: this.id}).then(answer => answer.servers[this.id] ?? null, () => this.activity);
    if (store.caller?.admin) {
      try {
        this.output = await get(serverPath(this.id, 'logs'), {after: this.after, limit: 200});
        this.after = this.output.next;
        this.lines = [...this.lines, ...this.output.lines].slice(-KEPT_LINES);
      } catch {
        // A connection that is on its way to another node has none for a moment.
      }
    }
    redrawSoon();
  }

  view() {
    const server = store.servers.get(this.id);
    if (!server) {
      return html`<p><a href="#/connections">Connections</a></p>${alertBox(this.failure) === nothing ? empty('There is no such connection now.') : alertBox(this.failure)}`;
    }
    const admin = store.caller?.admin;
    const running = !['IDLE', 'CLOSED'].includes(server.state);
    return html`
      <nav aria-label="Breadcrumb"><a href="#/connections">Connections</a> /</nav>
      <div class="row wrap"><h2>${serverName(server)} ${stateBadge(server.state)}</h2>
        ${admin ? html`<div class="row">
          ${running ? action('Stop', () => this.wish('disconnect'), {title: 'Stops it until somebody starts it'}) : action('Start', () => this.wish('connect'))}
          ${action('Restart', () => this.wish('restart'))}
          ${action('Remove', () => this.remove(), {kind: 'danger'})}</div>` : nothing}
        ${server.identity === 'caller' ? action('Log in', () => this.logIn(), {title: 'Logs you in at the server, where it needs that'}) : nothing}
        <a class="button" href=${`#/tools?server=${encodeURIComponent(this.id)}`}>Its tools</a>
        ${admin ? html`<a class="button" href=${`#/traffic?server=${encodeURIComponent(this.id)}`}>Its traffic</a>` : nothing}</div>
      ${server.lastError ? html`<div class=${server.state === 'READY' ? 'note' : 'alert'}><b>${shown(server.lastError.code)}</b> ${server.lastError.time ? ago(server.lastError.time) : ''}: ${shown(server.lastError.message, 4_000)}
        ${server.nextAttempt ? html`<br>Next attempt: ${shown(typeof server.nextAttempt === 'string' ? clock(server.nextAttempt) : JSON.stringify(server.nextAttempt))}` : nothing}</div>` : nothing}
      ${timeline(this.endings, server.since, server.state)}
      <div class="cards">
        <section class="card"><h3>Calls, last hour</h3>${callBars(this.activity, this.id)}</section>
        <section class="card"><h3>Time of a call</h3>${latencyLine(this.activity, this.id)}</section>
      </div>
      ${facts([
        ['Server', server.server ? html`${named(server.server.title ?? server.server.name)} ${shown(server.server.version ?? '', 40)}` : null],
        ['Era', eraText(server.era)], ['Protocol', server.protocolVersion],
        ['Transport', server.transport ? html`${shown(server.transport.type)} <code>${shown(server.transport.target ?? '', 300)}</code>` : null],
        ['Process', server.transport?.pid], ['Node', server.node ? shown(server.node) : null],
        ['Since', server.since ? html`<time datetime=${server.since}>${clock(server.since)}</time> (${ago(server.since)})` : null],
        ['Epoch', server.epoch], ['Restarts', server.restarts], ['Tools', server.tools],
        ['Connected in', server.connectMillis ? span(server.connectMillis) : null],
        ['Calls under way', server.transport?.pending],
        ['Entry', this.source ? html`<code>${shown(this.source)}</code>` : null],
      ])}
      ${this.leftOut()}
      ${server.quirks?.length ? html`<div class="note"><b>Tolerated, although MCP does not say it:</b><ul>${server.quirks.map(one => html`<li>${shown(one.says, 300)} (${one.count}). <span class="dim">For its authors: ${shown(one.remedy, 300)}.</span></li>`)}</ul></div>` : nothing}
      ${server.instructions ? html`<details><summary>What the server says of itself</summary><pre class="text">${shown(server.instructions, 20_000)}</pre></details>` : nothing}
      ${admin ? html`${this.history()}${this.outputView()}` : html`<p class="note">Endings, output and switches need the admin right.</p>`}
      ${this.config ? html`<details><summary>Configuration, secrets masked</summary>${jsonTree(this.config)}</details>` : nothing}
      ${server.capabilities ? html`<details><summary>Capabilities</summary>${jsonTree(server.capabilities)}</details>` : nothing}`;
  }

  /** The tools of the latest list that mcpbus cannot use, and why. */
  leftOut() {
    const latest = store.events.find(event => event.id === this.id && event.type === 'toolsListChanged');
    const all = Object.entries(latest?.leftOut ?? {});
    return all.length ? html`<div class="alert"><b>Tools that cannot be used:</b><ul>${all.map(([name, why]) => html`<li><code>${named(name)}</code> ${shown(why, 600)}</li>`)}</ul></div>` : nothing;
  }

  history() {
    return html`<section><h3>Endings</h3>${this.endings.length === 0 ? empty('No session of it has ended since mcpbus runs.') : html`<ol class="plain-list">${this.endings.map(one => html`<li><details>
      <summary><time datetime=${one.time}>${clock(one.time)}</time> <b>${shown(one.code)}</b> ${one.wasReady ? `after ${span(one.lastedMillis)}` : 'at its start'}${one.replica !== undefined ? ` · replica ${one.replica}` : ''}<span class="dim"> ${shown(one.message, 120)}</span></summary>
      <p>${shown(one.message, 4_000)}</p>${one.output?.length ? html`<pre class="text output">${lines(one.output)}</pre>` : nothing}</details></li>`)}</ol>`}</section>`;
  }

  outputView() {
    return html`<section><h3>Output of its process</h3>${this.output?.reason ? empty(shown(this.output.reason)) : this.lines.length === 0 ? empty('Its process has written nothing beside its messages.') : html`<pre class="text output" tabindex="0" aria-label="Output">${lines(this.lines)}</pre>`}</section>`;
  }

  async wish(what) {
    await post(serverPath(this.id, what));
    notify({connect: 'It starts.', disconnect: 'It stops.', restart: 'It restarts.'}[what]);
  }

  /** At a server that acts for its callers: this browser goes to the login page of the server. */
  async logIn() {
    try {
      await post(serverPath(this.id, 'ping'));
      notify('The server knows you.');
    } catch (failure) {
      const link = URL.canParse(failure.login ?? '') ? new URL(failure.login) : null;
      if (!link || !/^https?:$/.test(link.protocol)) {
        throw failure;
      }
      // The cookie of the login belongs to the origin to which the browser comes back.
      location.assign(link.origin === location.origin ? (await post(link.pathname)).page : link.href);
    }
  }

  async remove() {
    if (await ask(`Remove ${this.id}? Its process ends, and its calls with it. An entry in the configuration file stays there.`, 'Remove it')) {
      await remove(serverPath(this.id));
      store.servers.delete(this.id);
      notify('It is removed.');
      location.hash = '#/connections';
    }
  }
}

const lines = all => all.map(line => html`<span class=${line.from}><time>${clock(line.time)}</time> ${shown(line.text, 2_000)}\n</span>`);
