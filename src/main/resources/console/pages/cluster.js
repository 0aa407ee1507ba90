/** The nodes, who owns which connection, and what moves. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get, path, post} from '../api.js';
import {action, alertBox, ask, empty, notify, stateBadge} from '../parts/element.js';
import {clock} from '../parts/time.js';
import {named, shown} from '../parts/visible-text.js';
import {redraw, store} from '../store.js';

const READ_MILLIS = 2_000;
const SHOWN = 60;
const TOLD = new Set(['stateChanged', 'connected', 'disconnected', 'restarting', 'gaveUp', 'callsRepeated', 'serverAdded', 'serverRemoved']);

export class ClusterPage {
  title = 'Cluster';
  answer = null;
  failure = null;
  gone = new Map();

  open() {
    this.timer = setInterval(() => this.read(), READ_MILLIS);
    this.read();
  }

  close() {
    clearInterval(this.timer);
  }

  async read() {
    if (document.hidden) {
      return;
    }
    try {
      const answer = await get('/api/nodes');
      const names = new Set(answer.nodes.map(node => node.name));
      for (const node of this.answer?.nodes ?? []) {
        if (!names.has(node.name)) {
          this.gone.set(node.name, {...node, at: Date.now()});
        }
      }
      names.forEach(name => this.gone.delete(name));
      this.answer = answer;
      this.failure = null;
    } catch (e) {
      this.failure = e;
    }
    redraw();
  }

  view() {
    const nodes = this.answer?.nodes ?? [];
    const owned = Map.groupBy([...store.servers.values()].flatMap(owners), one => one.node);
    const events = store.events.filter(event => TOLD.has(event.type)).slice(0, SHOWN);
    return html`${alertBox(this.failure)}
      ${(this.answer?.problems ?? []).map(problem => alertBox(problem, 'This node:'))}
      ${(this.answer?.notes ?? []).map(note => html`<div class="note">${shown(note)}</div>`)}
      <div class="cards nodes">${nodes.map(node => this.node(node, owned.get(node.name) ?? (nodes.length === 1 ? [...store.servers.values()] : [])))}
        ${[...this.gone.values()].map(node => html`<section class="card node gone"><h3>${named(node.name)}</h3><p class="bad">gone since ${clock(node.at)}</p></section>`)}</div>
      <section><h3>What happened</h3>${events.length === 0 ? empty('Nothing since this page was opened.') : html`<ol class="plain-list events">${events.map(event => html`<li><time datetime=${event.time}>${clock(event.time)}</time> <a href=${`#/connections/${encodeURIComponent(event.id ?? '')}`}>${named(event.id ?? '')}</a> ${sentence(event)}</li>`)}</ol>`}</section>
      ${this.answer?.limits ? html`<details><summary>Bounds of the node that answers</summary><div class="wide"><table><thead><tr><th>Bound</th><th>In use</th><th>At most</th><th>Refused</th></tr></thead><tbody>
        ${Object.entries(this.answer.limits).map(([name, bound]) => html`<tr><td><code>${shown(name)}</code></td><td>${bound.used}</td><td>${bound.max}</td><td>${bound.refused}</td></tr>`)}</tbody></table></div></details>` : nothing}`;
  }

  node(node, connections) {
    return html`<section class="card node" data-leaving=${node.leaving ? 'yes' : 'no'}>
      <div class="row wrap"><h3>${named(node.name)}</h3>${node.self ? html`<span class="hint">answers here</span>` : nothing}${node.leaving ? html`<span class="hint">leaving</span>` : nothing}${node.starting ? html`<span class="hint">starting</span>` : nothing}</div>
      <p class="dim">${node.host ? `${node.host}:${node.port}` : ''} ${node.labels.map(label => html`<code>${shown(label)}</code> `)} weight ${node.weight}</p>
      <p><b>${node.connections}</b> connections</p>
      <div class="owned">${connections.slice(0, 200).map(one => html`<a class="dot" data-state=${one.state} title=${`${one.id}: ${one.state}`} href=${`#/connections/${encodeURIComponent(one.id)}`}><span class="visually-hidden">${one.id}</span></a>`)}${connections.length > 200 ? html`<span class="dim">and ${connections.length - 200} more</span>` : nothing}</div>
      ${store.caller?.admin && (this.answer?.nodes.length ?? 0) > 1 && !node.leaving && !node.starting ? action('Drain', () => this.drain(node), {title: 'Its connections move to other nodes; it takes no new requests'}) : nothing}
    </section>`;
  }

  async drain(node) {
    if (await ask(`Drain ${node.name}? Its connections move to the other nodes, and it stays without any until its process is started again.`, 'Drain it')) {
      await post(path('api', 'nodes', node.name, 'drain'));
      notify(`${node.name} is handing over.`);
      await this.read();
    }
  }
}

const owners = server => (server.replicas ?? [server]).map(one => ({id: server.id, node: one.node ?? server.node, state: one.state ?? server.state}));

function sentence(event) {
  switch (event.type) {
    case 'stateChanged': return html`${stateBadge(event.from)} → ${stateBadge(event.to)}${event.node ? html` at ${shown(event.node)}` : nothing}`;
    case 'connected': return html`is connected${event.node ? html` at ${shown(event.node)}` : nothing}`;
    case 'disconnected': return html`was lost: <b>${shown(event.code, 40)}</b> ${shown(event.message, 200)}`;
    case 'restarting': return html`restarts in ${event.delay} ms, attempt ${event.attempt}`;
    case 'gaveUp': return html`is given up: ${shown(event.message, 200)}`;
    case 'callsRepeated': return html`${event.count} calls were made again after ${shown(event.code, 40)}`;
    default: return shown(event.type, 40);
  }
}
