/**
 * Markdown of servers. The parser gives tokens, and this module makes templates of them: markup in
 * the text stays text, an image is its address, a link shows where it leads.
 */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {lexer} from '../lib/marked/marked.esm.js';
import {shown, shownText} from './visible-text.js';

const MOST = 200_000;
const DEEPEST = 40;

/** @param {string} text */
export function markdown(text) {
  if (text.length > MOST) {
    return html`<pre class="text">${shown(text, MOST)}</pre>`;
  }
  try {
    return html`<div class="markdown">${blocks(lexer(text, {gfm: true}), 0)}</div>`;
  } catch {
    return html`<pre class="text">${shown(text)}</pre>`;
  }
}

const blocks = (tokens, depth) =>
  depth > DEEPEST ? '…' : (tokens ?? []).map(token => block(token, depth + 1));

function block(token, depth) {
  switch (token.type) {
    case 'heading': return heading(token, depth);
    case 'paragraph': return html`<p>${inlines(token.tokens, depth)}</p>`;
    case 'text': return token.tokens ? inlines(token.tokens, depth) : shown(entities(token.text));
    case 'code': return html`<pre class="text"><code>${shown(token.text)}</code></pre>`;
    case 'blockquote': return html`<blockquote>${blocks(token.tokens, depth)}</blockquote>`;
    case 'list': return list(token, depth);
    case 'table': return table(token, depth);
    case 'hr': return html`<hr>`;
    case 'space': case 'def': return nothing;
    default: return html`<pre class="text">${shown(token.raw)}</pre>`;
  }
}

/** Below the headings of the page that shows it. */
function heading(token, depth) {
  const words = inlines(token.tokens, depth);
  return token.depth <= 2 ? html`<h4>${words}</h4>` : html`<h5>${words}</h5>`;
}

function list(token, depth) {
  const items = token.items.map(item => html`<li>${item.task ? (item.checked ? '☑ ' : '☐ ') : nothing}${blocks(item.tokens, depth)}</li>`);
  return token.ordered ? html`<ol start=${Number(token.start) || 1}>${items}</ol>` : html`<ul>${items}</ul>`;
}

const table = (token, depth) => html`<div class="wide"><table>
  <thead><tr>${token.header.map(cell => html`<th>${inlines(cell.tokens, depth)}</th>`)}</tr></thead>
  <tbody>${token.rows.map(row => html`<tr>${row.map(cell => html`<td>${inlines(cell.tokens, depth)}</td>`)}</tr>`)}</tbody>
</table></div>`;

const inlines = (tokens, depth) =>
  depth > DEEPEST ? '…' : (tokens ?? []).map(token => inline(token, depth + 1));

function inline(token, depth) {
  switch (token.type) {
    case 'strong': return html`<strong>${inlines(token.tokens, depth)}</strong>`;
    case 'em': return html`<em>${inlines(token.tokens, depth)}</em>`;
    case 'del': return html`<del>${inlines(token.tokens, depth)}</del>`;
    case 'codespan': return html`<code>${shown(entities(token.text))}</code>`;
    case 'br': return html`<br>`;
    case 'link': return link(token.href, inlines(token.tokens, depth));
    case 'image': return html`<span class="not-loaded">image, not loaded: ${shown(token.href, 200)}</span>`;
    case 'escape': return shown(entities(token.text));
    case 'text': return token.tokens ? inlines(token.tokens, depth) : shown(entities(token.text));
    default: return shown(token.raw);
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
