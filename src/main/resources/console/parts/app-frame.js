/**
 * An app of a server (MCP Apps, extension io.modelcontextprotocol/ui) in a frame that loads nothing
 * and has neither storage nor this page. It runs after a person has said so, and what it wants it asks
 * for with JSON-RPC over a port of its own frame; before a tool is called or a resource is read, a
 * person is asked. One app runs at a time.
 */
import {html, nothing} from '../lib/lit-html/lit-html.js';
import {get, namedPath, request, serverPath} from '../api.js';
import {redraw} from '../store.js';
import {AppRequests, callOf, LONGEST_SHOWN, messageOf, refusal, uriOf} from './app-rules.js';
import {action, alertBox, ask} from './element.js';
import {shown, shownText} from './visible-text.js';

const VERSION = '2026-01-26';
const TALLEST = 1_200;
const BIGGEST = 4 * 1_048_576;
const MIME = 'text/html;profile=mcp-app';
const ENDS = {
  left: 'The app left its page, so it was ended.',
  flood: 'The app sent too many messages, or one that was too long, so it was ended.',
};

/** @type {AppFrame|null} the app that runs */
let running = null;

/** The URI of the app of a tool, or null. */
export function appOf(tool, result) {
  const uri = tool._meta?.ui?.resourceUri ?? tool._meta?.['ui/resourceUri'] ?? result?._meta?.ui?.resourceUri;
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : null;
}

export class AppFrame {
  markup = null;
  failure = null;
  ended = '';
  /** The frame of the present run; null while the app does not run. */
  frame = null;

  constructor(server, uri, tool, args, result) {
    Object.assign(this, {server, uri, tool, args, result});
    this.read();
  }

  start() {
    running?.stop();
    running = this;
    this.ended = '';
    this.run = new AbortController();
    this.requests = new AppRequests(() => performance.now());
    this.port = null;
    this.tools = null;
    this.isTold = false;
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.referrerPolicy = 'no-referrer';
    frame.title = `App of ${shownText(this.server)}`;
    frame.style.height = '320px';
    frame.src = '/console/app.html';
    let loads = 0;
    frame.addEventListener('load', () => ++loads > 1 && this.stop(ENDS.left));
    addEventListener('message', event => this.handOver(event), {signal: this.run.signal});
    this.frame = frame;
  }

  /** Ends the frame, its port, what it asked a person and what it called; the app can be run again. */
  stop(why = '') {
    if (running === this) {
      running = null;
    }
    this.run?.abort();
    this.port?.close();
    this.frame?.remove();
    this.frame = null;
    this.ended = why;
    redraw();
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
      ${this.ended ? html`<p class="note" role="status">${this.ended}</p>` : nothing}
      ${this.markup === null ? nothing : this.frame ? html`${this.frame}<div class="row end">${action('End it', () => this.stop(), {kind: 'plain small'})}</div>` : html`<div class="row wrap">${action('Run it', () => this.start())}
        <span class="help">It runs as an origin of its own: it sees neither this page nor your key, and loads nothing. No browser can forbid it WebRTC, so it can let its author know that you look at it.</span></div>`}</section>`;
  }

  /** The document of this frame, which says first that it waits, gets the app and the only port. */
  handOver({source, data}) {
    if (this.port || !this.frame?.contentWindow || source !== this.frame.contentWindow || data?.method !== 'mcpbus/waits') {
      return;
    }
    const {port1, port2} = new MessageChannel();
    this.port = port1;
    port1.onmessage = event => this.take(event.data);
    source.postMessage({method: 'mcpbus/markup', markup: this.markup}, '*', [port2]); // its origin has no name
  }

  /** A text is of the app; an object is of the document around it. */
  take(data) {
    if (!this.frame?.isConnected) {
      this.stop();
    } else if (typeof data !== 'string') {
      this.stop(ENDS[data?.ended] ?? ENDS.left);
    } else {
      const message = messageOf(data);
      if (message) {
        message.id === undefined ? this.notified(message) : this.answer(message);
      }
    }
  }

  async answer({id, method, params}) {
    const {port, run} = this;
    const answered = {jsonrpc: '2.0', id};
    try {
      answered.result = await this.requests.admit(() => this.serve(method, params, run.signal));
    } catch (e) {
      answered.error = {code: e.rpcCode ?? -32603, message: String(e.message)};
    }
    if (!run.signal.aborted) {
      port.postMessage(JSON.stringify(answered));
    }
  }

  notified({method, params}) {
    if (method === 'ui/notifications/initialized' && !this.isTold) {
      this.isTold = true;
      this.tell('ui/notifications/tool-input', {arguments: this.args});
      this.tell('ui/notifications/tool-result', this.result);
    } else if (method === 'ui/notifications/size-changed' && Number.isFinite(params.height)) {
      this.frame.style.height = `${Math.max(80, Math.min(TALLEST, Math.ceil(params.height)))}px`;
    }
  }

  tell(method, params) {
    this.port.postMessage(JSON.stringify({jsonrpc: '2.0', method, params}));
  }

  /** All that an app may ask for: what is not here is not served. */
  async serve(method, params, signal) {
    switch (method) {
      case 'ui/initialize': return {
        protocolVersion: VERSION,
        hostInfo: {name: 'mcpbus console', version: '1'},
        hostCapabilities: {serverTools: {}, serverResources: {}},
        hostContext: {theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light', displayMode: 'inline', availableDisplayModes: ['inline'], locale: navigator.language, toolInfo: {tool: this.tool}},
      };
      case 'ping': return {};
      case 'tools/call': return this.callTool(params, signal);
      case 'resources/read': return this.readResource(params, signal);
      default: throw refusal(`The console does not serve ${method.slice(0, 100)}.`, -32601);
    }
  }

  async callTool(params, signal) {
    this.tools ??= get(serverPath(this.server, 'tools'), {}, signal);
    const {name, text} = callOf(params, (await this.tools).tools);
    await this.requests.consent(() => this.asked(`call its tool ${shownText(name)} with`, text, 'Call it', signal));
    const where = namedPath(this.server, 'tools', name);
    return request('POST', where ?? serverPath(this.server, 'request'), {body: where ? text : `{"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${text}}}`, signal});
  }

  async readResource(params, signal) {
    const uri = uriOf(params);
    await this.requests.consent(() => this.asked('read the resource', uri, 'Let it read', signal), uri);
    return get(serverPath(this.server, 'resources', 'read'), {uri}, signal);
  }

  /** Whether a person agrees, who sees all of what the app sends. */
  async asked(what, text, yes, signal) {
    const agrees = await ask(`The app of ${shownText(this.server)} wants to ${what}`, yes, {detail: shownText(text, LONGEST_SHOWN), signal});
    return agrees && this.frame?.isConnected === true && !signal.aborted;
  }
}
