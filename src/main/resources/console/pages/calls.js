/** The calls of all callers: those under way, which can be ended here, and the latest that ended. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get, post, serverPath} from '../api.js';
import {action, alertBox, empty, searchBox} from '../parts/element.js';
import {clock, span} from '../parts/time.js';
import {VirtualList} from '../parts/virtual-list.js';
import {named, shown} from '../parts/visible-text.js';
import {redraw} from '../store.js';

const READ_MILLIS = 1_000;
const ROW = 36;

export class CallsPage {
  title = 'Calls';
  admin = true;
  search = '';
  lists = false;
  calls = {inFlight: [], recent: []};
  failure = null;
  recent = new VirtualList({label: 'Calls that ended', rowHeight: ROW, key: call => key(call), row: call => this.ended(call)});

  open() {
    this.timer = setInterval(() => this.read(), READ_MILLIS);
    this.read();
  }

  close() {
    clearInterval(this.timer);
  }

  async read() {
    if (document.hidden || this.reading) {
      return;
    }
    this.reading = true;
    try {
      this.calls = await get('/api/calls');
      this.failure = null;
    } catch (e) {
      this.failure = e;
    }
    this.reading = false;
    redraw();
  }

  fits(call) {
    const text = `${call.server} ${call.method} ${call.name ?? ''} ${call.who ?? ''} ${call.outcome ?? ''}`.toLowerCase();
    return (this.lists || !/\/list$|^ping$/.test(call.method)) && this.search.toLowerCase().split(/\s+/).every(word => text.includes(word));
  }

  view() {
    const under = this.calls.inFlight.filter(call => this.fits(call));
    const ended = this.calls.recent.filter(call => this.fits(call));
    return html`<div class="row wrap toolbar">${searchBox(this.search, 'Search calls', value => { this.search = value; redraw(); })}
        <label class="inline"><input type="checkbox" .checked=${this.lists} @change=${event => { this.lists = event.target.checked; redraw(); }}> with lists and pings</label></div>
      ${alertBox(this.failure)}
      ${silent(this.calls) ? html`<div class="note">Not answered: ${shown(silent(this.calls), 400)}</div>` : nothing}
      <h3>Under way (${under.length})</h3>
      ${under.length ? html`<div class="wide"><table><thead><tr><th>Server</th><th>Call</th><th>Who</th><th>For</th><th>Time left</th><th></th></tr></thead><tbody>
        ${under.map(call => html`<tr><td>${server(call)}</td><td>${what(call)}</td><td>${shown(call.who ?? 'a program on the bus', 80)}</td><td>${span(call.ageMillis)}</td><td>${call.deadlineMillis !== undefined ? span(call.deadlineMillis) : nothing}</td>
          <td>${action('Cancel', () => this.cancel(call), {kind: 'danger small'})}</td></tr>`)}</tbody></table></div>` : empty('No call is under way.')}
      <h3>Ended (${ended.length})</h3>
      ${ended.length ? this.recent.view(ended) : empty('No call has ended yet.')}`;
  }

  ended(call) {
    return html`<div role="listitem" class="virtual-row call-row"><span>${clock(call.time)}</span><span>${server(call)}</span><span>${what(call)}</span><span>${shown(call.who ?? '', 40)}</span><span>${span(call.millis)}</span><span class=${call.outcome === 'OK' ? 'good' : 'bad'}>${shown(call.outcome, 40)}</span></div>`;
  }

  async cancel(call) {
    const where = serverPath(call.lease ?? call.server, 'calls', String(call.call), 'cancel');
    await post(call.replica === undefined ? where : `${where}?replica=${call.replica}`, undefined);
    await this.read();
  }
}

const key = call => `${call.server} ${call.lease ?? ''} ${call.replica ?? 0} ${call.call} ${call.time}`;
const silent = calls => [...(calls.missing ?? []), ...(calls.missingNodes ?? [])].join(', ');
const server = call => html`<a href=${`#/connections/${encodeURIComponent(call.server)}`}>${named(call.server)}</a>`;
const what = call => html`<code>${shown(call.method, 60)}</code> ${named(call.name ?? '', 120)}`;
