/**
 * Lists of servers, drawn in part: the first entries, and a button for more. So a drawing costs the same
 * whatever a list's length is.
 */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {redraw} from '../store.js';

const lengths = new WeakMap();

/**
 * @param {object[]} list
 * @param {(entry: object, index: number) => unknown} draw one entry
 * @param {{page?: number, of?: object, around?: (button: unknown) => unknown}} how `of` is what the list
 *     was made of, where it is made anew for each drawing; `around` is what the button stands in
 */
export function paged(list, draw, {page = 100, of = list, around = button => button} = {}) {
  const most = lengths.get(of) ?? page;
  const more = () => {
    lengths.set(of, most + 10 * page);
    redraw();
  };
  return html`${list.slice(0, most).map(draw)}${list.length > most ? around(html`<button type="button" class="plain small" @click=${more}>${list.length - most} more</button>`) : nothing}`;
}
