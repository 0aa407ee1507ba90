/** The console: the login, the navigation, and the page that the address names. */
import {html, nothing, render} from './lib/lit-html/lit-html.js';
import {ApiFailure, failureText} from './api.js';
import {currentKey, forgetCaller, isKnown, setKey, takeFromAddress} from './login.js';
import {CallsPage} from './pages/calls.js';
import {ClusterPage} from './pages/cluster.js';
import {ConnectionPage} from './pages/connection.js';
import {ConnectionsPage} from './pages/connections.js';
import {CredentialsPage} from './pages/credentials.js';
import {HealthPage} from './pages/health.js';
import {InputsPage} from './pages/inputs.js';
import {MetricsPage} from './pages/metrics.js';
import {PromptsPage} from './pages/prompts.js';
import {ResourcesPage} from './pages/resources.js';
import {SkillsPage} from './pages/skills.js';
import {ToolsPage} from './pages/tools.js';
import {TrafficPage} from './pages/traffic.js';
import {alertBox, noticeView, part} from './parts/element.js';
import {offers} from './parts/offers.js';
import {ToolCall} from './parts/tool-call.js';
import {beginDrawing, shown} from './parts/visible-text.js';
import {begin, isOffered, takeAnswer} from './sign-in.js';
import {close, drawWith, forget, identify, open, redraw, signOut, store} from './store.js';

const PAGES = {
  connections: ConnectionsPage,
  tools: ToolsPage,
  resources: ResourcesPage,
  prompts: PromptsPage,
  skills: SkillsPage,
  traffic: TrafficPage,
  calls: CallsPage,
  inputs: InputsPage,
  credentials: CredentialsPage,
  cluster: ClusterPage,
  health: HealthPage,
  metrics: MetricsPage,
};
const ADMIN_PAGES = new Set(['traffic', 'calls']);
const THEMES = ['auto', 'light', 'dark'];

const root = document.getElementById('console');
let page = null;
let pageName = '';
let isOpen = false;
let loginFailure = null;
let signInIsOffered = false;
let menuIsOpen = false;
let theme = localStorage.getItem('mcpbus.theme') ?? 'auto';

function applyTheme() {
  document.documentElement.dataset.theme = theme;
}

