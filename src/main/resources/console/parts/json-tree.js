/** A JSON value as a tree that opens part by part; nothing of it is markup. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {ExactNumber} from './exact-json.js';
import {redraw} from '../store.js';
import {paged} from './paged.js';
import {shown} from './visible-text.js';

const LONG = 2_000;
const OPEN_DEPTH = 2;
const ALL = 99;
const SHORT = 4_000;
/** Parts that are open before a person opens more. */
const MOST_OPEN = 500;

const opened = new WeakMap();
const members = new WeakMap();

/**
 * @param {unknown} value
 * @param {number} [length] of its text: a short one is open from the beginning
 */
export const jsonTree = (value, length = Infinity) =>
  html`<div class="json">${node(value, 0, {depth: length <= SHORT ? ALL : OPEN_DEPTH, left: MOST_OPEN})}</div>`;

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

/** The members of an object or list, made once. */
function entriesOf(value) {
  if (!members.has(value)) {
    members.set(value, Object.entries(value));
  }
  return members.get(value);
}

function branch(value, depth, open) {
  const list = Array.isArray(value);
  const entries = entriesOf(value);
  if (entries.length === 0) {
    return html`<span class="json-null">${list ? '[]' : '{}'}</span>`;
  }
  const isOpen = opened.get(value) ?? (depth < open.depth && open.left > 0);
  const member = ([name, item]) => {
    open.left--;
    return html`<li>
      <span class="json-name">${shown(name, 200)}</span>: ${node(item, depth + 1, open)}</li>`;
  };
  return html`<details ?open=${isOpen} @toggle=${event => toggled(event, value)}>
    <summary>${list ? `[ ${entries.length} ]` : `{ ${entries.length} }`}</summary>
    ${isOpen ? html`<ul>${paged(entries, member, {around: button => html`<li>${button}</li>`})}</ul>` : nothing}</details>`;
}

function toggled(event, value) {
  if (event.target === event.currentTarget && event.target.open !== opened.get(value)) {
    opened.set(value, event.target.open);
    redraw();
  }
}
