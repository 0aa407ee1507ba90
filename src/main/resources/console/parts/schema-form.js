/**
 * A form for a JSON Schema: objects, lists, choices, `oneOf`, defaults, files. What the schema leaves
 * open is written as JSON. mcpbus checks the value against the schema; the form helps to write it.
 */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {live} from '../lib/lit-html/directives/live.js';
import {redraw} from '../store.js';
import {isNumber, numberOf, parse} from './exact-json.js';
import {paged} from './paged.js';
import {choices, define, initial, initialObject, own, propertiesOf, requiredOf, resolve, typeOf, variants, variantTitle} from './schema.js';
import {shown, shownText} from './visible-text.js';

const DEEPEST_FORM = 8;
const MOST_FIELDS = 300;
/** Options that cost as much as a field. */
const OPTIONS_OF_FIELD = 20;
const FLAGS = [true, false].map(value => ({value, title: String(value), key: String(value)}));
const BIGGEST_FILE = 8 * 1_048_576;

let forms = 0;

export class SchemaForm {
  /**
   * @param {object} schema of an object
   * @param {object} [value] to begin with, in place of the defaults
   */
  constructor(schema, value) {
    this.number = ++forms;
    this.root = schema ?? {};
    this.value = value ?? initialObject(resolve(this.root, this.root), this.root);
    /** By path: text that is not a value yet, and what is wrong with it. */
    this.drafts = new Map();
    this.chosen = new Map();
    this.asJson = false;
    this.json = '';
    this.jsonProblem = null;
  }

  /** @returns {string|null} what a person has to correct before the value can be sent */
  problem() {
    if (this.asJson) {
      return this.jsonProblem;
    }
    for (const draft of this.drafts.values()) {
      return draft.problem;
    }
    return missing(resolve(this.root, this.root), this.root, this.value, '');
  }

  view() {
    const form = resolve(this.root, this.root);
    this.fields = 0;
    const isEmpty = propertiesOf(form).length === 0 && !form.additionalProperties && !form.oneOf && !form.anyOf;
    return html`<div class="schema-form">
      <div class="row end"><button type="button" class="plain small" aria-pressed=${this.asJson} @click=${this.toggle}>${this.asJson ? 'As a form' : 'As JSON'}</button></div>
      ${this.asJson ? this.jsonView() : isEmpty ? html`<p class="empty">It takes no arguments.</p>` : this.body(form, this.value, change => { this.value = change(this.value); }, '', 0)}
      ${this.fields > MOST_FIELDS ? html`<p class="note">This form shows the first ${MOST_FIELDS} fields. Write the others as JSON.</p>` : nothing}
    </div>`;
  }

  toggle = () => {
    this.asJson = !this.asJson;
    this.json = JSON.stringify(this.value, null, 2);
    this.jsonProblem = null;
    this.drafts.clear();
    redraw();
  };

  jsonView() {
    return html`<textarea class="code" rows="10" spellcheck="false" aria-label="Arguments as JSON" .value=${live(this.json)}
      aria-invalid=${this.jsonProblem ? 'true' : nothing} @input=${event => this.readJson(event.target.value)}></textarea>
      ${this.jsonProblem ? html`<p class="problem">${shown(this.jsonProblem)}</p>` : nothing}`;
  }

  readJson(text) {
    this.json = text;
    try {
      const value = parse(text);
      const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
      this.jsonProblem = isObject ? null : 'The arguments are a JSON object: { … }.';
      this.value = isObject ? value : this.value;
    } catch (e) {
      this.jsonProblem = `This is not JSON yet: ${e.message}`;
    }
    redraw();
  }

  /** The members of an object. */
  body(form, value, put, at, depth) {
    const several = variants(form, this.root);
    if (several) {
      return this.variantView(several, value, put, at, depth);
    }
    const properties = propertiesOf(form);
    const required = requiredOf(form);
    return html`${paged(properties, ([name, property], index) =>
        this.field(name, property, required.has(name), own(value, name), change => this.member(put, name, change), `${at}/${index}`, depth + 1), {of: form})}
      ${this.openMembers(form, properties, value, put, at, depth)}`;
  }

  /**
   * Changes one member. A change is a function of the value at that time: a person may write in
   * several fields before the next drawing.
   */
  member(put, name, change) {
    put(value => {
      const old = Object.entries(value ?? {});
      const next = change(old.find(([key]) => key === name)?.[1]);
      const changed = {};
      old.filter(([key]) => key !== name).forEach(([key, one]) => define(changed, key, one));
      if (next !== undefined) {
        define(changed, name, next);
      }
      return changed;
    });
    redraw();
  }

