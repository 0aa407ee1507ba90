// Walks the console of mcpbus in Chromium as a person does, one part at a time: the parts are the
// functions of `parts`. Arguments: the part, and a JSON object with what it needs. Says "walked" and
// ends with 0, or says what was not as it should be.
import { createServer } from "node:http";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { chromium } from "playwright-core";

const [, , part, given] = process.argv;
const { base, keys = {}, chrome, shots, leakPort, ...more } = JSON.parse(given);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PATIENCE = 20_000;
const problems = [];
const leaks = [];

const check = (fine, what) => {
  if (!fine) {
    problems.push(what);
  }
};

const browser = await chromium.launch({ executablePath: chrome, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });

async function open({ key, width = 1440, height = 900, scheme = "light", at = "", expected = [], elsewhere = base } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => problems.push(`an error in the page: ${error.message}`));
  page.on("dialog", (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("console", (message) => {
    const text = `${message.text()} ${message.location().url}`;
    if (message.type() === "error" && !expected.some((one) => text.includes(one))) {
      problems.push(`an error in the browser's log: ${text}`);
    }
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !url.startsWith(elsewhere) && !url.startsWith("data:") && !url.startsWith("ws") && !url.startsWith("blob:") && !url.startsWith("about:")) {
      problems.push(`it asked elsewhere: ${url}`);
    }
  });
  await page.goto(`${base}/${key ? `#token=${key}` : at}`);
  if (key) {
    await page.waitForSelector("main h1", { state: "attached" });
    check(!page.url().includes("token"), "the key stays in the address");
    if (at) {
      await go(page, at.replace(/^#\//, ""));
    }
  }
  return page;
}

const go = async (page, where) => {
  await page.evaluate((to) => { location.hash = "#/" + to; }, where);
  await page.waitForSelector("main h1", { state: "attached" });
};

const sees = async (page, text, where = "main") => {
  try {
    await page.waitForFunction(([selector, wanted]) => document.querySelector(selector)?.textContent.includes(wanted), [where, text], { timeout: PATIENCE });
  } catch {
    const there = (await page.textContent(where).catch(() => "nothing"))?.replace(/\s+/g, " ").slice(0, 600);
    problems.push(`"${text}" is not seen in ${where}; there is: ${there}`);
  }
};

const tool = async (page, server, name) => {
  await go(page, `tools?server=${server}&name=${encodeURIComponent(name)}`);
  await page.waitForSelector(".catalog-detail h2");
};

const call = (page) => page.click("form button[type=submit]");

const PAGES = ["connections", "tools", "resources", "prompts", "skills", "traffic", "calls", "inputs", "credentials", "cluster", "health", "metrics"];

async function examine(page, name) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const one of found.violations) {
    if (["serious", "critical"].includes(one.impact)) {
      problems.push(`${name}: ${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
    }
  }
}

const parts = {
  /** The link, a wrong key, no key, and what each right shows. */
  async login() {
    const refused = ["401", "403"];
    const page = await open({ at: "", expected: refused });
    await page.waitForSelector("#key");
    await page.fill("#key", "not-a-key");
    await page.click("text=Sign in");
    await sees(page, "not good here");
    await page.fill("#key", keys.admin);
    await page.click("text=Sign in");
    await page.waitForSelector("nav#nav");
    await sees(page, "admin", ".who");
    await page.reload();
    await page.waitForSelector("nav#nav");
    await page.click("text=Sign out");
    await page.waitForSelector("#key");
    check((await page.evaluate(() => sessionStorage.length)) === 0, "the key stays after the sign-out");

    const reader = await open({ key: keys.reader, expected: refused });
    await sees(reader, "demo");
    check((await reader.locator("text=Add a server").count()) === 0, "one who may only look is offered to add a server");
    await go(reader, "traffic");
    await sees(reader, "needs the admin right");
    await go(reader, "tools?server=demo");
    await sees(reader, "No server lists tools");

    // The next caller of a tab sees nothing of what the one before called.
    await page.fill("#key", keys.admin);
    await page.click("text=Sign in");
    await tool(page, "demo", "add");
    await page.fill("input[inputmode=decimal] >> nth=0", "2");
    await page.fill("input[inputmode=decimal] >> nth=1", "3");
    await call(page);
    await page.waitForSelector(".outcome");
    await page.evaluate((key) => { location.hash = `#token=${key}`; }, keys.caller);
    await sees(page, "caller", ".who");
    await tool(page, "demo", "add");
    check((await page.locator(".outcome").count()) === 0, "a caller sees the result of another one");

    const caller = await open({ key: keys.caller, expected: refused });
    await tool(caller, "demo", "add");
    await caller.fill("input[inputmode=decimal] >> nth=0", "2");
    await caller.fill("input[inputmode=decimal] >> nth=1", "3");
    await call(caller);
    await sees(caller, "5", ".outcome");
    await go(caller, "connections/demo");
    await sees(caller, "need the admin right");
    check((await caller.locator("button:has-text('Restart')").count()) === 0, "one without the admin right is offered to restart");
  },

  /** Adds a server from pasted text, sees it start, and removes it. */
  async add() {
    const page = await open({ key: keys.admin, expected: ["404"] }); // asked for while it goes
    await page.click("text=Add a server");
    await page.fill("#add-text", JSON.stringify({ mcpServers: { pasted: more.pasted } }));
    await sees(page, "run this program", ".preview");
    await sees(page, more.pasted.args.at(-1), ".preview");
    await page.click("text=Add it");
    await sees(page, "pasted", ".virtual");
    await go(page, "connections/pasted");
    await sees(page, "ready", "h2");
    await page.click("button:has-text('Stop')");
    await page.waitForSelector("button:has-text('Start')");
    await page.click("button:has-text('Start')");
    await sees(page, "ready", "h2");
    await page.click("button:has-text('Remove')");
    await page.click("dialog button.danger");
    await page.waitForFunction(() => !document.querySelector(".virtual")?.textContent.includes("pasted") && location.hash === "#/connections");
  },

  /** A name of a registry becomes what it would run, and one that it does not have is said so. */
  async registry() {
    const page = await open({ key: keys.admin, expected: ["400"] });
    await page.click("text=Add a server");
    await page.fill("#add-text", "io.github.ada/nowhere");
    await sees(page, "has no server io.github.ada/nowhere", ".add");
    await page.fill("#add-text", "io.github.ada/weather");
    await sees(page, "npx -y @ada/weather-mcp", ".preview");
    await sees(page, "1.2.0", ".preview");
  },

  /** The sign-in with the provider: tokens that are renewed under streams, a copy of the tab, its end. */
  async signIn() {
    const page = await open({ expected: ["401", "favicon", "/oauth/token"], elsewhere: more.provider });
    const signIn = (one) => one.click("button.primary:has-text('Sign in')");
    const kept = (one = page) => one.evaluate(() => JSON.parse(sessionStorage.getItem("mcpbus.signIn")));
    const atProvider = async (one, name, button = "Log in") => {
      await one.fill("input[name=login]", name);
      await one.click(`button:has-text('${button}')`);
    };
    await page.waitForSelector("button.primary:has-text('Sign in')");
    check(!await page.isVisible("#key"), "the form for a key is not folded");
    await examine(page, "sign-in");
    for (const [width, scheme] of [[1440, "light"], [1440, "dark"], [390, "light"], [390, "dark"]]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: `${shots}/sign-in-${width}-${scheme}.png` });
      await page.click("summary");
      await page.screenshot({ path: `${shots}/sign-in-key-${width}-${scheme}.png` });
      await page.click("summary");
    }
    await page.setViewportSize({ width: 1440, height: 900 });

    // Who cancels at the provider comes back and may try again.
    await signIn(page);
    await atProvider(page, "", "Cancel");
    await sees(page, "The sign-in was cancelled");
    check(page.url() === `${base}/`, `the answer stays in the address: ${page.url()}`);
    await page.screenshot({ path: `${shots}/sign-in-cancelled.png` });

    await page.evaluate(() => { location.hash = "#/tools"; });
    await signIn(page);
    await atProvider(page, "alice");
    await page.waitForSelector("nav#nav");
    await sees(page, "user:alice", ".who");
    check(page.url() === `${base}/#/tools`, `it does not come back to where it was: ${page.url()}`);
    check((await page.evaluate(() => Object.keys(sessionStorage).join())) === "mcpbus.signIn", "more is kept than the tokens");
    await page.screenshot({ path: `${shots}/sign-in-done.png` });

    // Each token ends after some seconds: the socket and the stream go on with a new one.
    const first = (await kept()).access;
    await tool(page, "everything", "trigger-long-running-operation");
    await page.fill("input[inputmode=decimal] >> nth=0", "20");
    await page.fill("input[inputmode=decimal] >> nth=1", "40");
    await call(page);
    await page.waitForFunction(() => document.querySelector("progress")?.value >= 36, null, { timeout: 60_000 });
    await sees(page, "Long running operation completed", ".outcome");
    check((await kept()).access !== first, "the token was not renewed");
    await page.waitForSelector(".live[data-live=yes]");

    // A copy of the tab has the same refresh token, which is good once.
    const [copy] = await Promise.all([page.context().waitForEvent("page"), page.evaluate(() => { window.open("/#/cluster"); })]);
    await copy.waitForSelector("nav#nav");
    for (let renewed = 0; renewed < 3; renewed++) {
      const { access } = await kept(renewed % 2 ? copy : page);
      for (const one of [page, copy]) {
        await one.waitForFunction((old) => JSON.parse(sessionStorage.getItem("mcpbus.signIn"))?.access !== old, access, { timeout: 60_000 });
        await sees(one, "user:alice", ".who");
      }
    }
    // They agree, also where both have renewed at the same time: for a moment one may not know yet.
    const agree = async () => (await kept()).refresh === (await kept(copy)).refresh;
    for (let looked = 0; looked < 1_000 && !(await agree()); looked++) {
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    check(await agree(), "two copies of a tab have tokens of their own");

    // A token that is refused is renewed once; what was asked is answered.
    await page.evaluate(() => {
      const kept = JSON.parse(sessionStorage.getItem("mcpbus.signIn"));
      sessionStorage.setItem("mcpbus.signIn", JSON.stringify({ ...kept, access: "x".repeat(60), renewAt: Date.now() + 3_600_000 }));
    });
    await page.reload();
    await sees(page, "user:alice", ".who");

    const { access, refresh } = await kept();
    await page.click("text=Sign out");
    await page.waitForSelector("button.primary:has-text('Sign in')");
    check((await page.evaluate(() => sessionStorage.length)) === 0, "something stays after the sign-out");
    await copy.waitForSelector("button.primary:has-text('Sign in')");
    const status = (token) => page.evaluate(async (one) => (await fetch("/api/caller", { headers: { Authorization: `Bearer ${one}` } })).status, token);
    check(await status(access) === 401, "the token is good after the sign-out");
    const renewed = await page.evaluate(async (one) => (await fetch("/oauth/token", { method: "POST", body: new URLSearchParams({ grant_type: "refresh_token", client_id: "mcpbus-console", refresh_token: one }) })).status, refresh);
    check(renewed === 400, `the refresh token is good after the sign-out: ${renewed}`);
  },

  /** Answers of a sign-in that this tab has not begun. */
  async signInFaults() {
    const page = await open({ expected: ["401", "403", "favicon", "/oauth/token"], elsewhere: more.provider });
    const iss = encodeURIComponent(base);
    const redeemed = [];
    page.on("request", (request) => request.url().endsWith("/oauth/token") && redeemed.push(request.postData()));
    await page.waitForSelector("button.primary:has-text('Sign in')");
    // A code of an attacker, with a state of an attacker: nobody is signed in.
    await page.goto(`${base}/?code=${more.code}&state=${more.state}&iss=${iss}`);
    await sees(page, "This tab has not begun that sign-in");
    check(page.url() === `${base}/`, `a foreign answer stays in the address: ${page.url()}`);
    // The same while a sign-in of this tab is under way, which it ends.
    await page.click("button.primary:has-text('Sign in')");
    await page.waitForSelector("input[name=login]");
    await page.goto(`${base}/?code=${more.code}&state=${more.state}&iss=${iss}`);
    await sees(page, "This tab has not begun that sign-in");
    // Its own state with a code of another, and with another issuer.
    for (const [code, from, wanted] of [[more.code, iss, "took too long, or was used before"], [more.code, "https%3A%2F%2Fevil.example", "has not begun"]]) {
      await page.click("button.primary:has-text('Sign in')");
      await page.waitForSelector("input[name=login]");
      await page.goto(`${base}/console/icon.svg`);
      const state = await page.evaluate(() => JSON.parse(sessionStorage.getItem("mcpbus.signIn.begun")).state);
      await page.goto(`${base}/?code=${code}&state=${state}&iss=${from}`);
      await sees(page, wanted);
    }
    check(redeemed.length === 1, `foreign codes were redeemed: ${redeemed.length}`);
    // Markup in what comes back is neither run nor shown.
    await page.goto(`${base}/?error=${encodeURIComponent("<img src=x onerror=alert(1)>")}&state=x&error_description=evil-text&iss=${iss}`);
    await sees(page, "This tab has not begun that sign-in");
    check(!(await page.content()).includes("evil-text"), "the address is shown");
    // A page of another site can neither begin the console's sign-in nor lead to its end.
    const site = createServer((request, response) => response.writeHead(200, { "content-type": "text/html" }).end(
      `<a id=begin href="${base}/oauth/authorize?${more.begin}">x</a><a id=end href="${base}/?code=${more.code}&state=x">x</a><iframe src="${base}/"></iframe>`));
    await new Promise((listening) => site.listen(0, "127.0.0.1", listening));
    const evil = await (await browser.newContext()).newPage();
    for (const link of ["#begin", "#end"]) {
      await evil.goto(`http://localhost:${site.address().port}/`);
      const [answer] = await Promise.all([evil.waitForNavigation(), evil.click(link)]);
      check(answer.status() === 403, `${link} of another site is answered with ${answer.status()}`);
    }
    await evil.goto(`http://localhost:${site.address().port}/`);
    check(evil.frames().every((frame) => !frame.url().startsWith(base)), "the console is framed");
    site.close();
  },

  /** The page of a login at a server, for who has signed in: right, wrong, cancelled. */
  async link() {
    const page = await open({ expected: ["401", "502", "favicon", "400", "404"], elsewhere: more.provider });
    const atProvider = async (one, name, button = "Log in") => {
      await one.fill("input[name=login]", name);
      await one.click(`button:has-text('${button}')`);
    };
    await page.click("button.primary:has-text('Sign in')");
    await atProvider(page, "alice");
    await page.waitForSelector("nav#nav");
    const link = () => page.evaluate(async () => {
      const { access } = JSON.parse(sessionStorage.getItem("mcpbus.signIn"));
      const answer = await fetch("/api/servers/notes/tools/whoami", { method: "POST", body: "{}", headers: { Authorization: `Bearer ${access}`, "Content-Type": "application/json" } });
      return (await answer.json()).login;
    });
    const first = await link();

    // Another person, by the link that was passed on.
    const bob = await open({ at: first.slice(base.length + 1), expected: ["401", "403", "favicon"], elsewhere: more.provider });
    await bob.waitForSelector("button.main:has-text('Sign in with 127.0.0.1')");
    await examine(bob, "link");
    for (const [width, scheme] of [[1440, "light"], [1440, "dark"], [390, "light"], [390, "dark"]]) {
      await bob.setViewportSize({ width, height: 900 });
      await bob.emulateMedia({ colorScheme: scheme });
      await bob.screenshot({ path: `${shots}/link-${width}-${scheme}.png` });
      await bob.click("summary");
      await bob.screenshot({ path: `${shots}/link-key-${width}-${scheme}.png` });
      await bob.click("summary");
    }
    await bob.click("button.main");
    await atProvider(bob, "", "Cancel");
    await sees(bob, "The sign-in was refused");
    await bob.screenshot({ path: `${shots}/link-refused.png` });
    await bob.click("button.main");
    await atProvider(bob, "bob");
    await sees(bob, "You are user:bob, and this link is for another principal");
    await bob.screenshot({ path: `${shots}/link-other.png` });
    const referrer = await bob.evaluate(() => document.referrer);
    check(!referrer.includes("/login/"), `the ticket is in a referrer: ${referrer}`);
    // With a key, by the page that a person sees.
    await bob.click("summary");
    await bob.fill("input[name=key]", "no key");
    await bob.click("details button");
    await sees(bob, "This key or token is not good here");

    // The right person, who is known at the provider, goes all the way with one button.
    await page.goto(first);
    await page.click("button.main");
    await page.click("button:has-text('Yes')"); // at the authorization server of the notes
    await sees(page, "You are logged in");
    await page.screenshot({ path: `${shots}/link-done.png` });
    await page.goto(first);
    await sees(page, "The link was used");
  },

  /** A call by form, one with progress, one that is cancelled, and what the other callers' code is. */
  async call() {
    const page = await open({ key: keys.admin, expected: ["499"] });
    await tool(page, "everything", "get-sum");
    await call(page);
    await sees(page, "a is required", "form");
    await page.fill("input[inputmode=decimal] >> nth=0", "2");
    await page.fill("input[inputmode=decimal] >> nth=1", "x");
    await sees(page, "Write a number", "form");
    await page.fill("input[inputmode=decimal] >> nth=1", "3.5");
    await call(page);
    await sees(page, "The sum of 2 and 3.5 is 5.5.", ".outcome");
    await page.click("summary:has-text('The same call elsewhere')");
    await sees(page, "mcpbus call everything.get-sum", ".snippets");
    await sees(page, '{"a":2,"b":3.5}', ".snippets");

    await tool(page, "everything", "get-resource-links");
    await call(page);
    await page.click(".outcome a:has-text('Read it') >> nth=0");
    await page.waitForSelector(".catalog-detail .content");

    await tool(page, "everything", "get-tiny-image");
    await call(page);
    await page.waitForSelector(".outcome img.result");
    check(await page.evaluate(() => document.querySelector(".outcome img.result").naturalWidth > 0), "the picture is not drawn");

    await tool(page, "everything", "trigger-long-running-operation");
    await page.fill("input[inputmode=decimal] >> nth=0", "3");
    await page.fill("input[inputmode=decimal] >> nth=1", "3");
    await call(page);
    await page.waitForFunction(() => document.querySelector("progress")?.value >= 1);
    await sees(page, "Long running operation completed", ".outcome");
    await page.fill("input[inputmode=decimal] >> nth=0", "60");
    await page.fill("input[inputmode=decimal] >> nth=1", "120");
    await call(page);
    await page.waitForFunction(() => document.querySelector("progress")?.max === 120);
    await go(page, "calls");
    await sees(page, "trigger-long-running-operation", "main table");
    await page.click("main table button:has-text('Cancel')");
    await sees(page, "CANCELLED", ".virtual");
    await go(page, "connections");
    await tool(page, "everything", "trigger-long-running-operation");
    await call(page);
    await page.waitForFunction(() => document.querySelector("progress"));
    await page.click("text=Cancel the call");
    await sees(page, "CANCELLED", ".outcome");

    await go(page, "metrics");
    await sees(page, "everything", "main table");
  },

  /** A question of a server, answered in its form. */
  async ask() {
    const page = await open({ key: keys.admin });
    await tool(page, "everything", "get-sum");
    await page.click("text=Answer its questions here");
    await page.waitForFunction(() => document.querySelector(".row input[type=checkbox]")?.checked);
    await page.waitForTimeout(500);
    await go(page, "connections/everything");
    await sees(page, "ready", "h2");
    await tool(page, "everything", "trigger-elicitation-request");
    await call(page);
    await page.click("text=The server asks something");
    await page.waitForSelector(".question form");
    await examine(page, "a question");
    await page.fill(".question input[type=text] >> nth=0", "Ada");
    await page.click(".question button[type=submit]");
    await sees(page, "No server asks anything now");
    await tool(page, "everything", "trigger-elicitation-request");
    await sees(page, "Ada", ".outcome");
  },

  /** Questions without a form: a URL, a model; answered and declined. */
  async questions() {
    const page = await open({ key: keys.admin });
    await tool(page, "questions", "open");
    await page.click("text=Answer its questions here");
    await page.waitForFunction(() => document.querySelector(".row input[type=checkbox]")?.checked);
    await page.waitForTimeout(500);
    await go(page, "connections/questions");
    await sees(page, "ready", "h2");
    const ask = async (name) => {
      await tool(page, "questions", name);
      await call(page);
      await page.click("text=The server asks something");
      await page.waitForSelector(".question");
    };
    const answered = async (name, text) => {
      await sees(page, "No server asks anything now");
      await tool(page, "questions", name);
      await sees(page, text, ".outcome");
    };
    await ask("open");
    await sees(page, "Please pay.", ".question");
    await sees(page, `at the host ${new URL(base).host}`, ".question");
    await examine(page, "a question with a URL");
    await page.screenshot({ path: `${shots}/question-url.png` });
    const [opened] = await Promise.all([page.context().waitForEvent("page"), page.click("text=Open it")]);
    check(opened.url().startsWith(base), `it opened ${opened.url()}`);
    check((await opened.evaluate(() => window.opener)) === null, "the page that was opened has an opener");
    await opened.close();
    await answered("open", 'action: "accept"');
    await ask("open");
    await page.click(".question >> text=Decline");
    await answered("open", 'action: "decline"');

    await ask("think");
    await sees(page, "What is <b>two</b> and two?", ".question");
    await page.fill(".question textarea", "four");
    await page.click(".question >> text=Send");
    await answered("think", 'text: "four"');
    await ask("think");
    await page.click(".question >> text=Decline");
    await answered("think", 'code: -1');
  },

  /** A process that is killed: the page tells its ending and that it runs again. */
  async crash() {
    const page = await open({ key: keys.admin, at: "#/connections/everything" });
    await sees(page, "ready", "h2");
    const pid = Number(await page.locator("dt:has-text('Process') + dd").textContent());
    process.kill(pid, "SIGKILL");
    await sees(page, "UPSTREAM_EXITED", ".plain-list");
    await page.waitForFunction(() => document.querySelectorAll(".timeline rect.end").length > 0);
    await page.waitForFunction((old) => {
      const now = [...document.querySelectorAll("dt")].find((dt) => dt.textContent === "Process")?.nextElementSibling?.textContent;
      return now && Number(now) !== old && document.querySelector("h2").textContent.includes("ready");
    }, pid);
  },

  /** A pinned tool that changes is shown with its difference, and approved. */
  async drift() {
    const page = await open({ key: keys.admin });
    await tool(page, "hostile", "change");
    await call(page);
    await page.waitForSelector(".outcome");
    await go(page, "health");
    await sees(page, "somebody else", ".differences");
    await sees(page, "\\u200b", ".differences");
    await examine(page, "a changed tool");
    await page.click(".drift button:has-text('Approve') >> nth=0");
    await page.click("dialog button.danger").catch(() => {});
    await page.waitForFunction(() => !document.querySelector(".drift .pending"));
  },

  /** The steps of the doctor for a server that cannot start. */
  async examine() {
    const page = await open({ key: keys.admin, at: "#/health" });
    await sees(page, "broken");
    await page.click("article:has-text('broken') button:has-text('Examine')");
    await sees(page, "/no/such/program does not exist", ".steps");
    await sees(page, "Install it", ".steps .remedy");
  },

  /** Nothing that a server writes runs, is loaded, or hides. */
  async hostile() {
    const server = createServer((request, answer) => {
      leaks.push(request.url);
      answer.end();
    }).listen(leakPort, "127.0.0.1").unref();
    const page = await open({ key: keys.admin, expected: ["Content Security Policy", "Content-Security-Policy", "sandbox", "net::ERR", "Unsafe attempt", "Blocked"] });
    page.removeAllListeners("request");
    const untouched = async (where) => {
      check(!(await page.evaluate(() => "hacked" in window || {}.hacked)), `${where}: a script of the server ran`);
      check(leaks.length === 0, `${where}: the page loaded ${leaks}`);
      check((await page.locator("main iframe:not(.app iframe), main script, main object").count()) === 0, `${where}: markup of the server is in the page`);
    };
    for (const where of ["connections", "connections/hostile", "resources?server=hostile", "prompts?server=hostile", "health", "inputs"]) {
      await go(page, where);
      await page.waitForTimeout(300);
      await untouched(where);
    }
    await go(page, "tools?server=hostile");
    await sees(page, "U+202E", ".catalog-list");
    await tool(page, "hostile", "markup");
    await sees(page, "U+200B", ".description");
    await sees(page, "<script>", ".description");
    await page.click("fieldset legend:has-text('shape') input");
    await page.selectOption("fieldset:has(legend:has-text('shape')) select", { index: 1 });
    await page.fill("fieldset:has(legend:has-text('shape')) input[inputmode=numeric]", "4");
    await page.click("fieldset legend:has-text('tags') input");
    await page.click("fieldset:has(legend:has-text('tags')) button:has-text('Add an item')");
    await page.fill("fieldset:has(legend:has-text('tags')) li input", "x");
    await untouched("form");
    await examine(page, "a hostile form");
    await call(page);
    await page.waitForSelector(".outcome");
    const plain = page.locator(".outcome button:has-text('As Markdown')");
    while ((await plain.count()) > 0) {
      await plain.first().click();
      await page.waitForTimeout(100); // the next frame
    }
    await sees(page, "U+202E", ".outcome");
    await sees(page, "12345678901234567890", ".outcome");
    await sees(page, "image, not loaded", ".outcome");
    check((await page.locator(".outcome a[href^='javascript'], .outcome a[href^='data']").count()) === 0, "a link that runs");
    await page.waitForTimeout(500);
    await untouched("result");
    for (const [where, item] of [["resources", "onerror"], ["prompts", "onerror"]]) {
      await go(page, `${where}?server=hostile`);
      await page.click(`.catalog-list .item:has-text('${item}') >> nth=0`);
      await page.waitForTimeout(500);
      await untouched(`${where}, one`);
    }
    await tool(page, "hostile", "app");
    await call(page);
    check((await page.locator("iframe").count()) === 0, "an app runs before a person has said so");
    await page.click("section.app button");
    const frame = page.frameLocator("section.app iframe").frameLocator("iframe");
    await frame.locator("#t:has-text('RESULT')").waitFor();
    const said = await frame.locator("#t").textContent();
    await sees(page, "left its page", "section.app");
    check(!/PARENT|STORAGE|FETCH|API/.test(said), `the app got at: ${said}`);
    check(page.url().startsWith(base), "the app took the page elsewhere");
    await untouched("app");
    server.close();
  },

  /** What an app asks for, a person is asked about; its frame, its server and its time are its own. */
  async apps() {
    const page = await open({ key: keys.admin, expected: ["Content Security Policy", "Content-Security-Policy", "sandbox", "Unsafe attempt", "404", "400"] });
    const run = async (server) => {
      await tool(page, server, "app");
      await call(page);
      await page.click("section.app button:has-text('Run it')");
      return begun();
    };
    /** The window of the app that is shown, once it has begun. */
    const begun = async () => {
      const outer = await (await page.waitForSelector("section.app iframe")).contentFrame();
      await (await outer.waitForSelector("iframe")).contentFrame().then((inner) => inner.waitForSelector("h1"));
      const inner = outer.childFrames()[0];
      await inner.evaluate(() => begin());
      return inner;
    };
    const dialog = () => page.waitForSelector("dialog[open]");
    const silent = async (app, method, params) => {
      const answer = await app.evaluate(([name, given]) => Promise.race([ask(name, given), new Promise((late) => setTimeout(() => late("nothing"), 1_000))]), [method, params]);
      check(answer === "nothing", `${method} was answered without a question: ${JSON.stringify(answer)}`);
      await dialog();
    };

    // An app that ran is not asked any more: neither beside another outcome, nor on another page.
    let app = await run("left");
    await call(page);
    await page.waitForSelector("section.app button:has-text('Run it')");
    await page.click("summary:has-text('Earlier calls')");
    await page.click("details[open] ol button.plain >> nth=1");
    await page.click("section.app button:has-text('Run it')");
    app = await begun();
    await page.click("details[open] ol button.plain >> nth=0");
    app = await run("right");
    await silent(app, "resources/read", { uri: "secret://left" });
    check((await app.evaluate(() => JSON.stringify(heard))).includes("secret of left") === false, "an app of right reads what left has");
    await sees(page, "secret://left", "dialog");
    await sees(page, "right", "dialog");
    await examine(page, "a question about an app");
    await page.screenshot({ path: `${shots}/app-asks.png` });

    // Nothing else is asked meanwhile; a refusal and an agreement reach the app, an agreement once.
    const meanwhile = await app.evaluate(() => ask("tools/call", { name: "echo" }));
    check(meanwhile.error?.message.includes("another"), `a second question: ${JSON.stringify(meanwhile)}`);
    await page.click("dialog button:has-text('Cancel')");
    await app.waitForFunction(() => heard.some((one) => one.error?.message.includes("declined")));
    const agreed = async (method, params) => {
      const answer = app.evaluate(([name, given]) => ask(name, given), [method, params]);
      await dialog();
      await page.click("dialog button.danger");
      return answer;
    };
    const read = await agreed("resources/read", { uri: "secret://right" });
    check(read.result?.contents[0].text.startsWith("the secret of right"), `read after an agreement: ${JSON.stringify(read)}`);
    const again = await app.evaluate(() => ask("resources/read", { uri: "secret://right" }));
    check(again.result?.contents[0].text.startsWith("the secret of right"), `read again: ${JSON.stringify(again)}`);
    const long = { text: "x".repeat(3_000) + "the end" };
    const calling = app.evaluate((args) => ask("tools/call", { name: "echo", arguments: args }), long);
    await dialog();
    await sees(page, "the end", "dialog");
    await page.click("dialog button.danger");
    check(JSON.stringify((await calling).result).includes("right did echo"), "a call after an agreement");

    // What the server does not give to apps, what no person could read, and what no host serves.
    for (const [method, params, why] of [
      ["tools/call", { name: "model-only" }, "not for apps"],
      ["tools/call", { name: "none" }, "no tool"],
      ["tools/call", { name: "echo", arguments: { text: "x".repeat(40_000) } }, "longer"],
      ["tools/call", { name: "echo", arguments: [1] }, "object"],
      ["resources/read", { uri: "x://" + "y".repeat(5_000) }, "longer"],
      ["resources/read", { uri: { toString: 1 } }, "text"],
      ["ui/open-link", { url: "https://example.com" }, "does not serve"],
      ["ui/message", { role: "user", content: [] }, "does not serve"],
      ["resources/list", {}, "does not serve"],
      ["sampling/createMessage", {}, "does not serve"],
      ["constructor", {}, "does not serve"],
    ]) {
      const answer = await app.evaluate(([name, given]) => ask(name, given), [method, params]);
      check(answer.error?.message.includes(why), `${method} ${JSON.stringify(params).slice(0, 60)}: ${JSON.stringify(answer).slice(0, 200)}`);
      check((await page.locator("dialog[open]").count()) === 0, `${method} asks a person`);
    }

    // The app cannot take its frame, its parent or the page elsewhere, nor open a window.
    const at = page.url();
    await app.evaluate((to) => {
      window.name = "content";
      for (const target of [() => { top.location.hash = "#token=abc"; }, () => { top.location.href = to + "/openapi.json"; }, () => { parent.location.href = to + "/openapi.json"; }, () => open(to + "/openapi.json"), () => open("#/calls", "_top"), () => { document.body.append(Object.assign(document.createElement("iframe"), { src: to + "/console/app.html" })); }]) {
        try { target(); } catch {}
      }
    }, base);
    await page.waitForTimeout(500);
    check(page.url() === at && page.context().pages().length === 1, `the app moved the page to ${page.url()}`);
    check((await app.evaluate(() => ask("ping"))).result !== undefined, "the app ended by trying");

    // A page that the app goes to, or makes of itself, is not the app: it ends, and says so.
    await app.evaluate(() => { location.href = "about:blank"; });
    await sees(page, "left its page", "section.app");
    check((await page.locator("section.app iframe").count()) === 0, "the frame of an app that left is there");

    // What another frame says, and what the app says after its end, reaches nobody.
    app = await run("right");
    const waiting = app.evaluate(() => ask("resources/read", { uri: "secret://late" }));
    waiting.catch(() => {}); // its frame goes
    await dialog();
    await page.evaluate(() => { location.hash = "#/calls"; });
    await page.waitForFunction(() => !document.querySelector("dialog[open]") && !document.querySelector("iframe"));
    app = await run("left");
    const flooded = page.waitForSelector("section.app :text('too many messages')");
    await app.evaluate(() => { for (let n = 0; n < 5_000; n++) tell("ui/notifications/size-changed", { height: n }); });
    await flooded;
    check((await page.locator("section.app iframe").count()) === 0, "the frame of an app that floods is there");

    // An app that never comes to an end holds its own process, not the page.
    await page.click("section.app button:has-text('Run it')");
    app = await begun();
    await app.evaluate(() => { setTimeout(() => { for (;;); }); });
    await page.click("section.app button:has-text('End it')");
    await page.waitForFunction(() => !document.querySelector("iframe"));
    app = await run("left");
    check((await app.evaluate(() => ask("ping"))).result !== undefined, "an app does not run after one that hung");
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${shots}/app-ended-${colorScheme}.png` });
    }
  },

  /** Texts and schemas that cost more than their length: the page answers all the time. */
  async texts() {
    const page = await open({ key: keys.admin });
    await tool(page, "left", "texts");
    await call(page);
    await page.waitForSelector(".outcome .content");
    const rich = page.locator(".outcome button:has-text('As Markdown')");
    const count = await rich.count();
    check(count === 7, `${count} texts`);
    // While a worker reads, the page draws on.
    await page.evaluate(() => {
      const frame = () => { window.drawn = (window.drawn ?? 0) + 1; requestAnimationFrame(frame); };
      requestAnimationFrame(frame);
    });
    for (let left = count; left > 0; left--) {
      await rich.first().click();
      await page.waitForFunction((rest) => [...document.querySelectorAll(".outcome button")].filter((one) => one.textContent === "As Markdown").length === rest, left - 1);
    }
    await sees(page, "takes too long", ".outcome");
    await sees(page, "longer than", ".outcome");
    await page.waitForSelector(".outcome .markdown strong");
    const drawn = await page.evaluate(() => window.drawn);
    check(drawn > 20, `${drawn} frames were drawn`);
    check((await page.locator(".outcome .hidden-char").count()) < 3_000, "each hidden character is a part of its own");
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${shots}/markdown-${colorScheme}.png` });
    }
    await examine(page, "Markdown");
    await tool(page, "left", "blocks");
    await call(page);
    await sees(page, "block 1", ".outcome");
    check((await page.locator(".outcome .content").count()) === 20, "all blocks are drawn");
    await page.click(".outcome > button:has-text('more')");
    await page.waitForFunction(() => document.querySelectorAll(".outcome .content").length === 220);
    await tool(page, "left", "shapeless");
    await call(page);
    await sees(page, "The tool reports an error", ".outcome");
    await tool(page, "left", "long");
    await call(page);
    await sees(page, "more than this page shows", ".outcome");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("text=Save it")]);
    check(readFileSync(await saved.path(), "utf8").length > 6_000_000, "the long result is not saved whole");
    for (const name of ["requires-itself", "wide", "shared", "nested", "variants", "choices"]) {
      await tool(page, "left", name);
      await page.waitForSelector(".catalog-detail button[type=submit]");
      check((await page.locator(".schema-form .field").count()) <= 300, `the form of ${name} has no end`);
      await page.screenshot({ path: `${shots}/form-${name}.png` });
    }
  },

  /** A real app in its frame. */
  async app() {
    const page = await open({ key: keys.admin, expected: ["Content Security Policy", "net::ERR"] });
    await tool(page, "app", more.tool);
    await call(page);
    await page.click("section.app button");
    await page.waitForSelector("section.app iframe");
    const frame = page.frameLocator("section.app iframe").frameLocator("iframe");
    await frame.locator("body *").first().waitFor();
    await page.waitForTimeout(1_000);
    await page.screenshot({ path: `${shots}/app.png` });
    const text = await frame.locator("body").innerText();
    check(text.trim().length > 10, `the app shows nothing: ${text}`);
  },

  /** Messages of a server, in pairs, filtered, paused and saved. */
  async traffic() {
    const page = await open({ key: keys.admin, at: "#/traffic?server=everything" });
    await page.click("text=Show them for 10 minutes");
    await sees(page, "pass here until", ".notice");
    const other = await open({ key: keys.admin });
    await tool(other, "everything", "echo");
    await other.fill(".schema-form input, .schema-form textarea", "heard");
    await call(other);
    await sees(other, "Echo: heard", ".outcome");
    await sees(page, "tools/call", ".virtual");
    await page.click(".exchange:has-text('tools/call') >> nth=0");
    await sees(page, "Response", ".detail");
    await sees(page, "Echo: heard", ".detail");
    await page.fill("input[type=search]", "nothing-has-this-word");
    await sees(page, "0 of ", ".toolbar");
    await page.fill("input[type=search]", "heard");
    const [lines] = await Promise.all([page.waitForEvent("download"), page.click("text=Save as JSON lines")]);
    const saved = readFileSync(await lines.path(), "utf8").trim().split("\n").map((line) => JSON.parse(line));
    check(saved.length === 2 && saved[0].direction === "sent", `saved as JSON lines: ${JSON.stringify(saved).slice(0, 300)}`);
    const [archive] = await Promise.all([page.waitForEvent("download"), page.click("text=Save as HAR")]);
    const har = JSON.parse(readFileSync(await archive.path(), "utf8"));
    check(har.log.version === "1.2" && har.log.entries[0].response.status === 200, "the HAR file is not one");
    await page.fill("input[type=search]", "");
    await page.click("button:has-text('Pause')");
    await call(other);
    await page.waitForFunction(() => /[1-9]\d* not kept/.test(document.querySelector("main").textContent));
  },

  /** What an editor calls through /mcp, on a connection of its own: seen, and cancelled. */
  async editor() {
    const page = await open({ key: keys.admin, at: "#/traffic?server=sessions" });
    await page.click("text=Show them for 10 minutes");
    await sees(page, "pass here until", ".notice");
    const client = new Client({ name: "an-editor", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${keys.caller}` } } }));
    await client.callTool({ name: "sessions__echo", arguments: { message: "from the editor" } });
    await sees(page, "initialize", ".virtual");
    await page.fill("input[type=search]", "tools/call");
    await page.click(".exchange:has-text('tools/call') >> nth=0");
    await sees(page, "Echo: from the editor", ".detail");
    await sees(page, "private connection", ".detail");
    await page.click(".detail >> text=Close");

    const long = client.callTool({ name: "sessions__trigger-long-running-operation", arguments: { duration: 60, steps: 60 } }).then(() => "done", (error) => String(error));
    await go(page, "calls");
    await sees(page, "caller", "table");
    await page.click("tr:has-text('trigger-long-running-operation') >> text=Cancel");
    const end = await Promise.race([long, new Promise((late) => setTimeout(() => late("nothing"), PATIENCE))]);
    check(/cancelled/i.test(end), `the cancelled call ends with: ${end}`);
    await sees(page, "CANCELLED", ".virtual");
    await client.close();
    await go(page, "connections/sessions");
    await page.waitForSelector("svg[aria-label^='sessions: 2 calls in the last hour, 1 failed']");
    await go(page, "calls");
    await sees(page, "CANCELLED", ".virtual");
    await page.screenshot({ path: `${shots}/calls-of-an-editor.png` });
  },

  /** Every page, light and dark, wide and narrow: no serious finding, nothing wider than the screen. */
  async pages() {
    mkdirSync(shots, { recursive: true });
    for (const scheme of ["light", "dark"]) {
      for (const width of [1440, 390]) {
        const page = await open({ key: keys.admin, width, height: width === 390 ? 844 : 900, scheme });
        for (const name of [...PAGES, "connections/everything", "tools?server=everything&name=get-structured-content"]) {
          await go(page, name);
          await page.waitForTimeout(400);
          const file = `${name.replace(/\W+/g, "-")}-${scheme}-${width}`;
          await page.screenshot({ path: `${shots}/${file}.png` });
          if (width === 1440 || scheme === "light") {
            await examine(page, file);
          }
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          check(wide <= 0, `${file} is ${wide} px wider than the screen`);
        }
        await page.context().close();
      }
    }
  },

  /** Stores a secret, which nothing shows again, and removes it; another caller has none of it. */
  async credentials() {
    const page = await open({ key: keys.caller, expected: ["403"] }); // the charts of the first page
    await go(page, "credentials");
    await sees(page, "You have stored nothing.");
    await page.selectOption("#credential-server", "demo");
    await page.fill("#credential-secret", "canary-secret");
    check((await page.getAttribute("#credential-secret", "type")) === "password", "the secret is seen while it is typed");
    await page.click("text=Store it");
    await sees(page, "a secret", "article");
    check((await page.inputValue("#credential-secret")) === "", "the secret stays in its field");
    check(!(await page.content()).includes("canary"), "the page has the secret");
    await examine(page, "credentials with a secret");
    const other = await open({ key: keys.admin });
    await go(other, "credentials");
    await sees(other, "You have stored nothing.");
    await page.click("article >> text=Remove");
    await page.click("dialog >> text=Remove it");
    await sees(page, "You have stored nothing.");
  },

  /** Keys alone: to the content, through the pages, a call. */
  async keyboard() {
    const page = await open({ key: keys.admin });
    await sees(page, "demo");
    await page.keyboard.press("Tab");
    check((await page.evaluate(() => document.activeElement.className)) === "skip", "the first Tab is not at the link to the content");
    await page.keyboard.press("Enter");
    check((await page.evaluate(() => document.activeElement.id)) === "content", "the link to the content does not lead there");
    await tool(page, "demo", "add");
    await page.focus("input[inputmode=decimal] >> nth=0");
    await page.keyboard.type("20");
    await page.keyboard.press("Tab");
    await page.keyboard.type("22");
    await page.keyboard.press("Enter");
    await sees(page, "42", ".outcome");
  },

  /** Three nodes: one is drained, one is lost, and the last has what they had. */
  async cluster() {
    const page = await open({ key: keys.admin, at: "#/cluster", expected: ["503", "404", "502"] }); // while it moves
    await sees(page, "n1", ".nodes");
    await sees(page, "n2", ".nodes");
    await sees(page, "n3", ".nodes");
    await page.waitForFunction((count) => document.querySelectorAll(".owned a.dot[data-state=READY]").length === count, more.connections);
    await page.click(".node:has(h3:has-text('n3')) button:has-text('Drain')");
    await page.click("dialog button.danger");
    await sees(page, "leaving", ".nodes");
    await page.waitForFunction((count) => {
      const drained = [...document.querySelectorAll(".node")].find((node) => node.querySelector("h3").textContent === "n3");
      return drained.querySelectorAll(".owned a.dot").length === 0 && document.querySelectorAll(".owned a.dot[data-state=READY]").length === count;
    }, more.connections, { timeout: 60_000 });
    process.kill(more.pid, "SIGKILL");
    await sees(page, "gone since", ".nodes");
    await page.waitForFunction((count) => document.querySelectorAll(".node:not(.gone) .owned a.dot[data-state=READY]").length === count, more.connections, { timeout: 60_000 });
    check((await page.locator(".events li").count()) > 0, "the failover is not told");
    await page.screenshot({ path: `${shots}/cluster-failover.png` });
  },
};

try {
  mkdirSync(shots, { recursive: true });
  await parts[part]();
} catch (e) {
  problems.push(`${e.message}`.slice(0, 1_500));
  for (const [index, context] of browser.contexts().entries()) {
    await context.pages()[0]?.screenshot({ path: `${shots}/failed-${part}-${index}.png` }).catch(() => {});
  }
}
await browser.close();
if (problems.length) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
} else {
  console.log("walked");
}
