/** The prompts of all servers, and what they become with their arguments. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {namedPath, post, serverPath} from '../api.js';
import {Catalog} from '../parts/catalog.js';
import {promptMessages} from '../parts/content.js';
import {alertBox} from '../parts/element.js';
import {jsonTree} from '../parts/json-tree.js';
import {SchemaForm} from '../parts/schema-form.js';
import {named, shown} from '../parts/visible-text.js';
import {redraw} from '../store.js';

export class PromptsPage extends Catalog {
  title = 'Prompts';

  constructor() {
    super({
      kind: 'prompts',
      label: 'Prompts',
      changes: ['promptsListChanged', 'connected', 'serverRemoved'],
      key: one => one.name,
      open: one => new PromptView(one.server, one.name, one.item),
    });
  }
}

class PromptView {
  result = null;
  failure = null;

  constructor(server, name, prompt) {
    this.server = server;
    this.name = name;
    this.prompt = prompt;
    this.form = new SchemaForm(schemaOf(prompt.arguments ?? []));
  }

  view() {
    return html`<h2 tabindex="-1">${named(this.prompt.title ?? this.name)}</h2>
      <p class="row wrap"><code>${shown(this.server)}</code> <code>${named(this.name)}</code></p>
      ${this.prompt.description ? html`<div class="description">${shown(this.prompt.description, 4_000)}</div>` : nothing}
      <form @submit=${this.submit} novalidate>${this.form.view()}${alertBox(this.failure)}<button type="submit" class="primary">Fill it in</button></form>
      ${this.result ? html`<section class="outcome" aria-live="polite">${promptMessages(this.result)}</section>` : nothing}
      <details><summary>Its entry</summary>${jsonTree(this.prompt)}</details>`;
  }

  submit = async event => {
    event.preventDefault();
    this.failure = this.form.problem();
    if (!this.failure) {
      try {
        const where = namedPath(this.server, 'prompts', this.name);
        this.result = where
          ? await post(where, this.form.value)
          : await post(serverPath(this.server, 'request'), {method: 'prompts/get', params: {name: this.name, arguments: this.form.value}});
      } catch (e) {
        this.failure = e;
      }
    }
    redraw();
  };
}

/** Arguments of prompts are texts. */
const schemaOf = args => ({
  type: 'object',
  properties: Object.fromEntries(args.map(one => [one.name, {type: 'string', title: one.title, description: one.description}])),
  required: args.filter(one => one.required).map(one => one.name),
});
