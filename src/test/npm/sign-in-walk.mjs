// Walks the pages of logins in Chromium as a person without a mouse does, with scripts off. Arguments:
// the look ("light", "dark", "narrow"), and a JSON object with what it needs. Says "walked" and ends
// with 0, or says what was not as it should be.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [, , look, given] = process.argv;
const { base, provider, key, chrome, shots } = JSON.parse(given);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const problems = [];

const check = (fine, what) => {
  if (!fine) {
    problems.push(what);
  }
};

/** The program that wants a token: it is called back here. */
const back = createServer((req, res) => {
  res.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><html lang=en><title>Back</title><p>Back");
});
await new Promise((listening) => back.listen(0, "127.0.0.1", listening));
const redirect = `http://127.0.0.1:${back.address().port}/callback`;

const screen = {
  viewport: look === "narrow" ? { width: 390, height: 844 } : { width: 1280, height: 900 },
  colorScheme: look === "dark" ? "dark" : "light",
};
const browser = await chromium.launch({ executablePath: chrome, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const context = await browser.newContext({ ...screen, javaScriptEnabled: false, ignoreHTTPSErrors: true });
const page = await context.newPage();
page.setDefaultTimeout(20_000);
page.on("console", (message) => {
  const text = `${message.text()} ${message.location().url}`;
  if (["error", "warning"].includes(message.type()) && !/status of 40[0134]/.test(text)) {
    problems.push(`in the browser's log: ${text}`);
  }
});
page.on("request", (request) => {
  const url = request.url();
  check([base, provider, redirect].some((own) => url.startsWith(own)), `it asked elsewhere: ${url}`);
});

/** For axe, which needs scripts: it gets a copy of each page. */
const copy = await (await browser.newContext(screen)).newPage();

/** Runs in the page: what of it is cut, too faint, or without a name. */
const faults = () => {
  const found = [];
  const name = (one) => `${one.tagName.toLowerCase()} "${(one.textContent || one.value || "").trim().slice(0, 40)}"`;
  const parts = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const light = (text) => {
    const [r, g, b] = parts(text).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [more, less] = [light(one), light(other)].sort((a, b) => b - a);
    return (more + 0.05) / (less + 0.05);
  };
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (parts(color)[3] !== 0) {
        return color;
      }
    }
    return "rgb(255, 255, 255)";
  };
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) {
    found.push(`it is ${root.scrollWidth - innerWidth} px wider than the screen`);
  }
  for (const one of document.querySelectorAll("main, main *")) {
    const { left, right, width, height } = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    if (width === 0 || height === 0 || one.type === "hidden") {
      continue;
    }
    if (left < 0 || right > innerWidth + 0.5 || (one.tagName !== "INPUT" && one.scrollWidth > one.clientWidth + 1 && style.display !== "inline")) {
      found.push(`${name(one)} is cut`);
    }
    if ([...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) {
      const ratio = contrast(style.color, ground(one));
      if (ratio < 4.5) {
        found.push(`${name(one)} has a contrast of ${ratio.toFixed(2)}`);
      }
    }
    if (["INPUT", "BUTTON"].includes(one.tagName)) {
      const around = ground(one.parentElement);
      const edge = Math.max(contrast(style.borderTopColor, around), contrast(style.backgroundColor, around));
      if (edge < 3) {
        found.push(`the edge of ${name(one)} has a contrast of ${edge.toFixed(2)}`);
      }
      if (height < 40) {
        found.push(`${name(one)} is ${height} px high`);
      }
    }
    if (one.tagName === "INPUT" && !one.labels.length) {
      found.push(`${name(one)} has no label`);
    }
  }
  return found;
};

