/** The skills of all servers, and their files. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get, serverPath} from '../api.js';
import {Catalog} from '../parts/catalog.js';
import {allContents} from '../parts/content.js';
import {alertBox} from '../parts/element.js';
import {jsonTree} from '../parts/json-tree.js';
import {paged} from '../parts/paged.js';
import {named, shown} from '../parts/visible-text.js';
import {redraw} from '../store.js';

export class SkillsPage extends Catalog {
  title = 'Skills';

  constructor() {
    super({
      kind: 'skills',
      label: 'Skills',
      changes: ['resourcesListChanged', 'connected', 'serverRemoved'],
      key: one => one.item.uri,
      open: one => new SkillView(one.server, one.item),
    });
  }

  own(item, server) {
    const front = item.frontmatter ?? {};
    return {...super.own({...item, name: front.name ?? item.uri, description: front.description}, server), item: {...item, title: front.name, description: front.description}};
  }
}

class SkillView {
  contents = null;
  failure = null;

  constructor(server, skill) {
    this.server = server;
    this.skill = skill;
    this.read();
  }

  async read(path) {
    try {
      this.contents = (await get(serverPath(this.server, 'skills', 'read'), {uri: this.skill.uri, path})).contents;
      this.failure = null;
    } catch (e) {
      this.failure = e;
    }
    redraw();
  }

  view() {
    const files = Array.isArray(this.skill.resources) ? this.skill.resources : [];
    return html`<h2 tabindex="-1">${named(this.skill.title ?? this.skill.uri)}</h2>
      <p class="row wrap"><code>${shown(this.server)}</code> <code>${shown(this.skill.uri, 300)}</code></p>
      ${this.skill.description ? html`<div class="description">${shown(this.skill.description, 4_000)}</div>` : nothing}
      ${files.length ? html`<ul class="row wrap plain-list">${paged(files, file => html`<li><button type="button" class="small" @click=${() => this.read(file.path ?? file.uri ?? file)}>${shown(file.path ?? file.uri ?? file, 120)}</button></li>`, {around: button => html`<li>${button}</li>`})}</ul>` : nothing}
      ${alertBox(this.failure)}
      ${allContents(this.contents)}
      <details><summary>Its entry</summary>${jsonTree(this.skill)}</details>`;
  }
}
