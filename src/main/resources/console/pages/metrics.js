/** The few figures that one looks at first, of the last hour. */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get} from '../api.js';
import {callBars, latencyLine} from '../parts/charts.js';
import {alertBox, empty} from '../parts/element.js';
import {span} from '../parts/time.js';
import {named} from '../parts/visible-text.js';
import {redraw, store} from '../store.js';

const READ_MILLIS = 10_000;
const TOP = 10;

export class MetricsPage {
  title = 'Metrics';
  servers = null;
  failure = null;

  open() {
    this.timer = setInterval(() => this.read(), READ_MILLIS);
    this.read();
  }

  close() {
    clearInterval(this.timer);
  }

  async read() {
    if (document.hidden) {
      return;
    }
    try {
      this.servers = Object.entries((await get('/api/activity')).servers).map(([id, activity]) => ({id, activity, ...sums(activity)}));
      this.failure = null;
    } catch (e) {
      this.failure = e;
    }
    redraw();
  }

  view() {
    if (!this.servers) {
      return html`${alertBox(this.failure)}${this.failure ? nothing : empty('Reading …')}`;
    }
    const all = total(this.servers.map(one => one.activity));
    const sum = sums(all);
    const states = Map.groupBy([...store.servers.values()], server => server.state);
    return html`${alertBox(this.failure)}
      <div class="cards figures">
        ${figure('Calls, last hour', String(sum.calls))}
        ${figure('Failed', sum.calls ? `${((sum.failed / sum.calls) * 100).toFixed(sum.failed && sum.failed / sum.calls < 0.01 ? 2 : 1)} %` : '–', sum.failed > 0)}
        ${figure('Time of a call', sum.calls ? span(sum.millis / sum.calls) : '–')}
        ${figure('Longest', sum.calls ? span(sum.longest) : '–')}
        ${figure('Connections ready', `${states.get('READY')?.length ?? 0} of ${store.servers.size}`, (states.get('FAILED')?.length ?? 0) > 0)}
      </div>
      <section class="card chart"><h3>Calls a minute</h3>${callBars(all, 'All servers')}<p class="axis"><span>an hour ago</span><span>at most ${Math.max(0, ...all.calls)} a minute</span><span>now</span></p></section>
      <section class="card chart"><h3>Time of a call, mean of each minute</h3>${latencyLine(all, 'All servers')}<p class="axis"><span>an hour ago</span><span>now</span></p></section>
      ${this.table('Most calls', [...this.servers].sort((one, other) => other.calls - one.calls))}
      ${this.table('Most failures', this.servers.filter(one => one.failed).sort((one, other) => other.failed - one.failed))}
      ${this.table('Slowest', this.servers.filter(one => one.calls).sort((one, other) => other.millis / other.calls - one.millis / one.calls))}
      <p class="help">For a longer time and more figures, read <code>/metrics</code> with Prometheus; a dashboard is in <code>conf/examples</code>.</p>`;
  }

  table(title, servers) {
    return servers.length === 0 ? nothing : html`<section><h3>${title}</h3><div class="wide"><table><thead><tr><th>Connection</th><th>Calls</th><th>Failed</th><th>Mean</th><th>Longest</th><th>Last hour</th></tr></thead><tbody>
      ${servers.slice(0, TOP).map(one => html`<tr><td><a href=${`#/connections/${encodeURIComponent(one.id)}`}>${named(one.id)}</a></td><td>${one.calls}</td><td class=${one.failed ? 'bad' : ''}>${one.failed}</td><td>${one.calls ? span(one.millis / one.calls) : ''}</td><td>${span(one.longest)}</td><td class="spark-cell">${callBars(one.activity, one.id)}</td></tr>`)}</tbody></table></div></section>`;
  }
}

const figure = (name, value, bad = false) => html`<section class="card figure"><h3>${name}</h3><p class=${bad ? 'bad' : ''}>${value}</p></section>`;

const add = all => all.reduce((sum, n) => sum + n, 0);

const sums = activity => ({calls: add(activity.calls), failed: add(activity.failed), millis: add(activity.millis), longest: Math.max(0, ...activity.longest)});

function total(all) {
  const sum = {calls: new Array(60).fill(0), failed: new Array(60).fill(0), millis: new Array(60).fill(0), longest: new Array(60).fill(0)};
  for (const one of all) {
    for (let minute = 0; minute < 60; minute++) {
      sum.calls[minute] += one.calls[minute];
      sum.failed[minute] += one.failed[minute];
      sum.millis[minute] += one.millis[minute];
      sum.longest[minute] = Math.max(sum.longest[minute], one.longest[minute]);
    }
  }
  return sum;
}
