/**
 * What an app of a server may ask for, how long it may be and how often. This module needs no page.
 */
const LONGEST_MESSAGE = 1_048_576;
/** A person reads all of what an app wants to send. */
export const LONGEST_SHOWN = 16_384;
const LONGEST_URI = 4_096;
const MOST_AT_ONCE = 8;
const MOST_IN_TIME = 60;
const TIME_MILLIS = 10_000;
const MOST_REFUSALS = 3;

/** An answer of the console in place of what the app wants. */
export const refusal = (message, rpcCode = -32000) => Object.assign(new Error(message), {rpcCode});

/**
 * The message of an app.
 *
 * @param {unknown} text
 * @returns {{id?: string|number, method: string, params: object}|null} null for what is no request and
 *     no notification of JSON-RPC: it has no answer
 */
export function messageOf(text) {
  try {
    const {jsonrpc, id, method, params} = typeof text === 'string' && text.length <= LONGEST_MESSAGE ? JSON.parse(text) : {};
    const fine = jsonrpc === '2.0' && typeof method === 'string' && ['undefined', 'string', 'number'].includes(typeof id);
    return fine ? {id, method, params: isObject(params) ? params : {}} : null;
  } catch {
    return null;
  }
}

const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);

/** The URI that an app wants to read. */
export function uriOf({uri}) {
  if (typeof uri !== 'string' || uri === '') {
    throw refusal('The URI of a resource is a text.', -32602);
  }
  if (uri.length > LONGEST_URI) {
    throw refusal(`The URI is longer than ${LONGEST_URI} characters.`, -32602);
  }
  return uri;
}

/**
 * The call that an app wants to make.
 *
 * @param {object[]} tools those of its server that the caller may see
 * @returns {{name: string, text: string}} `text` has its arguments as JSON
 */
export function callOf({name, arguments: args = {}}, tools) {
  const tool = tools.find(one => one.name === name);
  if (!tool) {
    throw refusal('The server of this app has no tool of this name.', -32602);
  }
  const visibility = tool._meta?.ui?.visibility;
  if (visibility !== undefined && !(Array.isArray(visibility) && visibility.includes('app'))) {
    throw refusal('The server says that this tool is not for apps.');
  }
  if (!isObject(args)) {
    throw refusal('Arguments are a JSON object.', -32602);
  }
  const text = JSON.stringify(args);
  if (text.length > LONGEST_SHOWN) {
    throw refusal(`The arguments are longer than ${LONGEST_SHOWN} characters, which no person reads before a call.`, -32602);
  }
  return {name, text};
}

/** The requests of one run of an app: how many there are at once and in a time, and what a person said. */
export class AppRequests {
  underWay = 0;
  begun = [];
  refused = 0;
  asking = false;
  agreed = new Set();

  /** @param {() => number} clock milliseconds */
  constructor(clock) {
    this.clock = clock;
  }

  /** Makes a request, unless there are too many. @param {() => Promise} request */
  async admit(request) {
    const now = this.clock();
    this.begun = this.begun.filter(time => now - time < TIME_MILLIS);
    if (this.underWay >= MOST_AT_ONCE || this.begun.length >= MOST_IN_TIME) {
      throw refusal(`An app has at most ${MOST_AT_ONCE} requests at once, and ${MOST_IN_TIME} in ${TIME_MILLIS / 1_000} s.`);
    }
    this.begun.push(now);
    this.underWay++;
    try {
      return await request();
    } finally {
      this.underWay--;
    }
  }

  /**
   * Returns once a person has agreed. One question at a time, and none after three refusals, so that an
   * app cannot bury a person under them.
   *
   * @param {() => Promise<boolean>} ask
   * @param {string|null} [once] what stays agreed to as long as the app runs
   */
  async consent(ask, once = null) {
    if (once !== null && this.agreed.has(once)) {
      return;
    }
    if (this.asking) {
      throw refusal('A person is being asked about another request.');
    }
    if (this.refused >= MOST_REFUSALS) {
      throw refusal(`A person declined ${MOST_REFUSALS} requests of this app, so none is asked about any more.`);
    }
    this.asking = true;
    let yes;
    try {
      yes = await ask();
    } finally {
      this.asking = false;
    }
    if (!yes) {
      this.refused++;
      throw refusal('A person declined the request.');
    }
    if (once !== null) {
      this.agreed.add(once);
    }
  }
}
