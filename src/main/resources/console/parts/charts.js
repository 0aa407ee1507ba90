/** Small charts of the last hour, one bar or point a minute. */
import {html, svg, nothing} from '../lib/lit-html/lit-html.js';
import {clock, span} from './time.js';

const MINUTES = 60;
const HEIGHT = 24;
const WIDTH = 120;

/**
 * Calls of a minute as bars, failures of them in another colour.
 *
 * @param {{calls: number[], failed: number[]}} activity the present minute last
 */
export function callBars(activity, label) {
  const calls = activity?.calls ?? [];
  const most = Math.max(1, ...calls);
  const all = calls.reduce((sum, n) => sum + n, 0);
  const failed = (activity?.failed ?? []).reduce((sum, n) => sum + n, 0);
  const bar = (count, kind, index) => count
    ? svg`<rect class=${kind} x=${index * (WIDTH / MINUTES)} width=${WIDTH / MINUTES - 0.4} y=${HEIGHT - Math.max(1, (count / most) * HEIGHT)} height=${Math.max(1, (count / most) * HEIGHT)}/>`
    : nothing;
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img"
      aria-label=${`${label}: ${all} calls in the last hour, ${failed} failed, at most ${most} a minute`}>
    ${calls.map((count, index) => bar(count, 'bar', index))}
    ${(activity?.failed ?? []).map((count, index) => bar(count, 'bar failed', index))}</svg>`;
}

/** The mean time of a call in each minute as a line; a minute without calls is a gap. */
export function latencyLine(activity, label) {
  const means = (activity?.calls ?? []).map((count, index) => (count ? activity.millis[index] / count : null));
  const known = means.filter(mean => mean !== null);
  const most = Math.max(1, ...known);
  const latest = known.at(-1);
  const points = means.map((mean, index) => mean === null ? null : [index * (WIDTH / (MINUTES - 1)), HEIGHT - 1 - (mean / most) * (HEIGHT - 3)]);
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img"
      aria-label=${known.length ? `${label}: ${span(latest)} a call, at most ${span(most)} in the last hour` : `${label}: no calls in the last hour`}>
    ${runs(points).map(run => run.length > 1
      ? svg`<polyline class="line" points=${run.map(point => point.map(n => n.toFixed(1)).join(',')).join(' ')}/>`
      : svg`<circle class="dot" cx=${run[0][0]} cy=${run[0][1]} r="1.5"/>`)}</svg>`;
}

function runs(points) {
  const all = [];
  let run = [];
  for (const point of [...points, null]) {
    if (point) {
      run.push(point);
    } else if (run.length) {
      all.push(run);
      run = [];
    }
  }
  return all;
}

/**
 * The last hour of a connection: when its sessions ended and what is now.
 *
 * @param {{time: string, code: string, wasReady: boolean, lastedMillis: number}[]} endings
 */
export function timeline(endings, since, state) {
  const now = Date.now();
  const from = now - MINUTES * 60_000;
  const x = time => ((Math.max(from, Math.min(now, time)) - from) / (now - from)) * 600;
  const sessions = endings
    .map(ending => ({...ending, end: Date.parse(ending.time)}))
    .filter(ending => ending.end >= from);
  const start = since ? Date.parse(since) : NaN;
  return html`<figure class="timeline">
    <svg viewBox="0 0 600 30" preserveAspectRatio="none" role="img" aria-label=${`The last hour: ${sessions.length} ${sessions.length === 1 ? 'ending' : 'endings'}, now ${state}`}>
      <rect class="base" x="0" y="12" width="600" height="6"/>
      ${sessions.map(one => one.wasReady ? svg`<rect class="up" x=${x(one.end - one.lastedMillis)} y="12" width=${Math.max(1, x(one.end) - x(one.end - one.lastedMillis))} height="6"/>` : nothing)}
      ${Number.isNaN(start) ? nothing : svg`<rect class="up" x=${x(start)} y="12" width=${Math.max(1, 600 - x(start))} height="6"/>`}
      ${sessions.map(one => svg`<rect class="end" x=${Math.max(0, x(one.end) - 1.5)} y="5" width="3" height="20"><title>${clock(one.time)} ${one.code}</title></rect>`)}
    </svg>
    <figcaption><span>an hour ago</span><span>${sessions.length ? `${sessions.length} ${sessions.length === 1 ? 'ending' : 'endings'}` : 'no ending'}</span><span>now</span></figcaption>
  </figure>`;
}
