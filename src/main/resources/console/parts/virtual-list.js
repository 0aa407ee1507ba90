/**
 * A list of any length, of which only the visible rows exist. All rows have one height.
 */
import {html} from '../lib/lit-html/lit-html.js';
import {repeat} from '../lib/lit-html/directives/repeat.js';
import {redraw} from '../store.js';
import {part} from './element.js';

const BEYOND = 8;

export class VirtualList {
  /**
   * @param {{label: string, rowHeight: number, key: (item: object) => unknown,
   *     row: (item: object) => unknown}} how
   */
  constructor(how) {
    this.how = how;
    this.top = 0;
    this.height = 800;
  }

  /** Which of so many items are drawn. */
  range(count) {
    const {rowHeight} = this.how;
    const first = Math.max(0, Math.floor(this.top / rowHeight) - BEYOND);
    const last = Math.min(count, Math.ceil((this.top + this.height) / rowHeight) + BEYOND);
    return [Math.min(first, Math.max(0, count - 1)), last];
  }

  /** @param {object[]} items */
  view(items) {
    const {rowHeight, row, key, label} = this.how;
    const [first, last] = this.range(items.length);
    return html`<div class="virtual" role="list" aria-label=${label} tabindex="0" @scroll=${this.scrolled}>
      <div class="virtual-space" .style=${`height:${items.length * rowHeight}px`}>
        <div class="virtual-rows" .style=${`transform:translateY(${first * rowHeight}px)`}>
          ${repeat(items.slice(first, last), key, item => part(() => row(item)))}
        </div>
      </div>
    </div>`;
  }

  scrolled = event => {
    this.top = event.target.scrollTop;
    this.height = event.target.clientHeight;
    redraw();
  };
}