/** The page of `#/name/rest?query`. */
function route() {
  const [where, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [name, ...rest] = where.split('/');
  closePage();
  pageName = Object.hasOwn(PAGES, name) ? name : 'connections';
  const detail = pageName === 'connections' && rest[0] ? decode(rest[0]) : null;
  page = detail ? new ConnectionPage(detail) : new PAGES[pageName]();
  menuIsOpen = false;
  document.title = `${page.title} · mcpbus`;
  isOpen = Boolean(allowed(pageName));
  if (isOpen) {
    page.open(new URLSearchParams(query));
  }
  redraw();
  scrollTo(0, 0);
}

function closePage() {
  if (isOpen) {
    page.close();
    isOpen = false;
  }
}

const decode = text => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const allowed = name => !ADMIN_PAGES.has(name) || store.caller?.admin;

function view() {
  return html`${!store.caller ? loginView() : page ? shell() : nothing}${noticeView()}`;
}

function shell() {
  return html`<a class="skip" href="#content" @click=${skip}>To the content</a>
    <header class="topbar">
      <button type="button" class="plain menu" aria-expanded=${menuIsOpen} aria-controls="nav" @click=${() => { menuIsOpen = !menuIsOpen; redraw(); }}>Menu</button>
      <a class="brand" href="#/connections"><img src="/console/icon.svg" alt="" width="24" height="24"> mcpbus</a>
      <span class="live" data-live=${store.live ? 'yes' : 'no'} role="status">${store.live ? 'live' : 'not connected'}</span>
      <span class="space"></span>
      <span class="who">${shown(store.caller.name, 60)}${store.caller.admin ? html` <span class="hint">admin</span>` : nothing}</span>
      <button type="button" class="plain" aria-label=${`Colours: ${theme}`} title="Colours" @click=${nextTheme}>${{auto: '◐', light: '○', dark: '●'}[theme]}</button>
      ${store.caller.admin && !store.caller.login || isKnown() ? html`<button type="button" class="plain" @click=${leave}>Sign out</button>` : html`<button type="button" class="plain" @click=${() => { signOut(); }}>Sign in</button>`}
    </header>
    <nav id="nav" data-open=${menuIsOpen ? 'yes' : 'no'} aria-label="Pages"><ul>${Object.keys(PAGES).map(name => html`<li><a href=${`#/${name}`} aria-current=${name === pageName ? 'page' : nothing}>${title(name)}${name === 'inputs' && store.questions.length ? html` <span class="count">${store.questions.length}</span>` : nothing}${name === 'health' && failing() ? html` <span class="count">${failing()}</span>` : nothing}</a></li>`)}</ul></nav>
    <main id="content" tabindex="-1"><h1 class=${page instanceof ConnectionPage ? 'visually-hidden' : ''}>${page.title}</h1>
      ${store.missed ? html`<div class="note row">Some events were missed; the lists were read again. <button type="button" class="plain small" @click=${() => { store.missed = false; redraw(); }}>Close</button></div>` : nothing}
      ${allowed(pageName) ? part(() => page.view()) : html`<p class="note">This page needs the admin right. Sign in with a key that has it: without logins that is the admin token, which mcpbus shows at its start.</p>`}</main>`;
}

const title = name => name[0].toUpperCase() + name.slice(1);

const failing = () => [...store.servers.values()].filter(server => server.state === 'FAILED' || server.state === 'RECONNECTING').length;

function loginView() {
  isOffered(store.challenge).then(now => {
    if (now !== signInIsOffered) {
      signInIsOffered = now;
      redraw();
    }
  });
  return html`<main class="login"><img src="/console/icon.svg" alt="" width="56" height="56"><h1>mcpbus</h1>
    ${alertBox(loginFailure ?? store.refused)}
    ${signInIsOffered ? html`<button type="button" class="primary" @click=${begin}>Sign in</button>
      <details><summary>With a key or token</summary>${keyForm()}</details>` : keyForm()}</main>`;
}

function keyForm() {
  return html`<form @submit=${login}>
      <label for="key">Key or token</label>
      <input id="key" name="key" type="password" autocomplete="off" spellcheck="false" required>
      <button type="submit" class=${signInIsOffered ? '' : 'primary'}>Sign in</button>
      ${signInIsOffered ? nothing : html`<button type="button" class="plain" @click=${() => enter(null)}>Without a key</button>`}
    </form>
    <p class="help">${signInIsOffered ? nothing : 'mcpbus shows the admin token, or where it is, at its start. '}A key of <code>auth.apiKeys</code> or a token of your issuer works too. It stays in this tab.</p>`;
}

async function login(event) {
  event.preventDefault();
  await enter(new FormData(event.target).get('key').trim());
}

async function enter(key, problem = null) {
  endAll();
  setKey(key);
  loginFailure = problem;
  store.refused = null;
  try {
    if (await identify()) {
      await open();
      route();
    } else {
      forgetCaller();
      signInIsOffered = await isOffered(store.challenge);
      loginFailure ??= key ? 'This key is not good here. The admin token is another one after each start of mcpbus.' : signInIsOffered ? null : 'This mcpbus wants a key.';
    }
  } catch (e) {
    loginFailure = e instanceof ApiFailure ? e : failureText(e);
  }
  redraw();
}

function leave() {
  loginFailure = null;
  forgetCaller();
  endAll();
  signOut();
}

/** What one caller called, was answered and offered is not for the next one. */
function endAll() {
  offers.endAll();
  ToolCall.endAll();
  closePage();
  page = null;
  forget();
}

function nextTheme() {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  localStorage.setItem('mcpbus.theme', theme);
  applyTheme();
  redraw();
}

function skip(event) {
  event.preventDefault();
  document.getElementById('content').focus();
}

async function start() {
  applyTheme();
  const problem = await takeAnswer();
  takeFromAddress();
  root.replaceChildren();
  drawWith(() => {
    beginDrawing();
    render(view(), root);
  });
  addEventListener('hashchange', () => {
    if (location.hash.startsWith('#token=')) {
      takeFromAddress();
      enter(currentKey());
    } else if (store.caller) {
      route();
    }
  });
  addEventListener('pagehide', close);
  addEventListener('pageshow', event => {
    if (event.persisted) {
      location.reload(); // its streams ended when the page was left
    }
  });
  await enter(currentKey(), problem);
}

start();