  /** Members that the schema does not name, where it says what they are. */
  openMembers(form, properties, value, put, at, depth) {
    if (!form.additionalProperties || form.additionalProperties === true) {
      return nothing;
    }
    const known = new Set(properties.map(([name]) => name));
    const others = Object.entries(value ?? {}).filter(([name]) => !known.has(name));
    const add = () => {
      const name = prompt('The name of the new member');
      if (name && own(value, name) === undefined) {
        this.member(put, name, () => initial(form.additionalProperties, this.root, true) ?? '');
      }
    };
    return html`${paged(others, ([name, item]) => html`<div class="removable">
      ${this.field(name, form.additionalProperties, false, item, change => this.member(put, name, change), `${at}/+${name}`, depth + 1)}
      <button type="button" class="plain small" aria-label=${`Remove ${shownText(name)}`} @click=${() => this.member(put, name, () => undefined)}>Remove</button></div>`, {of: form.additionalProperties})}
      <button type="button" class="small" @click=${add}>Add a member</button>`;
  }

  variantView(several, value, put, at, depth) {
    const index = this.chosen.get(at) ?? Math.max(0, several.findIndex(one => fits(one, value, this.root)));
    const chosen = several[Math.min(index, several.length - 1)];
    this.fields += several.length / OPTIONS_OF_FIELD;
    const choose = event => {
      const next = Number(event.target.value);
      this.chosen.set(at, next);
      this.forget(at);
      put(() => initial(several[next], this.root, true));
      redraw();
    };
    return html`<div class="field"><label for=${this.id(at + '?')}>Kind</label>
      <select id=${this.id(at + '?')} @change=${choose}>${several.map((one, number) =>
        html`<option value=${number} .selected=${live(number === index)}>${shown(variantTitle(one, number), 80)}</option>`)}</select></div>
      ${typeOf(chosen) === 'object' ? this.body(chosen, value, put, at, depth + 1) : this.input(chosen, true, value, change => { put(change); redraw(); }, at, depth + 1, 'value')}`;
  }

  field(name, schema, required, value, put, at, depth) {
    if (++this.fields > MOST_FIELDS) {
      return nothing;
    }
    const form = resolve(schema, this.root);
    const title = html`<bdi>${shown(form.title ?? name, 100)}</bdi>${required ? html`<span class="required" title="required"> *</span>` : nothing}`;
    const help = form.description ? html`<p class="help" id=${this.id(at + '#help')}>${shown(form.description, 600)}</p>` : nothing;
    const isGroup = !choices(form) && (typeOf(form) === 'object' || typeOf(form) === 'array' || variants(form, this.root)) && depth <= DEEPEST_FORM;
    if (!isGroup) {
      return html`<div class="field"><label for=${this.id(at)}>${title}${form.title && form.title !== name ? html` <code>${shown(name, 60)}</code>` : nothing}</label>
        ${this.input(form, required, value, put, at, depth, name)}${help}${this.draftProblem(at)}</div>`;
    }
    const isSet = value !== undefined;
    const set = event => {
      const {checked} = event.target;
      this.forget(at);
      put(() => (checked ? initial(form, this.root, true) ?? {} : undefined));
    };
    return html`<fieldset><legend>${required ? title : html`<label class="inline"><input type="checkbox" .checked=${live(isSet)} @change=${set}> ${title}</label>`}</legend>
      ${help}${isSet || required ? this.group(form, value, put, at, depth) : nothing}${this.draftProblem(at)}</fieldset>`;
  }

  group(form, value, put, at, depth) {
    if (variants(form, this.root)) {
      return this.variantView(variants(form, this.root), value, put, at, depth);
    }
    return typeOf(form) === 'array' ? this.list(form, value ?? [], put, at, depth) : this.open(form, value, put, at, depth);
  }

  /** An object without any named member is written as JSON. */
  open(form, value, put, at, depth) {
    const isOpen = propertiesOf(form).length === 0 && (form.additionalProperties === undefined || form.additionalProperties === true);
    return isOpen ? this.jsonInput(value ?? {}, put, at) : this.body(form, value ?? {}, put, at, depth);
  }

