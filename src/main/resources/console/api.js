/** Requests to the HTTP interface of mcpbus, which every program has too: /openapi.json. */
import {fetchAsCaller} from './login.js';
import {parse} from './parts/exact-json.js';

/** A problem document of mcpbus (RFC 9457), or what the network said. */
export class ApiFailure extends Error {
  /** @param {{status: number, detail: string, code?: string, sent?: string, retryAfter?: number}} problem */
  constructor(problem) {
    super(problem.detail);
    this.name = 'ApiFailure';
    Object.assign(this, problem);
  }

  get isUnauthorized() {
    return this.status === 401;
  }
}

/** What a failure is called in a sentence for people. */
export function failureText(failure) {
  if (!(failure instanceof ApiFailure)) {
    return failure.name === 'AbortError' ? 'ended by you' : String(failure.message || failure);
  }
  const maybe = failure.sent === 'maybe' ? ' The server may have acted on it.' : '';
  return `${failure.code ? failure.code + ': ' : ''}${failure.message}${maybe}`;
}

/** A path of segments, each encoded. */
export const path = (...segments) => '/' + segments.map(encodeURIComponent).join('/');

export const serverPath = (id, ...rest) => path('api', 'servers', id, ...rest);

/** The path of a tool or prompt, or null where the router cannot take its name as a segment. */
export function namedPath(id, kind, name) {
  const plain = name !== '.' && name !== '..' && !/[/\\\p{Cc}]/u.test(name) && name.isWellFormed();
  return plain ? serverPath(id, kind, name) : null;
}

/**
 * @param {{body?: string|object, headers?: object, signal?: AbortSignal, query?: object}} more
 * @returns the value of the JSON answer; its text, without parsing, with `raw`
 * @throws {ApiFailure}
 */
export async function request(method, where, more = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(more.query ?? {})) {
    if (value !== undefined && value !== null && value !== '') {
      query.append(name, value);
    }
  }
  const target = query.size ? `${where}?${query}` : where;
  let answer;
  try {
    answer = await fetchAsCaller(target, {
      method,
      headers: {
        Accept: 'application/json',
        ...(more.body === undefined ? {} : {'Content-Type': 'application/json'}),
        ...more.headers,
      },
      body: typeof more.body === 'object' ? JSON.stringify(more.body) : more.body,
      signal: more.signal,
    });
  } catch (e) {
    if (e.name === 'AbortError') {
      throw e;
    }
    throw new ApiFailure({status: 0, detail: 'mcpbus does not answer; does it run?', sent: 'maybe'});
  }
  const text = await answer.text();
  if (!answer.ok) {
    throw Object.assign(failureOf(answer.status, text), {challenge: answer.headers.get('WWW-Authenticate')});
  }
  return more.raw ? text : parse(text);
}

export function failureOf(status, text) {
  try {
    const problem = JSON.parse(text);
    return new ApiFailure({...problem, status, detail: problem.detail || problem.title || text});
  } catch {
    return new ApiFailure({status, detail: `HTTP ${status}: ${text.slice(0, 200)}`});
  }
}

export const get = (where, query, signal) => request('GET', where, {query, signal});
export const post = (where, body = {}, more = {}) => request('POST', where, {...more, body});
export const remove = where => request('DELETE', where);
