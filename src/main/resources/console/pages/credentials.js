/** What the caller has stored at mcpbus for servers that act for their caller. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get, path, remove, request} from '../api.js';
import {action, alertBox, ask, empty, notify} from '../parts/element.js';
import {paged} from '../parts/paged.js';
import {ago} from '../parts/time.js';
import {named, shown, shownText} from '../parts/visible-text.js';
import {redraw, store} from '../store.js';

const KINDS = {secret: 'a secret', tokens: 'tokens of a login'};

export class CredentialsPage {
  title = 'Credentials';
  /** @type {object[]|null} null until they were read */
  stored = null;
  failure = null;
  refused = null;

  open() {
    this.read();
  }

  close() {}

  async read() {
    try {
      this.stored = (await get('/api/credentials')).credentials;
      this.failure = null;
    } catch (e) {
      this.failure = e;
    }
    redraw();
  }

  view() {
    return html`${alertBox(this.failure)}
      ${this.stored?.length === 0 ? empty('You have stored nothing.') : paged(this.stored ?? [], one => this.row(one), {page: 50})}
      <section class="card"><h3>Store a secret</h3>
      <p>A personal token of a server that acts for its caller. mcpbus keeps it encrypted, uses it for your calls alone, and does not show it again. It takes the place of the one that is there.</p>
      <form @submit=${event => this.save(event)}>
        <div class="field"><label for="credential-server">Server</label>
        <select id="credential-server" name="server" required>${[...store.servers.keys()].map(id => html`<option value=${id}>${shown(id)}</option>`)}</select></div>
        <div class="field"><label for="credential-secret">Secret</label>
        <input id="credential-secret" name="secret" type="password" autocomplete="off" spellcheck="false" maxlength="16384" required></div>
        ${alertBox(this.refused)}
        <button type="submit" class="primary">Store it</button>
      </form></section>`;
  }

  row(one) {
    return html`<article class="card"><h3>${named(one.server)}</h3>
      <p>${KINDS[one.kind] ?? shown(one.kind)}${one.since ? html` <span class="dim">${ago(one.since)}</span>` : nothing}</p>
      ${action('Remove', () => this.forget(one.server), {kind: 'danger'})}</article>`;
  }

  async save(event) {
    event.preventDefault();
    const form = event.target;
    const server = form.elements.server.value;
    this.refused = null;
    try {
      await request('PUT', path('api', 'credentials', server), {body: {secret: form.elements.secret.value}});
      form.elements.secret.value = '';
      notify(`The secret for ${shownText(server)} is stored.`);
    } catch (e) {
      this.refused = e;
    }
    await this.read();
  }

  async forget(server) {
    if (await ask(`Remove all that you have stored for ${shownText(server)}?`, 'Remove it')) {
      await remove(path('api', 'credentials', server));
      await this.read();
    }
  }
}