  list(form, value, put, at, depth) {
    const items = Array.isArray(value) ? value : [];
    const item = resolve(form.items, this.root);
    const options = choices(item) ?? (item.anyOf ? choices({oneOf: item.anyOf}) : null);
    if (options && (form.uniqueItems || options.length <= 12)) {
      return this.several(options, items, put, at);
    }
    const replace = (index, change) => {
      put(all => all.map((one, place) => (place === index ? change(one ?? undefined) ?? null : one)));
      redraw();
    };
    const drop = index => {
      this.forget(at);
      put(all => all.filter((_, place) => place !== index));
      redraw();
    };
    const start = () => {
      const first = initial(item, this.root, true) ?? (typeOf(item) === 'string' ? '' : null);
      put(all => [...(all ?? []), first]);
      redraw();
    };
    return html`<ol class="items">${paged(items, (one, index) => html`<li class="removable">
        ${this.field(`${index + 1}`, item, true, one ?? undefined, change => replace(index, change), `${at}/${index}`, depth + 1)}
        <button type="button" class="plain small" aria-label=${`Remove item ${index + 1}`} @click=${() => drop(index)}>Remove</button></li>`, {of: form, around: button => html`<li>${button}</li>`})}</ol>
      <button type="button" class="small" ?disabled=${items.length >= (form.maxItems ?? 1_000)} @click=${start}>Add an item</button>`;
  }

  several(options, items, put, at) {
    const set = new Set(items.map(item => JSON.stringify(item)));
    this.fields += options.length / OPTIONS_OF_FIELD;
    const toggle = (value, on) => {
      put(all => {
        const now = new Set((all ?? []).map(item => JSON.stringify(item)));
        return options.filter(one => (one.value === value ? on : now.has(one.key))).map(one => one.value);
      });
      redraw();
    };
    return html`<div class="choices" role="group">${options.map((option, index) => html`<label class="inline">
      <input type="checkbox" id=${this.id(`${at}=${index}`)} .checked=${live(set.has(option.key))} @change=${event => toggle(option.value, event.target.checked)}> ${shown(option.title, 100)}</label>`)}</div>`;
  }

  input(form, required, value, put, at, depth, name) {
    const options = choices(form);
    if ('const' in form) {
      return html`<output id=${this.id(at)} class="fixed">${shown(JSON.stringify(form.const), 200)}</output>`;
    }
    if (options) {
      return this.choice(options, required, value, put, at);
    }
    const type = depth > DEEPEST_FORM ? 'any' : typeOf(form);
    switch (type) {
      case 'boolean': return this.flag(required, value, put, at);
      case 'integer': case 'number': return this.numeral(form, type, value, put, at);
      case 'string': return this.string(form, required, value, put, at, name);
      case 'object': return this.open(form, value, put, at, depth);
      case 'array': return this.list(form, value ?? [], put, at, depth);
      default: return this.jsonInput(value, put, at);
    }
  }

  choice(options, required, value, put, at) {
    const key = JSON.stringify(value);
    this.fields += options.length / OPTIONS_OF_FIELD;
    const change = event => {
      const index = Number(event.target.value);
      put(() => (index < 0 ? undefined : options[index].value));
    };
    return html`<select id=${this.id(at)} @change=${change} aria-required=${required}>
      <option value="-1" .selected=${live(value === undefined)}>${required ? 'choose' : 'not set'}</option>
      ${options.map((option, index) => html`<option value=${index} .selected=${live(value !== undefined && option.key === key)}>${shownText(option.title)}</option>`)}</select>`;
  }

  flag(required, value, put, at) {
    if (required) {
      return html`<input type="checkbox" id=${this.id(at)} .checked=${live(value === true)} @change=${event => {
        const {checked} = event.target;
        put(() => checked);
      }}>`;
    }
    return this.choice(FLAGS, false, value, put, at);
  }

  numeral(form, type, value, put, at) {
    const read = event => {
      const text = event.target.value;
      const number = numberOf(text);
      const wrong = number === undefined || (type === 'integer' && /[.eE]/.test(text));
      this.drafts.delete(at);
      if (text.trim() === '') {
        put(() => undefined);
      } else if (wrong) {
        this.drafts.set(at, {text, problem: type === 'integer' ? 'Write a whole number.' : 'Write a number, such as 1.5.'});
        redraw();
      } else {
        put(() => number);
      }
    };
    const bounds = [form.minimum !== undefined ? `from ${form.minimum}` : '', form.maximum !== undefined ? `to ${form.maximum}` : ''].filter(Boolean).join(' ');
    return html`<input type="text" inputmode=${type === 'integer' ? 'numeric' : 'decimal'} id=${this.id(at)} autocomplete="off"
      placeholder=${bounds || type} .value=${live(this.drafts.get(at)?.text ?? (isNumber(value) ? String(value) : ''))} @input=${read}>`;
  }

