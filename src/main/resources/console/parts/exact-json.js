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

/** As JSON.parse; `__proto__` becomes a member like any other. */
export function parse(text) {
  return JSON.parse(text, (key, value, context) =>
    typeof value === 'number' && context?.source !== undefined ? exact(value, context.source) : value);
}

export const isNumber = value => typeof value === 'number' || value instanceof ExactNumber;
