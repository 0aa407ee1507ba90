/** Small pieces of pages. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {failureText} from '../api.js';
import {redraw} from '../store.js';
import {shown} from './visible-text.js';

const STATE_WORDS = {
  IDLE: 'idle', CONNECTING: 'connecting', READY: 'ready', DEGRADED: 'degraded',
  RECONNECTING: 'reconnecting', FAILED: 'failed', DRAINING: 'draining', CLOSED: 'closed',
};

const SETTLE_MILLIS = 500;

/** The state of a connection: a word, and a colour that says no more than the word. */
export const stateBadge = state =>
  html`<span class="state" data-state=${state}>${STATE_WORDS[state] ?? shown(state)}</span>`;

export const alertBox = (failure, title = '') =>
  failure
    ? html`<div class="alert" role="alert">${title ? html`<b>${title} </b>` : nothing}${shown(typeof failure === 'string' ? failure : failureText(failure))}</div>`
    : nothing;

/**
 * Draws a part of a page. What servers give has at times a shape that no page expects: then this part
 * says so, and the others stay.
 */
export function part(draw) {
  try {
    return draw();
  } catch (e) {
    return alertBox(`This cannot be shown: ${e.message}`);
  }
}

export const empty = text => html`<p class="empty">${text}</p>`;

/** A button that is busy while its work is under way, and shows what went wrong. */
export function action(label, work, {kind = '', disabled = false, title = ''} = {}) {
  return html`<button type="button" class=${kind} ?disabled=${disabled} title=${title || nothing}
    @click=${event => run(event.currentTarget, work)}>${label}</button>`;
}

async function run(button, work) {
  if (button.getAttribute('aria-busy') === 'true') {
    return;
  }
  button.setAttribute('aria-busy', 'true');
  try {
    await work();
  } catch (e) {
    notify(failureText(e), 'failure');
  } finally {
    button.removeAttribute('aria-busy');
    redraw();
  }
}

/** @type {{text: string, kind: string}|null} */
let notice = null;
let clearing = 0;

/** Says something at the foot of the page for some seconds; a failure until it is closed. */
export function notify(text, kind = 'done') {
  notice = {text, kind};
  clearTimeout(clearing);
  if (kind !== 'failure') {
    clearing = setTimeout(closeNotice, 4_000);
  }
  redraw();
}

function closeNotice() {
  notice = null;
  redraw();
}

export const noticeView = () => html`<div class="notice" data-kind=${notice?.kind ?? 'none'} role="status" aria-live="polite">
  ${notice ? html`<span>${shown(notice.text)}</span><button type="button" class="plain" aria-label="Close the message" @click=${closeNotice}>×</button>` : nothing}</div>`;

/**
 * Asks before something that cannot be taken back.
 *
 * @param {string} [more.detail] what it is about, whole. Its author chose the moment of the question:
 *     a click that a person began before it appeared agrees to nothing
 * @param {AbortSignal} [more.signal] ends the question, without an agreement
 */
export function ask(question, yes, {detail, signal} = {}) {
  return new Promise(resolve => {
    const dialog = document.createElement('dialog');
    const text = document.createElement('p');
    text.textContent = question;
    const keep = document.createElement('button');
    keep.textContent = 'Cancel';
    const go = document.createElement('button');
    go.textContent = yes;
    go.className = 'danger';
    const foot = document.createElement('div');
    foot.className = 'row end';
    foot.append(keep, go);
    dialog.append(text, foot);
    if (detail !== undefined) {
      const all = document.createElement('pre');
      all.className = 'text';
      all.tabIndex = 0;
      all.textContent = detail;
      text.after(all);
      go.disabled = true;
      setTimeout(() => { go.disabled = false; }, SETTLE_MILLIS);
    }
    dialog.setAttribute('aria-label', question);
    document.body.append(dialog);
    keep.addEventListener('click', () => dialog.close('no'));
    go.addEventListener('click', () => dialog.close('yes'));
    signal?.addEventListener('abort', () => dialog.close('no'));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    dialog.showModal();
    keep.focus();
  });
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify('Copied.');
  } catch {
    notify('The browser does not let this page copy; select the text.', 'failure');
  }
}

export const copyButton = (text, what) =>
  html`<button type="button" class="plain small" aria-label=${`Copy ${what}`} @click=${() => copy(typeof text === 'function' ? text() : text)}>Copy</button>`;

export const searchBox = (value, label, onInput) =>
  html`<input type="search" class="search" aria-label=${label} placeholder=${label} .value=${value}
    @input=${event => onInput(event.target.value)}>`;

export const facts = pairs => html`<dl class="facts">${pairs
  .filter(([, value]) => value !== undefined && value !== null && value !== '')
  .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** Offers a file of this page's own making. */
export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** What is wrong, where, and what helps: a message and its remedy as sentences. */
export const fault = ({line, message, remedy}) =>
  html`${line ? `line ${line}: ` : ''}${shown(message)}${remedy ? html`. ${shown(remedy)}` : nothing}`;