  string(form, required, value, put, at, name) {
    if (form.contentEncoding === 'base64' || form.format === 'byte' || form.format === 'binary') {
      return this.file(value, put, at);
    }
    const text = value === undefined ? '' : String(value);
    const take = event => {
      const written = event.target.value;
      put(() => (written === '' && !required ? undefined : written));
    };
    const type = {date: 'date', email: 'email', uri: 'url', time: 'time'}[form.format] ?? 'text';
    if (type === 'text' && (text.length > 80 || text.includes('\n') || (form.maxLength ?? 0) > 200 || /text|body|content|code|query|prompt|message|markdown/i.test(name))) {
      return html`<textarea id=${this.id(at)} rows=${Math.min(12, Math.max(2, text.split('\n').length))} .value=${live(text)} @input=${take}></textarea>`;
    }
    return html`<input type=${form.format === 'password' ? 'password' : type} id=${this.id(at)} autocomplete="off" placeholder=${form.format ?? (form.examples?.[0] !== undefined ? `such as ${form.examples[0]}` : '')} .value=${live(text)} @input=${take}>`;
  }

  /** A file becomes Base64, as `contentEncoding` wants it. */
  file(value, put, at) {
    const read = async event => {
      const [file] = event.target.files;
      if (!file) {
        return;
      }
      if (file.size > BIGGEST_FILE) {
        this.drafts.set(at, {text: '', problem: `The file is longer than ${BIGGEST_FILE / 1_048_576} MiB.`});
      } else {
        this.drafts.delete(at);
        const data = base64(new Uint8Array(await file.arrayBuffer()));
        put(() => data);
      }
      redraw();
    };
    return html`<input type="file" id=${this.id(at)} @change=${read}>${value ? html`<span class="help">${String(value).length} characters of Base64</span>` : nothing}`;
  }

  jsonInput(value, put, at) {
    const read = event => {
      const text = event.target.value;
      this.drafts.delete(at);
      if (text.trim() === '') {
        put(() => undefined);
        return;
      }
      try {
        const next = parse(text);
        put(() => next);
        redraw();
      } catch (e) {
        this.drafts.set(at, {text, problem: `This is not JSON yet: ${e.message}`});
        redraw();
      }
    };
    return html`<textarea id=${this.id(at)} class="code" rows="3" spellcheck="false" placeholder="JSON" aria-label="JSON value"
      .value=${this.drafts.get(at)?.text ?? (value === undefined ? '' : JSON.stringify(value))} @change=${read}></textarea>`;
  }

  draftProblem(at) {
    const draft = this.drafts.get(at);
    return draft?.problem ? html`<p class="problem" role="alert">${shown(draft.problem)}</p>` : nothing;
  }

  /** Drops what was written below a place. */
  forget(at) {
    for (const place of [...this.drafts.keys()]) {
      if (place.startsWith(at)) {
        this.drafts.delete(place);
      }
    }
    for (const place of [...this.chosen.keys()]) {
      if (place.startsWith(at + '/')) {
        this.chosen.delete(place);
      }
    }
  }

  id(at) {
    return `form${this.number}${at}`;
  }
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const MOST_COMPARED = 100;

/** Whether a value looks like one of a variant, by its first members. */
function fits(schema, value, root) {
  const type = typeOf(schema);
  if (value === undefined || value === null) {
    return false;
  }
  if (type === 'object') {
    return typeof value === 'object' && !Array.isArray(value) &&
      propertiesOf(schema).slice(0, MOST_COMPARED).every(([name, property]) => !('const' in resolve(property, root)) || same(resolve(property, root).const, own(value, name)));
  }
  return type === 'array' ? Array.isArray(value) : type === 'integer' || type === 'number' ? isNumber(value) : typeof value === type;
}

/** The first required member that has no value, as a sentence. */
function missing(schema, root, value, at) {
  if (schema.oneOf || schema.anyOf) {
    return null;
  }
  for (const name of requiredOf(schema)) {
    if (own(value, name) === undefined) {
      return `${at}${shownText(name)} is required.`;
    }
  }
  for (const [name, one] of Object.entries(value ?? {})) {
    const form = resolve(own(schema.properties, name), root);
    if (typeOf(form) === 'object' && one && typeof one === 'object') {
      const inner = missing(form, root, one, `${at}${shownText(name, 100)}.`);
      if (inner) {
        return inner;
      }
    }
  }
  return null;
}

function base64(bytes) {
  let text = '';
  for (let from = 0; from < bytes.length; from += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  }
  return btoa(text);
}