async function examine(name, shown = page) {
  await shown.screenshot({ path: `${shots}/${name}-${look}.png`, fullPage: true });
  for (const fault of await shown.evaluate(faults)) {
    problems.push(`${name}: ${fault}`);
  }
  if (shown === page) {
    await copy.setContent(await page.content());
  }
  await copy.evaluate(axe);
  const { violations } = await copy.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const one of violations) {
    problems.push(`${name}: ${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  }
}

/** The page behind a consent is there for a moment alone: this looks at one that leads nowhere. */
async function examineLeaving() {
  const request = await page.locator("input[name=request]").inputValue();
  const answer = await context.request.post(`${base}/oauth/consent`, { form: { request, answer: "allow" }, headers: { Origin: base } });
  await copy.setContent((await answer.text()).replace('http-equiv="refresh"', ""));
  await examine("leaving", copy);
}

/** What has the focus, and whether a person sees that. */
const focused = () => page.evaluate(() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  const seen = one === document.body || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
  return { text: one === document.body ? "" : one.textContent || one.name, field: one.tagName === "INPUT", seen };
});

/** Goes on with Tab until this has the focus: the text of a button, or the name of a field. */
async function tabTo(wanted) {
  let now = await focused();
  for (let i = 0; i < 10 && !now.text.startsWith(wanted); i++) {
    await page.keyboard.press("Tab");
    now = await focused();
    check(now.seen, `${page.url()}: the focus on "${now.text}" is not seen`);
  }
  check(now.text.startsWith(wanted) && now.seen, `${page.url()}: the focus is not seen at "${wanted}"`);
}

async function sees(text) {
  let there = "";
  for (const end = Date.now() + 20_000; Date.now() < end && !there.includes(text); await page.waitForTimeout(20)) {
    there = await page.innerText("body").catch(() => ""); // it is being left
  }
  check(there.includes(text), `"${text}" is not seen at ${page.url()}: ${there.slice(0, 500)}`);
}

/** Presses the button that leads to the provider. */
async function leave(button) {
  const before = page.url();
  await tabTo(button);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.href !== before && !url.pathname.startsWith("/oauth/consent"));
}

/** At the pages of the provider, where they ask. */
async function atProvider(person) {
  while (page.url().startsWith(provider)) {
    const before = page.url();
    if (await page.locator("input[name=login]").count()) {
      check((await focused()).field, "the field of the provider has no focus");
      await page.keyboard.type(person);
      await page.keyboard.press("Enter");
    } else {
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
    }
    await page.waitForURL((url) => url.href !== before);
  }
}

const post = async (path, form, headers = {}) => (await fetch(base + path, { method: "POST", body: new URLSearchParams(form), headers })).json();

async function register(more) {
  const body = { client_name: "An editor with a rather long name, of the company Example and Sons", ...more };
  const answer = await fetch(`${base}/oauth/register`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  return (await answer.json()).client_id;
}

const verifier = randomBytes(32).toString("base64url");
const ask = (client, uri) => `${base}/oauth/authorize?${new URLSearchParams({
  response_type: "code", client_id: client, redirect_uri: uri, state: "s", resource: `${base}/mcp`,
  code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256",
})}`;

async function program() {
  const far = "https://app.example/a/rather/long/path/that/has/no/blank/and/goes/on/and/on/callback?tenant=0123456789abcdef";
  const client = await register({ redirect_uris: [redirect, far] });
  await page.goto(ask(client, far));
  await examine("consent-far");
  await page.goto(ask(client, redirect));
  await sees("May this program act for you?");
  await examine("consent");
  const cookies = (await context.cookies(base)).map((one) => one.name);
  check(cookies.length === 1 && cookies[0] === "__Host-mcpbus-consent", `the cookies are ${cookies}`);
  await examineLeaving();
  await leave("Allow");
  await atProvider("alice");
  const end = new URL(page.url());
  check(end.href.startsWith(redirect) && end.searchParams.get("iss") === base, `it ends at ${end}`);
  const tokens = await post("/oauth/token", { grant_type: "authorization_code", client_id: client, code: end.searchParams.get("code"), redirect_uri: redirect, code_verifier: verifier });
  const door = await fetch(`${base}/mcp`, { headers: { Authorization: `Bearer ${tokens.access_token}` } });
  check(tokens.access_token && door.status !== 401, `the door says ${door.status} to ${Object.keys(tokens)}`);

  await page.goto(ask(client, redirect));
  await tabTo("Cancel");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.href.startsWith(redirect));
  check(page.url().includes("error=access_denied"), `the program hears ${page.url()}`);

  await page.goto(ask(client, "https://evil.example/"));
  await sees("This login cannot go on");
  await examine("error");
}

async function device() {
  const client = await register({ client_name: "A device", grant_types: ["urn:ietf:params:oauth:grant-type:device_code"], redirect_uris: [] });
  const waiting = await post("/oauth/device_authorization", { client_id: client });
  await page.goto(waiting.verification_uri);
  await sees("Log in on a device");
  await examine("device");
  await tabTo("user_code");
  await page.keyboard.type("BBBB-BBBB");
  await page.keyboard.press("Enter");
  await sees("No device waits with this code.");
  await examine("device-wrong");
  await tabTo("user_code");
  await page.keyboard.type(waiting.user_code.toLowerCase());
  await page.keyboard.press("Enter");
  await sees(waiting.user_code);
  await examine("consent-device");
  await leave("Allow");
  await atProvider("alice");
  await sees("You are logged in");
  await examine("device-end");
  const tokens = await post("/oauth/token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id: client, device_code: waiting.device_code });
  check(tokens.access_token, `the device gets ${JSON.stringify(tokens)}`);
}

async function server() {
  await fetch(`${base}/api/credentials/notes`, { method: "DELETE", headers: { Authorization: `Bearer ${key}` } });
  const refused = await fetch(`${base}/api/servers/notes/tools/whoami`, { method: "POST", body: "{}", headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" } });
  const { login, detail } = await refused.json();
  check(login?.startsWith(`${base}/login/`), `the link is ${login}: ${detail}`);
  await page.goto(login);
  await sees("Log in at the server notes");
  await examine("login");
  await tabTo("key");
  await page.keyboard.type("not a key");
  await page.keyboard.press("Enter");
  await sees("This key or token is not good here.");
  await examine("login-wrong");
  await tabTo("key");
  await page.keyboard.type(key);
  await leave("Log in at");
  await atProvider("alice");
  await sees("You are logged in");
  await examine("login-end");
  await page.reload();
  await sees("This login cannot go on");
  await examine("login-over");
}

try {
  mkdirSync(shots, { recursive: true });
  await program();
  await device();
  await server();
} catch (e) {
  problems.push(`${e.stack}`.slice(0, 1_500));
  await page.screenshot({ path: `${shots}/failed-${look}.png` }).catch(() => {});
}
await browser.close();
back.close();
if (problems.length) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
} else {
  console.log("walked");
}
