/** Adds a server from what a person has at hand: a file's text, an entry, a command, a URL. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {live} from '../lib/lit-html/directives/live.js';
import {post, request} from '../api.js';
import {action, alertBox, fault, notify} from './element.js';
import {jsonTree} from './json-tree.js';
import {redraw} from '../store.js';
import {named, shown} from './visible-text.js';

const EXAMPLE = '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"]}}}';
const SETTLE_MILLIS = 300;

const notes = all => (all ?? []).map(note => html`<p class="note">${fault(note)}</p>`);

export class AddServer {
  text = '';
  preview = null;
  failure = null;
  reading = 0;

  /** @param {() => void} done after a server was added */
  constructor(done) {
    this.done = done;
  }

  view() {
    return html`<section class="card add" aria-label="Add a server">
      <label for="add-text">Paste what you have: the configuration of an editor, one entry, a <code>server.json</code> or a name of the registry, a command, or a URL</label>
      <textarea id="add-text" class="code" rows="6" spellcheck="false" placeholder=${EXAMPLE} .value=${live(this.text)} @input=${event => this.changed(event.target.value)}></textarea>
      ${alertBox(this.failure)}
      ${this.preview ? this.preview.servers.map((server, index) => this.entry(server, index)) : nothing}
      ${this.preview?.leftOut ? html`<p class="note">${this.preview.leftOut} more servers of the text are not shown here: add them with the configuration file.</p>` : nothing}
      ${notes(this.preview?.notes)}
      ${this.preview?.problems?.length ? html`<ul class="alert">${this.preview.problems.map(problem => html`<li>${fault(problem)}</li>`)}</ul>` : nothing}
    </section>`;
  }

  entry(server, index) {
    return html`<article class="preview">
      <div class="row wrap"><label for=${`add-name-${index}`}>Name</label>
        <input type="text" id=${`add-name-${index}`} autocomplete="off" .value=${live(server.name)} @input=${event => { server.name = event.target.value; }}>
        ${action('Add it', () => this.add(server), {kind: 'primary', disabled: server.added || server.problems?.length > 0})}</div>
      <p>${server.runs
        ? html`mcpbus will <b>run this program</b> on the machine of ${server.node ? shown(server.node) : 'mcpbus'}: <code class="runs">${shown(server.runs, 2_000)}</code>`
        : ''}
        ${server.runs && server.connects ? html`<br>` : ''}
        ${server.runs && !server.connects ? '' : html`mcpbus will connect to <code class="runs">${shown(server.connects ?? '', 2_000)}</code>`}</p>
      ${server.variables?.length ? html`<p>With the variables ${server.variables.map((name, at) => html`${at ? ', ' : ''}<code>${shown(name, 80)}</code>`)}.</p>` : nothing}
      ${server.problems?.length ? html`<ul class="alert">${server.problems.map(problem => html`<li>${fault(problem)}</li>`)}</ul>` : nothing}
      ${notes(server.notes)}
      <details><summary>Its entry</summary>${jsonTree(server.view ?? server.config)}</details>
      ${server.added ? html`<p class="note">${named(server.added.id)} is added. ${shown(server.added.note ?? '')}</p>` : nothing}
    </article>`;
  }

  changed(text) {
    this.text = text;
    clearTimeout(this.reading);
    this.reading = setTimeout(() => this.read(), SETTLE_MILLIS);
    redraw();
  }

  async read() {
    const text = this.text;
    if (text.trim() === '') {
      this.preview = null;
      this.failure = null;
    } else {
      try {
        const preview = await request('POST', '/api/servers/preview', {body: JSON.stringify({text})});
        if (text !== this.text) {
          return;
        }
        this.preview = preview;
        this.failure = null;
      } catch (e) {
        this.preview = null;
        this.failure = e;
      }
    }
    redraw();
  }

  async add(server) {
    server.added = await post('/api/servers', {name: server.name, config: server.config});
    notify(`${server.name} is added.`);
    if (this.preview.servers.every(one => one.added)) {
      this.done();
    }
  }
}
