/**
 * JSON without loss: a number that JavaScript cannot hold stays what the server wrote.
 */

/** A number in the digits of its sender, because a double would be another number. */
export class ExactNumber {
  constructor(source) {
    this.source = source;
  }

  toJSON() {
    return JSON.rawJSON ? JSON.rawJSON(this.source) : Number(this.source);
  }

  toString() {
    return this.source;
  }
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** A number from the digits that a person wrote; undefined where they are none. */
export function numberOf(text) {
  const digits = text.trim();
  return NUMBER.test(digits) ? exact(Number(digits), digits) : undefined;
}

const exact = (value, source) => (String(value) === source ? value : new ExactNumber(source));

/** Something that may be a number which JavaScript would write in other digits. */
const INEXACT = /[\d.]{16}|\d[eE]|\.\d*0(?!\d)|-0|\.0{6}/;
const LONGEST_EXACT = 2_097_152;

/**
 * As JSON.parse; `__proto__` becomes a member like any other. A text of more than 2 MiB keeps its digits
 * only as far as a double does: to look at each number takes ten times as long.
 */
export function parse(text) {
  return text.length > LONGEST_EXACT || !INEXACT.test(text) ? JSON.parse(text) : JSON.parse(text, (key, value, context) =>
    typeof value === 'number' && context?.source !== undefined ? exact(value, context.source) : value);
}

export const isNumber = value => typeof value === 'number' || value instanceof ExactNumber;
