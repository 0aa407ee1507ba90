/** A JSON value as a tree that opens part by part; nothing of it is markup. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {ExactNumber} from './exact-json.js';
import {redraw} from '../store.js';
import {shown} from './visible-text.js';

const PAGE = 100;
const LONG = 2_000;
const OPEN_DEPTH = 2;
const ALL = 99;
const SHORT = 4_000;

const opened = new WeakMap();
const lengths = new WeakMap();

/**
 * @param {unknown} value
 * @param {number} [length] of its text: a short one is open from the beginning
 */
export const jsonTree = (value, length = Infinity) =>
  html`<div class="json">${node(value, 0, length <= SHORT ? ALL : OPEN_DEPTH)}</div>`;

function node(value, depth, open) {
  if (value instanceof ExactNumber) {
    return html`<span class="json-number" title="More digits than a browser calculates with; shown as sent">${value.source}</span>`;
  }
  if (value !== null && typeof value === 'object') {
    return branch(value, depth, open);
  }
  if (typeof value === 'string') {
    return text(value);
  }
  return html`<span class="json-${value === null ? 'null' : typeof value}">${String(value)}</span>`;
}

const text = value => html`<span class="json-string">"${shown(value, LONG)}"</span>`;

function branch(value, depth, open) {
  const list = Array.isArray(value);
  const entries = list ? value.map((item, index) => [index, item]) : Object.entries(value);
  if (entries.length === 0) {
    return html`<span class="json-null">${list ? '[]' : '{}'}</span>`;
  }
  const isOpen = opened.get(value) ?? depth < open;
  const most = lengths.get(value) ?? PAGE;
  return html`<details ?open=${isOpen} @toggle=${event => toggled(event, value)}>
    <summary>${list ? `[ ${entries.length} ]` : `{ ${entries.length} }`}</summary>
    ${isOpen ? html`<ul>${entries.slice(0, most).map(([name, item]) => html`<li>
      <span class="json-name">${shown(name, 200)}</span>: ${node(item, depth + 1, open)}</li>`)}
      ${entries.length > most ? html`<li><button type="button" class="plain small" @click=${() => more(value, most)}>${entries.length - most} more</button></li>` : nothing}
    </ul>` : nothing}</details>`;
}

function toggled(event, value) {
  if (event.target === event.currentTarget && event.target.open !== opened.get(value)) {
    opened.set(value, event.target.open);
    redraw();
  }
}

function more(value, most) {
  lengths.set(value, most + 10 * PAGE);
  redraw();
}
