/** The same call as other callers make it. */
import {html} from '../lib/lit-html/lit-html.js';
import {namedPath} from '../api.js';
import {copyButton} from './element.js';
import {shown} from './visible-text.js';

const shell = text => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const java = text => JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/** Every character that a person does not see is written as an escape. */
const ascii = json => json.replace(/[\u007f-\uffff]/g, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));

function curl(origin, server, tool, json) {
  const where = namedPath(server, 'tools', tool);
  if (where) {
    return `curl -s ${shell(origin + where)} -H "Authorization: Bearer $MCPBUS_KEY" -d ${shell(json)}`;
  }
  const body = ascii(JSON.stringify({jsonrpc: '2.0', id: 1, method: 'tools/call', serverId: server, params: {name: tool, arguments: JSON.parse(json)}}));
  return `curl -s ${shell(origin + '/rpc')} -H "Authorization: Bearer $MCPBUS_KEY" -d ${shell(body)}`;
}

/**
 * @param {object} args
 * @returns {[string, string][]} each caller's name and its code
 */
function snippets(server, tool, args) {
  const json = ascii(JSON.stringify(args));
  return [
    ['curl', curl(location.origin, server, tool, json)],
    ['Java', `McpClient.create(vertx).server(${java(server)})\n    .callTool(${ascii(java(tool))}, new JsonObject(${java(json)}))\n    .onSuccess(result -> show(result));`],
    ['Event bus', `vertx.eventBus().<JsonObject>request("mcp.${server}.tools.call",\n        new JsonObject()\n            .put("name", ${ascii(java(tool))})\n            .put("arguments", new JsonObject(${java(json)})))\n    .onSuccess(reply -> show(reply.body()));`],
    // What a terminal would obey, or a person would not see, is not offered for a command line.
    ...(/\p{C}/u.test(tool) ? [] : [['Command line', `printf '%s' ${shell(json)} | mcpbus call ${shell(`${server}.${tool}`)} --args -`]]),
  ];
}

export const snippetsView = (server, tool, args) => html`<details class="snippets"><summary>The same call elsewhere</summary>
  ${snippets(server, tool, args).map(([name, code]) => html`<div><div class="row"><h4>${name}</h4>${copyButton(code, `the call for ${name}`)}</div><pre class="text">${shown(code, 20_000)}</pre></div>`)}</details>`;
