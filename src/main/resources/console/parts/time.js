/** Times and lengths for people. */

const UNITS = [['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1_000]];

/** Such as `2 h 5 min`, `350 ms`. */
export function span(millis) {
  if (millis === undefined || millis === null || Number.isNaN(millis)) {
    return '';
  }
  if (millis < 1_000) {
    return `${Math.round(millis)} ms`;
  }
  if (millis < 10_000) {
    return `${(millis / 1_000).toFixed(1)} s`;
  }
  const first = UNITS.findIndex(([, length]) => millis >= length);
  const [name, length] = UNITS[first];
  const whole = Math.floor(millis / length);
  const next = UNITS[first + 1];
  const rest = next ? Math.floor((millis % length) / next[1]) : 0;
  return rest ? `${whole} ${name} ${rest} ${next[0]}` : `${whole} ${name}`;
}

export const ago = time => `${span(Math.max(0, Date.now() - Date.parse(time)))} ago`;

/** Hours, minutes, seconds and milliseconds of this machine's time zone. */
export function clock(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toTimeString().slice(0, 8) + '.' + String(date.getMilliseconds()).padStart(3, '0');
}

export function size(bytes) {
  if (bytes < 1_024) {
    return `${bytes} B`;
  }
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
