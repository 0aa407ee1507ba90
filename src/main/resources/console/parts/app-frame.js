/**
 * An app of a server (MCP Apps, extension io.modelcontextprotocol/ui) in a frame that loads nothing
 * and has neither storage nor this page. It runs after a person has said so, and what it wants it asks
 * for with JSON-RPC; a tool is called only after a person has agreed.
 */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get, namedPath, request, serverPath} from '../api.js';
import {redraw} from '../store.js';
import {action, alertBox, ask} from './element.js';
import {shown, shownText} from './visible-text.js';

const VERSION = '2026-01-26';
const TALLEST = 1_200;
const BIGGEST = 4 * 1_048_576;
const MIME = 'text/html;profile=mcp-app';

let asking = false;

/** One question at a time, so that an app cannot bury a person under them. */
async function agreed(question, yes) {
  asking = true;
  try {
    return await ask(question, yes);
  } finally {
    asking = false;
  }
}

/** The URI of the app of a tool, or null. */
export function appOf(tool, result) {
  const uri = tool._meta?.ui?.resourceUri ?? tool._meta?.['ui/resourceUri'] ?? result?._meta?.ui?.resourceUri;
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : null;
}

export class AppFrame {
  height = 320;
  markup = null;
  failure = null;
  frame = null;
  begun = false;
  runs = false;

  constructor(server, uri, tool, args, result) {
    Object.assign(this, {server, uri, tool, args, result});
    this.read();
  }

  start() {
    addEventListener('message', this.message);
    this.runs = true;
  }

  /** The frame is gone; the app has to be run again. */
  stop() {
    removeEventListener('message', this.message);
    this.runs = false;
    this.begun = false;
  }

  async read() {
    try {
      const {contents} = await get(serverPath(this.server, 'resources', 'read'), {uri: this.uri});
      const page = contents.find(one => one.uri === this.uri) ?? contents[0];
      const markup = page.text ?? new TextDecoder().decode(Uint8Array.from(atob(page.blob), c => c.charCodeAt(0)));
      if (!String(page.mimeType ?? '').startsWith('text/html')) {
        throw new Error(`The app is of type ${page.mimeType}; it has to be ${MIME}.`);
      }
      if (markup.length > BIGGEST) {
        throw new Error(`The app is longer than ${BIGGEST / 1_048_576} MiB.`);
      }
      this.markup = markup;
    } catch (e) {
      this.failure = e;
    }
    redraw();
  }

  view() {
    return html`<section class="app"><h4>App of the server <code>${shown(this.uri, 200)}</code></h4>
      ${alertBox(this.failure)}
      ${this.markup === null ? nothing : !this.runs ? html`<div class="row wrap">${action('Run it', () => this.start())}
        <span class="help">It runs as an origin of its own: it sees neither this page nor your key, and loads nothing. No browser can forbid it WebRTC, so it can let its author know that you look at it.</span></div>` : html`<iframe title=${`App of ${shownText(this.server)}`} sandbox="allow-scripts" referrerpolicy="no-referrer" src="/console/app.html"
        .style=${`height:${this.height}px`}></iframe>`}</section>`;
  }

  message = event => {
    const frame = [...document.querySelectorAll('section.app iframe')].find(one => one.contentWindow === event.source);
    if (!frame || event.origin !== 'null') {
      return;
    }
    this.frame = event.source;
    const said = event.data;
    if (said?.method === 'mcpbus/waits' && !this.begun) {
      this.begun = true;
      this.frame.postMessage({method: 'mcpbus/markup', markup: this.markup}, '*');
    } else if (said?.jsonrpc === '2.0' && typeof said.method === 'string') {
      this.answer(said);
    }
  };

  async answer({id, method, params}) {
    if (id === undefined) {
      this.notified(method, params);
      return;
    }
    try {
      this.say({jsonrpc: '2.0', id, result: await this.serve(method, params ?? {})});
    } catch (e) {
      this.say({jsonrpc: '2.0', id, error: {code: e.rpcCode ?? -32603, message: String(e.message)}});
    }
  }

  notified(method, params) {
    if (method === 'ui/notifications/initialized') {
      this.say({jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: {arguments: this.args}});
      this.say({jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: this.result});
    } else if (method === 'ui/notifications/size-changed' && Number.isFinite(params?.height)) {
      this.height = Math.max(80, Math.min(TALLEST, Math.ceil(params.height)));
      redraw();
    }
  }

  async serve(method, params) {
    switch (method) {
      case 'ui/initialize': return {
        protocolVersion: VERSION,
        hostInfo: {name: 'mcpbus console', version: '1'},
        hostCapabilities: {serverTools: {}, serverResources: {}},
        hostContext: {theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light', displayMode: 'inline', availableDisplayModes: ['inline'], locale: navigator.language, toolInfo: {tool: this.tool}},
      };
      case 'ping': return {};
      case 'tools/call': return this.callTool(params);
      case 'resources/read': return get(serverPath(this.server, 'resources', 'read'), {uri: String(params.uri)});
      default: throw Object.assign(new Error(`The console does not serve ${method}.`), {rpcCode: -32601});
    }
  }

  async callTool({name, arguments: args = {}}) {
    const text = JSON.stringify(args);
    if (asking) {
      throw Object.assign(new Error('A person is being asked about another call.'), {rpcCode: -32000});
    }
    if (!(await agreed(`The app of ${shownText(this.server)} wants to call ${shownText(name)} with ${shownText(text.slice(0, 600))}`, 'Call it'))) {
      throw Object.assign(new Error('A person declined the call.'), {rpcCode: -32000});
    }
    const where = namedPath(this.server, 'tools', String(name));
    return request('POST', where ?? serverPath(this.server, 'request'), {body: where ? text : JSON.stringify({method: 'tools/call', params: {name, arguments: args}})});
  }

  say(message) {
    this.frame?.postMessage(message, '*');
  }
}
