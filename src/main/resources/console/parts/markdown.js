/**
 * Markdown of servers. A worker parses it within a time, and this module makes templates of its tokens:
 * markup in the text stays text, an image is its address, a link shows where it leads. What took too
 * long stays the text that it is. Each text is read and drawn once.
 */
import {html, nothing, render} from '../lib/lit-html/lit-html.js';
import {beginDrawing, shown, shownText} from './visible-text.js';

const LONGEST = 100_000;
const PATIENCE_MILLIS = 1_000;

/** The one script that a worker may be, so that no text becomes one. */
const SCRIPT = '/console/parts/markdown-worker.js';
const script = globalThis.trustedTypes?.createPolicy('markdown-worker', {createScriptURL: () => SCRIPT}).createScriptURL('') ?? SCRIPT;

/** Texts that wait, and the worker that reads the first of them. */
const waiting = [];
let worker = null;
let timer = 0;

/** @returns {Promise<object[]>} its tokens; a failure says why there are none */
function tokensOf(text) {
  return new Promise((resolve, reject) => {
    waiting.push({text, resolve, reject});
    if (waiting.length === 1) {
      next();
    }
  });
}

/** The time of a text begins when the worker takes it. */
function next() {
  if (waiting.length === 0) {
    return;
  }
  if (worker) {
    worker.postMessage(waiting[0].text);
    timer = setTimeout(() => end('it takes too long'), PATIENCE_MILLIS);
    return;
  }
  const mine = new Worker(script, {type: 'module'});
  worker = mine;
  mine.addEventListener('error', () => end('its worker failed'));
  mine.addEventListener('message', ({data}) => {
    if (worker !== mine) {
      return;
    }
    clearTimeout(timer);
    if (data !== 'ready') {
      const {resolve, reject} = waiting.shift();
      data.tokens ? resolve(data.tokens) : reject(new Error(data.problem));
    }
    next();
  });
}

function end(why) {
  clearTimeout(timer);
  worker.terminate();
  worker = null;
  waiting.shift()?.reject(new Error(why));
  next();
}

const kept = new WeakMap();

/**
 * @param {object} owner of the text: what is drawn of it is kept as long as it
 * @param {string} text
 */
export function markdown(owner, text) {
  if (kept.get(owner)?.text !== text) {
    const box = document.createElement('div');
    kept.set(owner, {text, box});
    fill(box, text);
  }
  return kept.get(owner).box;
}

async function fill(box, text) {
  const plain = html`<pre class="text" tabindex="0">${shown(text, LONGEST)}</pre>`;
  render(plain, box);
  try {
    if (text.length > LONGEST) {
      throw new Error('it is longer than 100,000 characters');
    }
    const tokens = await tokensOf(text);
    beginDrawing();
    render(html`<div class="markdown">${blocks(tokens)}</div>`, box);
  } catch (e) {
    render(html`<p class="note">This Markdown is shown as text: ${shown(e.message)}.</p>${plain}`, box);
  }
}

const blocks = tokens => tokens.map(block);

function block(token) {
  switch (token.type) {
    case 'heading': return heading(token);
    case 'paragraph': return html`<p>${inlines(token.tokens)}</p>`;
    case 'code': return html`<pre class="text"><code>${shown(token.text)}</code></pre>`;
    case 'blockquote': return html`<blockquote>${blocks(token.tokens)}</blockquote>`;
    case 'list': return list(token);
    case 'table': return table(token);
    case 'hr': return html`<hr>`;
    case 'text': return inline(token);
    case 'space': case 'def': return nothing;
    default: return html`<pre class="text">${shown(token.text)}</pre>`;
  }
}

/** Below the headings of the page that shows it. */
function heading(token) {
  const words = inlines(token.tokens);
  return token.level <= 2 ? html`<h4>${words}</h4>` : html`<h5>${words}</h5>`;
}

function list(token) {
  const items = token.items.map(item => html`<li>${item.task ? (item.checked ? '☑ ' : '☐ ') : nothing}${blocks(item.tokens)}</li>`);
  return token.ordered ? html`<ol start=${Number(token.start) || 1}>${items}</ol>` : html`<ul>${items}</ul>`;
}

const table = token => html`<div class="wide"><table>
  <thead><tr>${token.header.map(cell => html`<th>${inlines(cell.tokens)}</th>`)}</tr></thead>
  <tbody>${token.rows.map(row => html`<tr>${row.map(cell => html`<td>${inlines(cell.tokens)}</td>`)}</tr>`)}</tbody>
</table></div>`;

const inlines = tokens => tokens.map(inline);

function inline(token) {
  switch (token.type) {
    case 'strong': return html`<strong>${inlines(token.tokens)}</strong>`;
    case 'em': return html`<em>${inlines(token.tokens)}</em>`;
    case 'del': return html`<del>${inlines(token.tokens)}</del>`;
    case 'codespan': return html`<code>${shown(entities(token.text))}</code>`;
    case 'br': return html`<br>`;
    case 'link': return link(token.href, inlines(token.tokens));
    case 'image': return html`<span class="not-loaded">image, not loaded: ${shown(token.href, 200)}</span>`;
    case 'escape': return shown(entities(token.text));
    case 'text': return token.tokens ? inlines(token.tokens) : shown(entities(token.text));
    default: return shown(token.text);
  }
}

const ENTITIES = {amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'"};

/** The parser writes these for a page; here they are text again. */
const entities = text => text.replace(/&(amp|lt|gt|quot|#39);/g, (all, name) => ENTITIES[name]);

/** A link that shows where it leads; anything but http and https is only text. */
function link(address, words) {
  let url;
  try {
    url = new URL(address);
  } catch {
    url = null;
  }
  const leads = url && (url.protocol === 'https:' || url.protocol === 'http:');
  return leads
    ? html`<a href=${url.href} target="_blank" rel="noopener noreferrer nofollow" title=${shownText(url.href)}>${words}</a> <span class="host">(${shown(url.host)})</span>`
    : html`${words} <span class="host">(${shown(address, 200)})</span>`;
}
