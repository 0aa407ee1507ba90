/** What tools, prompts and resources give, as a person reads it. Nothing of it runs or is loaded. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {copyButton} from './element.js';
import {jsonTree} from './json-tree.js';
import {markdown} from './markdown.js';
import {redraw} from '../store.js';
import {size} from './time.js';
import {named, shown} from './visible-text.js';
import {parse} from './exact-json.js';

const MOST_TEXT = 100_000;
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/i;
const AUDIO = /^audio\/[a-z0-9.+-]+$/i;
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

const asMarkdown = new WeakSet();

/** The result of a tool of a server. */
export function toolResult(result, server) {
  return html`${result.isError ? html`<p class="alert" role="alert">The tool reports an error.</p>` : nothing}
    ${(result.content ?? []).map(content => block(content, server))}
    ${result.structuredContent !== undefined ? html`<h4>Structured content</h4>${jsonTree(result.structuredContent)}` : nothing}
    ${result.taskId || result.task ? html`<p class="empty">The server made a task of the call.</p>` : nothing}
    <details><summary>All of the result</summary>${jsonTree(result)}</details>`;
}

/** @param {string} [server] whose resources a link names */
export function block(content, server) {
  switch (content?.type) {
    case 'text': return textBlock(content);
    case 'image': return media(content, 'image');
    case 'audio': return media(content, 'audio');
    case 'resource': return resourceContents(content.resource ?? {});
    case 'resource_link': return resourceLink(content, server);
    default: return jsonTree(content);
  }
}

function resourceLink(content, server) {
  const place = `#/resources?server=${encodeURIComponent(server ?? '')}&name=${encodeURIComponent(content.uri ?? '')}`;
  return html`<p class="card">Resource ${named(content.title ?? content.name ?? '')} <code>${shown(content.uri, 300)}</code> ${shown(content.mimeType ?? '', 80)}
    ${server && content.uri ? html`<a href=${place}>Read it</a>` : nothing}<br>${shown(content.description ?? '', 600)}</p>`;
}

function textBlock(content) {
  const text = String(content.text ?? '');
  const value = jsonOf(text);
  const rich = asMarkdown.has(content);
  const toggle = () => {
    rich ? asMarkdown.delete(content) : asMarkdown.add(content);
    redraw();
  };
  return html`<section class="content"><div class="row end">
      ${value === undefined ? html`<button type="button" class="plain small" aria-pressed=${rich} @click=${toggle}>${rich ? 'As text' : 'As Markdown'}</button>` : nothing}
      ${copyButton(text, 'the text')}</div>
    ${value !== undefined ? jsonTree(value) : rich ? markdown(text) : html`<pre class="text">${shown(text, MOST_TEXT)}</pre>`}</section>`;
}

const values = new Map();

/** A text that is a JSON object or list, read once. */
function jsonOf(text) {
  if (!/^\s*[[{]/.test(text)) {
    return undefined;
  }
  if (!values.has(text)) {
    if (values.size > 50) {
      values.clear();
    }
    try {
      values.set(text, parse(text));
    } catch {
      values.set(text, undefined);
    }
  }
  return values.get(text);
}

function media(content, kind) {
  const type = String(content.mimeType ?? '');
  const data = String(content.data ?? '');
  const fine = BASE64.test(data) && (kind === 'image' ? IMAGE : AUDIO).test(type);
  if (!fine) {
    return html`<p class="card">${kind} of type ${shown(type || 'unknown', 80)}, ${size(data.length)} of Base64, which this page does not show</p>`;
  }
  const source = `data:${type};base64,${data}`;
  return kind === 'image'
    ? html`<img class="result" alt=${`Image of type ${type} that the server sent`} src=${source}>`
    : html`<audio controls src=${source}></audio>`;
}

/** Contents of a resource. */
export function resourceContents(contents) {
  const type = String(contents.mimeType ?? '');
  const head = html`<p class="row"><code>${shown(contents.uri ?? '', 300)}</code> ${shown(type, 80)}</p>`;
  if (contents.text !== undefined) {
    const isMarkdown = /markdown/.test(type);
    const value = /json/.test(type) ? jsonOf(String(contents.text)) : undefined;
    return html`<section class="content">${head}${value !== undefined ? jsonTree(value) : isMarkdown ? markdown(String(contents.text)) : html`<pre class="text">${shown(contents.text, MOST_TEXT)}</pre>`}</section>`;
  }
  const kind = IMAGE.test(type) ? 'image' : AUDIO.test(type) ? 'audio' : null;
  return html`<section class="content">${head}${kind ? media({mimeType: type, data: contents.blob}, kind) : html`<p class="card">${size(Math.floor(String(contents.blob ?? '').length * 0.75))} of binary data</p>`}</section>`;
}

/** The messages of a prompt. */
export const promptMessages = result => html`${result.description ? html`<p>${shown(result.description)}</p>` : nothing}
  ${(result.messages ?? []).map(message => html`<article class="message"><h4>${shown(message.role, 40)}</h4>
    ${(Array.isArray(message.content) ? message.content : [message.content]).map(content => block(content))}</article>`)}`;
