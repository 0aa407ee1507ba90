/**
 * Text of others, drawn so that a person sees all of it: characters that show nothing, that turn the
 * direction of what follows, or that copy nothing become their code points. It is always text, never
 * markup.
 */
import {html} from '../lib/lit-html/lit-html.js';

const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u{34F}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{2028}\u{2029}\u{2800}\u{3164}\u{FFA0}\u{FE00}-\u{FE0E}\u{E0100}-\u{E01EF}]/u;
const MOST = 100_000;
const MOST_PARTS = 2_000;
const MOST_DRAWN = 10_000;
const LEAST = 100;
const LONG = 1_000;
const MOST_KEPT = 40;
const ALLOWED = new Set(['\n', '\t']);
const PICTOGRAPH = /\p{Extended_Pictographic}\u{FE0F}?\p{Emoji_Modifier}?$/u;
const STARTS_PICTOGRAPH = /^\p{Extended_Pictographic}/u;

const WORDS = {
  0x00ad: 'soft hyphen', 0x061c: 'Arabic letter mark', 0x200b: 'zero width space',
  0x200c: 'zero width non-joiner', 0x200d: 'zero width joiner', 0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark', 0x202a: 'left-to-right embedding', 0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting', 0x202d: 'left-to-right override',
  0x202e: 'right-to-left override', 0x2060: 'word joiner', 0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate', 0x2068: 'first strong isolate', 0x2069: 'pop directional isolate',
  0xfeff: 'byte order mark', 0x1b: 'escape',
};

const isHidden = char => HIDDEN.test(char) && !ALLOWED.has(char);

/** Whether the character at a position joins the parts of an emoji, where it hides nothing. */
const joins = (char, text, position) =>
  char === '\u200d' && PICTOGRAPH.test(text.slice(Math.max(0, position - 8), position)) && STARTS_PICTOGRAPH.test(text.slice(position + 1, position + 3));

const code = char => 'U+' + char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');

function word(char) {
  const point = char.codePointAt(0);
  return WORDS[point] ?? (point >= 0xe0000 && point <= 0xe007f ? 'tag, invisible' : 'invisible');
}

/** A value of others as text, also one that has a member `toString`. */
const textOf = value => (value !== null && typeof value === 'object' && !(value instanceof Error) ? JSON.stringify(value) : String(value ?? ''));

/**
 * @param {unknown} text
 * @param {number} most characters; the rest is named by its length
 * @returns a value for a template
 */
export function shown(text, most = MOST) {
  const all = textOf(text);
  const cut = all.length > most ? all.slice(0, most) : all;
  const rest = cut.length < all.length ? html`<span class="more"> … ${all.length - cut.length} more</span>` : '';
  if (!HIDDEN.test(cut)) {
    return rest ? [cut, rest] : cut;
  }
  const parts = marked(cut);
  left -= parts.length;
  return left >= 0 ? [parts, rest] : [shownText(cut, LEAST), html`<span class="more"> … ${all.length - LEAST} more, of which many show nothing</span>`];
}

/** Parts that may be marked until the next drawing. */
let left = MOST_DRAWN;

export function beginDrawing() {
  left = MOST_DRAWN;
}

/** What was marked of long texts, which are drawn again and again. */
const kept = new Map();

function marked(text) {
  if (text.length < LONG) {
    return marks(text);
  }
  if (!kept.has(text)) {
    if (kept.size >= MOST_KEPT) {
      kept.clear();
    }
    kept.set(text, marks(text));
  }
  return kept.get(text);
}

/** The text in parts; a run of one hidden character is one part. */
function marks(text) {
  const parts = [];
  let plain = '';
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at);
    const char = String.fromCodePoint(point);
    if (!isHidden(char) || joins(char, text, at)) {
      plain += char;
      at += char.length;
      continue;
    }
    let count = 0;
    for (; text.codePointAt(at) === point; at += char.length) {
      count++;
    }
    parts.push(plain, html`<span class="hidden-char" title=${word(char)}>${count > 1 ? `${code(char)} × ${count}` : code(char)}</span>`);
    plain = '';
    if (parts.length > MOST_PARTS && at < text.length) {
      return [...parts, html`<span class="more"> … ${text.length - at} more, of which many show nothing</span>`];
    }
  }
  parts.push(plain);
  return parts;
}

/** The same as one string, for a title or a label. */
export const shownText = (text, most = 2_000) =>
  [...textOf(text).slice(0, most)].map(char => (isHidden(char) ? code(char) : char)).join('');

/** A name of others, whose direction does not reach beyond it. */
export const named = (text, most = 200) => html`<bdi>${shown(text, most)}</bdi>`;

/** A server: its name as written, where its id tells that only in part. */
export const serverName = server =>
  server.name && server.id.includes('--') ? html`${named(server.name)} <small class="dim">${shown(server.id)}</small>` : named(server.id);
