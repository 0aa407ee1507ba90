/** One tool: what it says of itself, a form, the call while it runs, its result, and earlier calls. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {namedPath, post, request, serverPath} from '../api.js';
import {listenToProgress, secretName} from '../bus-socket.js';
import {redraw, redrawSoon, store} from '../store.js';
import {AppFrame, appOf} from './app-frame.js';
import {toolResult} from './content.js';
import {alertBox, download, part} from './element.js';
import {parse} from './exact-json.js';
import {jsonTree} from './json-tree.js';
import {offers} from './offers.js';
import {SchemaForm} from './schema-form.js';
import {snippetsView} from './snippets.js';
import {clock, size, span} from './time.js';
import {named, shown} from './visible-text.js';

const KEPT = 30;
const LONGEST = 4 * 1_048_576;
const HINTS = {
  readOnlyHint: 'only reads', destructiveHint: 'may destroy', idempotentHint: 'repeating it adds nothing', openWorldHint: 'reaches beyond its server',
};

/** The tools that were open, the latest last: a call goes on while a person looks at another page. */
const opened = new Map();
const MOST_OPENED = 30;

export class ToolCall {
  /** The tool as it was left, if it is still the same. */
  static of(server, name, tool) {
    const key = JSON.stringify([server, name, tool]);
    const known = opened.get(key) ?? new ToolCall(server, name, tool);
    opened.delete(key);
    opened.set(key, known);
    for (const [old, call] of opened) {
      if (opened.size > MOST_OPENED && !call.running && call !== known) {
        opened.delete(old);
      }
    }
    return known;
  }

  /** Ends all calls, at the sign-out. */
  static endAll() {
    opened.forEach(call => call.running?.abort.abort());
    opened.clear();
  }

  running = null;
  history = [];
  shown = null;
  problem = null;

  constructor(server, name, tool) {
    this.server = server;
    this.name = name;
    this.tool = tool;
    this.form = new SchemaForm(tool.inputSchema ?? {});
  }

  close() {
    this.shown?.app?.stop();
  }

  /** Shows an outcome in place of another one, whose app ends. */
  show(outcome) {
    this.close();
    this.shown = outcome;
    redraw();
  }

  view() {
    const {tool} = this;
    return html`<h2 tabindex="-1">${named(tool.title ?? tool.annotations?.title ?? this.name)}</h2>
      <p class="row wrap"><code>${shown(this.server)}</code> <code>${named(this.name)}</code>
        ${Object.entries(HINTS).filter(([hint]) => tool.annotations?.[hint] === true).map(([hint, words]) => html`<span class="hint" title="What the server says; mcpbus cannot check it">${words}</span>`)}</p>
      ${tool.description ? html`<div class="description">${shown(tool.description, 8_000)}</div>` : nothing}
      <form @submit=${this.submit} novalidate>
        ${this.form.view()}
        ${alertBox(this.problem)}
        <div class="row wrap">
          <button type="submit" class="primary" ?disabled=${!!this.running}>Call it</button>
          ${this.running ? html`<button type="button" @click=${() => this.cancel()}>Cancel the call</button>` : nothing}
          ${offers.view(this.server)}
        </div>
      </form>
      ${this.running ? this.progressView() : nothing}
      ${this.shown ? this.outcomeView(this.shown) : nothing}
      ${snippetsView(this.server, this.name, this.form.value)}
      ${this.historyView()}
      <details><summary>Its schema</summary>${jsonTree(tool)}</details>`;
  }

  progressView() {
    const {progress, started, questions} = this.running;
    const known = typeof progress?.total === 'number' && progress.total > 0;
    return html`<div class="progress" role="status">
      <progress aria-label="Progress of the call" max=${known ? progress.total : nothing} value=${known ? progress.progress : nothing}></progress>
      <span>${span(Date.now() - started)} ${progress ? html`${String(progress.progress)}${progress.total !== undefined ? ` of ${progress.total}` : ''} ${shown(progress.message ?? '', 300)}` : nothing}</span>
      ${store.questions.some(question => question.id === this.server) ? html`<a class="button primary" href="#/inputs">The server asks something</a>` : nothing}
    </div>`;
  }

  outcomeView(outcome) {
    return html`<section class="outcome" aria-live="polite"><div class="row"><h3>Result</h3><span class="dim">${clock(outcome.time)}, ${span(outcome.millis)}</span></div>
      ${outcome.failure ? alertBox(outcome.failure) : html`${outcome.app ? outcome.app.view() : nothing}${outcome.long ? this.longView(outcome.long) : part(() => toolResult(outcome.result, this.server))}`}</section>`;
  }

  /** What is too long to look at is not read by this page at all. */
  longView(text) {
    return html`<p class="note">The result has ${size(text.length)}, more than this page shows. <button type="button" class="small" @click=${() => download('result.json', 'application/json', text)}>Save it</button></p>`;
  }

  historyView() {
    return this.history.length < 2 ? nothing : html`<details><summary>Earlier calls (${this.history.length})</summary><ol class="plain-list">${this.history.map(one => html`<li class="row wrap">
      <button type="button" class="plain" @click=${() => this.show(one)}>${clock(one.time)}</button>
      <span class=${one.failure || one.result?.isError ? 'bad' : 'good'}>${one.failure ? shown(one.failure.code ?? 'failed') : one.result?.isError ? 'error' : 'OK'}</span> <span>${span(one.millis)}</span>
      <code class="one-line">${shown(JSON.stringify(one.args), 120)}</code>
      <button type="button" class="plain small" @click=${() => { this.form = new SchemaForm(this.tool.inputSchema ?? {}, structuredClone(one.args)); redraw(); }}>Use again</button></li>`)}</ol></details>`;
  }

  submit = event => {
    event.preventDefault();
    this.problem = this.form.problem();
    if (this.problem || this.running) {
      redraw();
      return;
    }
    this.call(this.form.value);
  };

  async call(args) {
    const name = secretName();
    const running = {abort: new AbortController(), callId: name, started: Date.now(), progress: null};
    this.running = running;
    this.show(null);
    const tick = setInterval(redraw, 500);
    const outcome = {args, time: new Date().toISOString()};
    const unlisten = await listenToProgress(name, progress => {
      running.progress = progress;
      redrawSoon();
    });
    try {
      const text = await this.send(args, name, running.abort.signal);
      outcome.long = text.length > LONGEST ? text : null;
      outcome.result = outcome.long ? {} : parse(text);
      outcome.app = outcome.long ? null : this.app(args, outcome.result);
    } catch (e) {
      outcome.failure = e;
    }
    unlisten();
    clearInterval(tick);
    outcome.millis = Date.now() - running.started;
    this.running = null;
    this.history = [outcome, ...this.history].slice(0, KEPT);
    this.show(outcome);
  }

  send(args, name, signal) {
    const headers = {'Call-Id': name, Progress: name};
    const where = namedPath(this.server, 'tools', this.name);
    return where
      ? request('POST', where, {body: JSON.stringify(args), headers, signal, raw: true})
      : request('POST', serverPath(this.server, 'request'), {body: JSON.stringify({method: 'tools/call', params: {name: this.name, arguments: args}}), headers, signal, raw: true});
  }

  app(args, result) {
    const uri = appOf(this.tool, result);
    return uri ? new AppFrame(this.server, uri, this.tool, args, result) : null;
  }

  /** The server hears of it; where it does not answer, the request ends here. */
  async cancel() {
    const running = this.running;
    await post(serverPath(this.server, 'cancel'), {callId: running.callId}).catch(() => running.abort.abort());
  }
}
