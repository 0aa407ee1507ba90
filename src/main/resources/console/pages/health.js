/** What is wrong, and what to do: failing connections, changed tools, the configuration file. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get, post, serverPath} from '../api.js';
import {action, alertBox, ask, empty, fault, notify, stateBadge} from '../parts/element.js';
import {jsonTree} from '../parts/json-tree.js';
import {paged} from '../parts/paged.js';
import {ago, clock} from '../parts/time.js';
import {named, serverName, shown, shownText} from '../parts/visible-text.js';
import {listen, redraw, store} from '../store.js';

const BAD = new Set(['FAILED', 'RECONNECTING', 'DEGRADED']);
const LOOKED_AT = 200;
const FEW = {page: 20};

export class HealthPage {
  title = 'Health';
  ready = null;
  config = null;
  logins = [];
  drifts = new Map();
  doctors = new Map();
  failure = null;

  open() {
    this.unlisten = listen(event => {
      if (event.type === 'schemaDrift' || event.type === 'schemaApproved') {
        this.readDrift(event.id).then(redraw);
      }
    });
    this.read();
  }

  close() {
    this.unlisten();
  }

  async read() {
    this.ready = await fetch('/health/ready', {cache: 'no-store'}).then(answer => answer.json(), () => null);
    if (store.caller?.admin) {
      this.config = await get('/api/config').catch(() => null);
      this.logins = await get('/api/logins').then(answer => answer.logins, () => []);
    }
    const pinned = [...store.servers.keys()].slice(0, LOOKED_AT);
    await Promise.all(pinned.map(id => this.readDrift(id)));
    redraw();
  }

  async readDrift(id) {
    try {
      const drift = await get(serverPath(id, 'drift'));
      const waits = drift.pending?.length > 0 || drift.missing?.length > 0 || drift.invisible?.length > 0;
      waits ? this.drifts.set(id, drift) : this.drifts.delete(id);
    } catch {
      this.drifts.delete(id);
    }
  }

  view() {
    const bad = [...store.servers.values()].filter(server => BAD.has(server.state));
    const changes = store.events.filter(event => event.type === 'schemaDrift');
    return html`${alertBox(this.failure)}
      <section class="card"><h3>This node ${this.ready ? html`<span class=${this.ready.status === 'UP' ? 'good' : 'bad'}>${shown(this.ready.status)}</span>` : nothing}</h3>
        ${(this.ready?.problems ?? []).map(problem => alertBox(problem))}${(this.ready?.notes ?? []).map(note => html`<div class="note">${shown(note)}</div>`)}
        ${this.config ? this.configView(this.config) : nothing}
        ${this.logins.map(login => html`<div class="note">${shown(login.server)} waits for a login until ${clock(login.until)}: <code class="runs">${shown(login.page, 500)}</code></div>`)}</section>
      <section><h3>Connections that need a look (${bad.length})</h3>${bad.length === 0 ? empty('All connections are well, or have not been asked for anything.') : bad.map(server => this.badServer(server))}</section>
      <section><h3>Tools that changed</h3>${this.drifts.size === 0 && changes.length === 0 ? empty('No tool has changed since it was approved or first seen.') : nothing}
        ${[...this.drifts].map(([id, drift]) => this.drift(id, drift))}
        ${paged(changes.filter(event => !this.drifts.has(event.id)), event => html`<article class="card"><h4>${named(event.id)} <span class="dim">${ago(event.time)}</span></h4><p>${shown(event.message, 1_000)}</p>${differences(event.changed)}${names('New', event.added)}${names('Gone', event.removed)}</article>`, {...FEW, of: store.events})}</section>`;
  }

  configView(config) {
    return html`<p>${config.file ? html`Configuration <code>${shown(config.file, 400)}</code>, read ${ago(config.loadedAt)}.` : 'A program gave the configuration.'}</p>
      ${config.brokenSince ? alertBox(`The file cannot be used since ${clock(config.brokenSince)}; the former configuration is in force.`) : nothing}
      ${config.problems.map(problem => html`<div class="alert">${fault(problem)}</div>`)}`;
  }

  badServer(server) {
    const examined = this.doctors.get(server.id);
    return html`<article class="card"><div class="row wrap"><h4><a href=${`#/connections/${encodeURIComponent(server.id)}`}>${serverName(server)}</a> ${stateBadge(server.state)}</h4>
        ${store.caller?.admin ? html`${action('Examine', () => this.examine(server.id), {title: 'Runs the checks of mcpbus doctor'})} ${action('Restart', () => post(serverPath(server.id, 'restart')))}` : nothing}</div>
      ${server.lastError ? html`<p><b>${shown(server.lastError.code)}</b> ${shown(server.lastError.message, 2_000)}</p>` : nothing}
      ${examined ? html`<ol class="plain-list steps">${examined.steps.map(step => html`<li data-result=${step.result}><b>${shown(step.name)}</b> ${shown(step.text, 2_000)}${step.evidence?.length ? html`<pre class="text">${shown(step.evidence.join('\n'), 8_000)}</pre>` : nothing}${step.remedy ? html`<p class="remedy">${shown(step.remedy, 2_000)}</p>` : nothing}</li>`)}</ol>` : nothing}</article>`;
  }

  async examine(id) {
    this.doctors.set(id, await post(serverPath(id, 'examine')));
  }

  drift(id, drift) {
    return html`<article class="card drift"><div class="row wrap"><h4>${named(id)}</h4>${store.caller?.admin && drift.pending.length ? action('Approve all', () => this.approve(id, drift), {kind: 'primary'}) : nothing}</div>
      ${names('Gone', drift.missing)}
      ${drift.invisible?.length ? html`<p class="alert">Invisible characters in: ${paged(drift.invisible, tool => html`<code>${shown(tool, 200)}</code> `)}</p>` : nothing}
      ${paged(drift.pending, one => html`<section class="pending"><div class="row wrap"><b>${named(one.tool ?? one)}</b> <span class="dim">${shown(one.state ?? 'waits for approval', 60)}</span>
        ${store.caller?.admin && one.tool ? action('Approve', () => this.approveOne(id, one), {kind: 'small'}) : nothing}</div>${differences([one])}</section>`, FEW)}</article>`;
  }

  async approveOne(id, one) {
    await post(serverPath(id, 'drift', 'approve'), {tool: one.tool, hash: one.hash});
    await this.readDrift(id);
    notify(`${one.tool} is approved as it is now.`);
  }

  async approve(id, drift) {
    if (await ask(`Approve all ${drift.pending.length} tools of ${shownText(id)} as they are now?`, 'Approve them')) {
      await post(serverPath(id, 'drift', 'approve'), {hash: drift.hash});
      await this.readDrift(id);
      notify('They are approved.');
    }
  }
}

const names = (word, all) => (all?.length ? html`<p>${word}: ${paged(all, name => html`<code>${shown(name, 200)}</code> `)}</p>` : nothing);

/** What differs, place by place: what was, and what is. */
const differences = changed => paged(changed ?? [], one => html`${one.differences?.length ? html`<dl class="differences">${paged(one.differences, difference => html`<div><dt><code>${shown(one.tool ?? '', 100)} ${shown(difference.path, 200)}</code></dt>
  ${difference.before !== undefined ? html`<dd class="before"><span class="visually-hidden">before: </span>${value(difference.before)}</dd>` : nothing}
  ${difference.after !== undefined ? html`<dd class="after"><span class="visually-hidden">now: </span>${value(difference.after)}</dd>` : nothing}</div>`, FEW)}</dl>` : nothing}`, FEW);

const value = one => (typeof one === 'string' ? shown(one, 4_000) : jsonTree(one));
