/** The resources and templates of all servers, and what stands in them. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get, post, serverPath} from '../api.js';
import {Catalog} from '../parts/catalog.js';
import {allContents} from '../parts/content.js';
import {action, alertBox, notify} from '../parts/element.js';
import {jsonTree} from '../parts/json-tree.js';
import {clock} from '../parts/time.js';
import {expand, variablesOf} from '../parts/uri-template.js';
import {named, shown} from '../parts/visible-text.js';
import {listen, redraw} from '../store.js';

export class ResourcesPage extends Catalog {
  title = 'Resources';

  constructor() {
    super({
      kind: 'resources',
      label: 'Resources',
      changes: ['resourcesListChanged', 'connected', 'serverRemoved'],
      key: one => one.item.uri ?? one.item.uriTemplate,
      open: one => new ResourceView(one.server, one.item),
    });
  }

  /** A resource that no list has can be read, too. */
  openWanted() {
    const uri = this.wanted;
    super.openWanted();
    if (this.wanted && this.server) {
      this.wanted = null;
      this.choose({server: this.server, name: uri, item: {uri}});
    }
  }

  /** With the templates of a server that is chosen. */
  async read() {
    await super.read();
    const server = this.server;
    if (server && this.items) {
      const templates = await get(serverPath(server, 'resources', 'templates')).then(answer => answer.resourceTemplates, () => []);
      if (server === this.server && this.items) {
        this.items = [...this.items, ...templates.map(item => this.own(item, server))];
        redraw();
      }
    }
  }
}

class ResourceView {
  contents = null;
  failure = null;
  updated = null;
  subscribed = false;
  values = {};

  constructor(server, resource) {
    this.server = server;
    this.resource = resource;
    this.unlisten = listen(event => {
      if (event.type === 'resourceUpdated' && event.id === server && event.params?.uri === this.uri()) {
        this.updated = event.time;
        this.read();
      }
    });
    if (resource.uri) {
      this.read();
    }
  }

  close() {
    this.unlisten();
    if (this.subscribed) {
      post(serverPath(this.server, 'resources', 'unsubscribe'), {uri: this.uri()}).catch(() => {});
    }
  }

  uri() {
    return this.resource.uri ?? expand(this.resource.uriTemplate, this.values);
  }

  async read() {
    try {
      this.contents = (await post(serverPath(this.server, 'resources', 'read'), {uri: this.uri()})).contents;
      this.failure = null;
    } catch (e) {
      this.failure = e;
    }
    redraw();
  }

  view() {
    const {resource} = this;
    return html`<h2 tabindex="-1">${named(resource.title ?? resource.name ?? resource.uri ?? resource.uriTemplate)}</h2>
      <p class="row wrap"><code>${shown(this.server)}</code> <code>${shown(resource.uri ?? resource.uriTemplate, 400)}</code> ${shown(resource.mimeType ?? '', 80)}</p>
      ${resource.description ? html`<div class="description">${shown(resource.description, 4_000)}</div>` : nothing}
      ${resource.uriTemplate ? this.templateForm() : html`<div class="row">${action('Read again', () => this.read())}
        ${action(this.subscribed ? 'Stop watching' : 'Watch for changes', () => this.watch())}${this.updated ? html`<span class="dim">changed ${clock(this.updated)}</span>` : nothing}</div>`}
      ${alertBox(this.failure)}
      ${allContents(this.contents)}
      <details><summary>Its entry</summary>${jsonTree(resource)}</details>`;
  }

  templateForm() {
    const names = variablesOf(this.resource.uriTemplate);
    return html`<form @submit=${event => { event.preventDefault(); this.read(); }}>${names.map(name => html`<div class="field"><label for=${`variable-${name}`}>${shown(name, 80)}</label>
      <input type="text" id=${`variable-${name}`} autocomplete="off" @input=${event => { this.values[name] = event.target.value; redraw(); }}></div>`)}
      <p><code>${shown(this.uri(), 400)}</code></p><button type="submit" class="primary">Read it</button></form>`;
  }

  async watch() {
    await post(serverPath(this.server, 'resources', this.subscribed ? 'unsubscribe' : 'subscribe'), {uri: this.uri()});
    this.subscribed = !this.subscribed;
    notify(this.subscribed ? 'mcpbus tells when it changes.' : 'It is no longer watched.');
  }
}
