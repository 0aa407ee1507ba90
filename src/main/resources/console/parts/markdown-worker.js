/**
 * Reads Markdown in a thread of its own, which the page ends where it takes too long. What goes back
 * has no text twice, and no more parts and levels than a page can draw.
 */
import {lexer} from '../lib/marked/marked.esm.js';

const DEEPEST = 40;
const MOST_PARTS = 5_000;

let parts = 0;

const all = (tokens, depth) => (tokens ?? []).map(token => part(token, depth + 1));

/** A token with what the page draws of it. */
function part(token, depth) {
  if (++parts > MOST_PARTS) {
    throw new Error('it has too many parts');
  }
  if (depth > DEEPEST) {
    return {type: 'text', text: '…'};
  }
  const {type, depth: level, href, ordered, start, task, checked} = token;
  switch (type) {
    case 'list': return {type, ordered, start, items: token.items.map(item => part(item, depth))};
    case 'list_item': return {type, task, checked, tokens: all(token.tokens, depth)};
    case 'table': return {type, header: cells(token.header, depth), rows: token.rows.map(row => cells(row, depth))};
    case 'heading': case 'paragraph': case 'blockquote': case 'strong': case 'em': case 'del': return {type, level, tokens: all(token.tokens, depth)};
    case 'link': return {type, href, tokens: all(token.tokens, depth)};
    case 'image': return {type, href};
    case 'code': case 'codespan': case 'escape': return {type, text: token.text};
    case 'text': return token.tokens ? {type, tokens: all(token.tokens, depth)} : {type, text: token.text};
    case 'hr': case 'br': case 'space': case 'def': return {type};
    default: return {type, text: token.raw};
  }
}

const cells = (row, depth) => row.map(cell => part({type: 'paragraph', tokens: cell.tokens}, depth));

addEventListener('message', ({data}) => {
  parts = 0;
  try {
    postMessage({tokens: all(lexer(data, {gfm: true}), 0)});
  } catch (e) {
    postMessage({problem: e instanceof RangeError ? 'it is nested too deeply' : String(e.message).slice(0, 200)});
  }
});
postMessage('ready');
