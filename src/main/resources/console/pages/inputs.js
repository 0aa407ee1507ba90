/** Questions of servers that wait for a person. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {path, post, remove} from '../api.js';
import {contentOf} from '../parts/content.js';
import {action, alertBox, empty, part} from '../parts/element.js';
import {jsonTree} from '../parts/json-tree.js';
import {offers} from '../parts/offers.js';
import {paged} from '../parts/paged.js';
import {SchemaForm} from '../parts/schema-form.js';
import {named, shown} from '../parts/visible-text.js';
import {redraw, rereadQuestions, store} from '../store.js';

export class InputsPage {
  title = 'Inputs';
  forms = new Map();

  open() {
    rereadQuestions();
  }

  close() {}

  view() {
    const known = new Set(store.questions.map(one => one.question));
    [...this.forms.keys()].filter(name => !known.has(name)).forEach(name => this.forms.delete(name));
    return html`${store.questions.length === 0 ? empty('No server asks anything now.') : paged(store.questions, one => part(() => this.question(one)), {page: 20})}
      <section class="card"><h3>Who may ask here</h3><p>A server may ask only what somebody offers to answer. Choose the servers whose questions you want to answer while this page is open.</p>
      <div class="offers">${[...store.servers.keys()].slice(0, 200).map(id => html`<div>${named(id)} ${offers.view(id)}</div>`)}</div></section>`;
  }

  question(one) {
    const answer = this.forms.get(one.question) ?? newAnswer(one);
    this.forms.set(one.question, answer);
    return html`<article class="card question">
      <h3>${named(one.id)} asks ${one.principal ? html`<span class="dim">for ${shown(one.principal, 80)}</span>` : nothing}</h3>
      ${answer.view()}
      ${alertBox(answer.failure)}
      <details><summary>The question as it was sent</summary>${jsonTree(one.params)}</details></article>`;
  }
}

class Answer {
  failure = null;

  constructor(question) {
    this.question = question;
    this.params = question.params ?? {};
  }

  send(result) {
    return this.end(() => post(path('api', 'inputs', this.question.question), result));
  }

  /** Its server hears that a person has declined. */
  declineButton() {
    return action('Decline', () => this.end(() => remove(path('api', 'inputs', this.question.question))));
  }

  async end(request) {
    this.failure = null;
    try {
      await request();
      await rereadQuestions();
    } catch (e) {
      this.failure = e;
    }
    redraw();
  }
}

class FormAnswer extends Answer {
  form = new SchemaForm(this.params.requestedSchema ?? {});

  view() {
    const accept = () => {
      this.failure = this.form.problem();
      return this.failure ? undefined : this.send({action: 'accept', content: this.form.value});
    };
    return html`<div class="description">${shown(this.params.message, 8_000)}</div>
      <p class="help">The server gets what you write here. Never write a password for something else.</p>
      <form @submit=${event => { event.preventDefault(); accept(); }} novalidate>${this.form.view()}<div class="row"><button type="submit" class="primary">Send</button>
      ${this.declineButton()} ${action('Dismiss', () => this.send({action: 'cancel'}))}</div></form>`;
  }
}

class UrlAnswer extends Answer {
  view() {
    const {url} = this.params;
    const target = safe(url);
    return html`<div class="description">${shown(this.params.message, 8_000)}</div>
      <p>It wants you to open <code class="runs">${shown(url, 2_000)}</code>${target ? html` at the host <b>${shown(target.host)}</b>` : nothing}</p>
      <div class="row">${target ? html`<a class="button primary" href=${target.href} target="_blank" rel="noopener noreferrer" @click=${() => this.send({action: 'accept'})}>Open it</a>` : html`<p class="alert">Only addresses that begin with https: or http: are opened.</p>`}
      ${this.declineButton()}</div>`;
  }
}

class SamplingAnswer extends Answer {
  text = '';

  view() {
    return html`<p>The server wants a model's answer to:</p>
      ${this.params.systemPrompt ? html`<pre class="text">${shown(this.params.systemPrompt, 8_000)}</pre>` : nothing}
      ${paged(this.params.messages ?? [], message => html`<article class="message"><h4>${shown(message.role, 40)}</h4>${contentOf(message)}</article>`, {page: 20})}
      <label for=${`answer-${this.question.question}`}>The answer, in your words</label>
      <textarea id=${`answer-${this.question.question}`} rows="4" @input=${event => { this.text = event.target.value; }}></textarea>
      <div class="row">${action('Send', () => this.send({role: 'assistant', content: {type: 'text', text: this.text}, model: 'person', stopReason: 'endTurn'}), {kind: 'primary'})} ${this.declineButton()}</div>`;
  }
}

class JsonAnswer extends Answer {
  form = new SchemaForm({});

  view() {
    this.form.asJson || this.form.toggle();
    return html`<p>It asks <code>${shown(this.question.method, 80)}</code>. Answer with the result of MCP as JSON.</p>${this.form.view()}
      <div class="row">${action('Send', () => this.send(this.form.value), {kind: 'primary'})} ${this.declineButton()}</div>`;
  }
}

class RootsAnswer extends Answer {
  text = '';

  view() {
    return html`<p>It asks which folders it may use: one <code>file://</code> URI a line, or none.</p>
      <textarea rows="3" aria-label="URIs of folders" @input=${event => { this.text = event.target.value; }}></textarea>
      <div class="row">${action('Send', () => this.send({roots: this.text.split('\n').map(line => line.trim()).filter(Boolean).map(uri => ({uri}))}), {kind: 'primary'})} ${this.declineButton()}</div>`;
  }
}

function newAnswer(question) {
  switch (question.method) {
    case 'elicitation/create': return question.params?.mode === 'url' ? new UrlAnswer(question) : new FormAnswer(question);
    case 'sampling/createMessage': return new SamplingAnswer(question);
    case 'roots/list': return new RootsAnswer(question);
    default: return new JsonAnswer(question);
  }
}

function safe(text) {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}
