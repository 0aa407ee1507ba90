/** Traffic as files of other tools. */

/** One message a line. @param {object[]} messages as the stream sent them */
export const jsonLines = messages => messages.map(message => JSON.stringify(message)).join('\n') + '\n';

/**
 * HTTP Archive 1.2: each request with its response is an entry, each notification one without.
 *
 * @param {object[]} exchanges
 */
export function httpArchive(exchanges) {
  return JSON.stringify({
    log: {
      version: '1.2',
      creator: {name: 'mcpbus', version: '1'},
      comment: 'JSON-RPC messages of MCP; the URL names the server, the direction and the method',
      entries: exchanges.map(entry),
    },
  }, null, 1);
}

function entry(exchange) {
  const request = exchange.request ?? exchange.answer;
  const answer = exchange.answer && exchange.request ? exchange.answer : null;
  const text = answer?.message ?? '';
  return {
    startedDateTime: new Date(request.time).toISOString(),
    time: exchange.millis ?? 0,
    request: {
      method: 'POST',
      url: `mcp://${request.server}/${request.direction}/${encodeURIComponent(exchange.method ?? '')}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [{name: 'Content-Type', value: 'application/json'}],
      queryString: [],
      postData: {mimeType: 'application/json', text: request.message},
      headersSize: -1,
      bodySize: request.message.length,
    },
    response: {
      status: answer ? (exchange.failed ? 500 : 200) : 202,
      statusText: answer ? (exchange.failed ? 'JSON-RPC error' : 'OK') : 'no response',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      content: {size: text.length, mimeType: 'application/json', text},
      redirectURL: '',
      headersSize: -1,
      bodySize: text.length,
    },
    cache: {},
    timings: {send: 0, wait: exchange.millis ?? 0, receive: 0},
  };
}
