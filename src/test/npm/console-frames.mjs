// Measures how the console draws while many messages pass: calls 250 times a second (500 messages)
// and takes of each frame of Chromium the time since the one before (16.7 ms at 60 a second) and from
// when it was due until it was drawn, and the memory of the page after a collection.
// Arguments: a JSON object {base, key, chrome, servers, seconds, rate, page}. Says one JSON object.
import { Agent, request } from "node:http";
import { chromium } from "playwright-core";

const { base, key, chrome, servers, seconds, rate = 250, page: where = "traffic" } = JSON.parse(process.argv[2]);
const url = new URL(base);
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
let answered = 0;
let failed = 0;
let next = 0;

function call() {
  const path = `/api/servers/${servers[next++ % servers.length]}/tools/add`;
  const sent = request({ host: url.hostname, port: url.port, path, method: "POST", agent, headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" } }, (answer) => {
    answer.resume().on("end", () => (answer.statusCode === 200 ? answered++ : failed++));
  });
  sent.on("error", () => failed++).end('{"a":2,"b":3}');
}

const browser = await chromium.launch({ executablePath: chrome, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
const errors = [];
page.on("pageerror", (error) => errors.push(error.message));
await page.goto(`${base}/#token=${key}`);
await page.waitForSelector("main h1");
await page.evaluate((to) => { location.hash = `#/${to}`; }, where);
await page.waitForTimeout(5_000);
const cdp = await page.context().newCDPSession(page);
const heap = async () => {
  await cdp.send("HeapProfiler.collectGarbage");
  return (await cdp.send("Runtime.getHeapUsage")).usedSize;
};

let due = 0;
const began = Date.now();
const load = setInterval(() => {
  for (const now = ((Date.now() - began) / 1_000) * rate; due < now; due++) {
    call();
  }
}, 5);
await page.waitForTimeout(15_000); // what is kept is full
await page.evaluate(() => {
  window.frames_ = [];
  let last = performance.now();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data: [due, interval] }) => window.frames_.push([interval, performance.now() - due]);
  const step = (now) => {
    port2.postMessage([now, now - last]); // comes after the frame was drawn
    last = now;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
});
const heaps = [await heap()];
await page.evaluate(() => { window.frames_.length = 0; });
const frames = [];
for (let left = seconds; left > 0; left -= 10) {
  await page.waitForTimeout(Math.min(10, left) * 1_000);
  frames.push(...(await page.evaluate(() => window.frames_.splice(0))));
  if (left % 60 < 10) {
    heaps.push(await heap());
    await page.evaluate(() => { window.frames_.length = 0; }); // a collection that was asked for is no frame of the page
  }
}
clearInterval(load);
const shown = (await page.textContent(".toolbar")).replace(/\s+/g, " ").slice(-40);
await browser.close();
agent.destroy();
const figures = (all) => {
  all.sort((one, other) => one - other);
  const at = (share) => Number(all[Math.min(all.length - 1, Math.floor(all.length * share))].toFixed(1));
  return { median: at(0.5), p99: at(0.99), longest: at(1), over100: all.filter((one) => one > 100).length };
};
console.log(JSON.stringify({ page: where, seconds, callsPerSecond: Math.round(answered / ((Date.now() - began) / 1_000)), failed, frames: frames.length, interval: figures(frames.map(([interval]) => interval)), work: figures(frames.map(([, work]) => work)), heapMiB: heaps.map((bytes) => Number((bytes / 1_048_576).toFixed(1))), shown, errors }));
