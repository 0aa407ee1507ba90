/** What tools, prompts and resources give, as a person reads it. Nothing of it runs or is loaded. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {copyButton, part} from './element.js';
import {jsonTree} from './json-tree.js';
import {markdown} from './markdown.js';
import {redraw} from '../store.js';
import {paged} from './paged.js';
import {size} from './time.js';
import {named, shown} from './visible-text.js';
import {parse} from './exact-json.js';

const MOST_TEXT = 100_000;
const MOST_JSON = 1_048_576;
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/i;
const AUDIO = /^audio\/[a-z0-9.+-]+$/i;
const NO_BASE64 = /[^A-Za-z0-9+/=\s]/;
const BLOCKS = {page: 20};

const asMarkdown = new WeakSet();

/** The result of a tool of a server. */
export function toolResult(result, server) {
  return html`${result.isError ? html`<p class="alert" role="alert">The tool reports an error.</p>` : nothing}
    ${paged(listOf(result.content), content => part(() => block(content, server)), BLOCKS)}
    ${result.structuredContent !== undefined ? html`<h4>Structured content</h4>${jsonTree(result.structuredContent)}` : nothing}
    ${result.taskId || result.task ? html`<p class="empty">The server made a task of the call.</p>` : nothing}
    <details><summary>All of the result</summary>${jsonTree(result)}</details>`;
}

const listOf = value => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

/** @param {string} [server] whose resources a link names */
function block(content, server) {
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
  const value = jsonOf(content, text);
  const rich = asMarkdown.has(content);
  const toggle = () => {
    rich ? asMarkdown.delete(content) : asMarkdown.add(content);
    redraw();
  };
  return html`<section class="content"><div class="row end">
      ${value === undefined ? html`<button type="button" class="plain small" aria-pressed=${rich} @click=${toggle}>${rich ? 'As text' : 'As Markdown'}</button>` : nothing}
      ${copyButton(text, 'the text')}</div>
    ${value !== undefined ? jsonTree(value) : rich ? markdown(content, text) : html`<pre class="text" tabindex="0">${shown(text, MOST_TEXT)}</pre>`}</section>`;
}

const values = new WeakMap();

/** The text of a content as the JSON object or list that it is, read once; undefined for other texts. */
function jsonOf(content, text) {
  if (text.length > MOST_JSON || !/^\s*[[{]/.test(text)) {
    return undefined;
  }
  if (!values.has(content)) {
    try {
      values.set(content, parse(text));
    } catch {
      values.set(content, undefined);
    }
  }
  return values.get(content);
}

const sources = new WeakMap();

/** A picture or sound as an address that has it whole; null for what this page does not show. Made once. */
function sourceOf(content, kind) {
  if (!sources.has(content)) {
    const type = String(content.mimeType ?? '');
    const data = String(content.data ?? content.blob ?? '');
    const fine = (kind === 'image' ? IMAGE : AUDIO).test(type) && !NO_BASE64.test(data);
    sources.set(content, fine ? `data:${type};base64,${data}` : null);
  }
  return sources.get(content);
}

function media(content, kind) {
  const type = shown(content.mimeType || 'unknown', 80);
  const source = sourceOf(content, kind);
  if (source === null) {
    return html`<p class="card">${kind} of type ${type}, ${size(String(content.data ?? content.blob ?? '').length)} of Base64, which this page does not show</p>`;
  }
  return kind === 'image'
    ? html`<img class="result" alt=${`Image of type ${content.mimeType} that the server sent`} src=${source}>`
    : html`<audio controls src=${source}></audio>`;
}

/** Contents of a resource. */
function resourceContents(contents) {
  const type = String(contents.mimeType ?? '');
  const head = html`<p class="row"><code>${shown(contents.uri ?? '', 300)}</code> ${shown(type, 80)}</p>`;
  if (contents.text !== undefined) {
    const isMarkdown = /markdown/.test(type);
    const value = /json/.test(type) ? jsonOf(contents, String(contents.text)) : undefined;
    return html`<section class="content">${head}${value !== undefined ? jsonTree(value) : isMarkdown ? markdown(contents, String(contents.text)) : html`<pre class="text" tabindex="0">${shown(contents.text, MOST_TEXT)}</pre>`}</section>`;
  }
  const kind = IMAGE.test(type) ? 'image' : AUDIO.test(type) ? 'audio' : null;
  return html`<section class="content">${head}${kind ? media(contents, kind) : html`<p class="card">${size(Math.floor(String(contents.blob ?? '').length * 0.75))} of binary data</p>`}</section>`;
}

/** What a message of a prompt or of a question says. */
export const contentOf = message => paged(listOf(message.content), content => part(() => block(content)), {...BLOCKS, of: message});

/** The messages of a prompt. */
export const promptMessages = result => html`${result.description ? html`<p>${shown(result.description)}</p>` : nothing}
  ${paged(listOf(result.messages), message => part(() => html`<article class="message"><h4>${shown(message.role, 40)}</h4>
    ${contentOf(message)}</article>`), BLOCKS)}`;

/** All contents that reading a resource gave. */
export const allContents = contents => paged(listOf(contents ?? []), one => part(() => resourceContents(one)), BLOCKS);
