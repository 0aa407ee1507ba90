// A server for what the pages of the console do with the apps and the long texts of a server. The first
// argument is its name, which its secret has in it. Its app does what the walk tells it: `ask` sends a
// request and gives the answer, `heard` has every message that reached it. It speaks the initialize era.
import { createInterface } from "node:readline";

const [, , own] = process.argv;
const MIME = "text/html;profile=mcp-app";
const object = { type: "object" };
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

const app = `<!doctype html><html><body><h1>the app of ${own}</h1><script>
  const heard = [], waiting = new Map();
  let last = 0;
  addEventListener("message", ({data}) => {
    heard.push(data);
    waiting.get(data.id)?.(data);
  });
  const ask = (method, params) => new Promise((answer) => {
    const id = ++last;
    waiting.set(id, answer);
    parent.postMessage({jsonrpc: "2.0", id, method, params}, "*");
  });
  const tell = (method, params) => parent.postMessage({jsonrpc: "2.0", method, params}, "*");
  const begin = () => ask("ui/initialize", {}).then(() => tell("ui/notifications/initialized"));
</script></body></html>`;

const word = (n, text) => text.repeat(n);
/** Texts that cost a parser or a page more than their length says. */
const texts = {
  "fine": "**strong** and _so on_",
  "stars": word(10_000, "**a "),
  "quotes": word(20_000, "> "),
  "brackets": word(20_000, "["),
  "marks": word(60_000, "a\u200b"),
  "joined": word(30_000, "\u{1F469}\u200d"),
  "word": word(100_000, "w"),
  "base64": " ".repeat(120_000) + "!",
};

const many = (count, make) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, make(index)]));
const names = Array.from({ length: 10 }, (_, index) => `m${index}`);
/** Schemas that lead to themselves, or more than a page can draw. */
const schemas = {
  "requires-itself": { type: "object", properties: many(10, () => ({ $ref: "#" })), required: names },
  "wide": { type: "object", properties: many(20_000, () => ({ type: "string" })) },
  "shared": { type: "object", $defs: { many: { enum: Array.from({ length: 1_000 }, (_, n) => `${n}${"o".repeat(500)}`) } }, properties: many(1_000, () => ({ $ref: "#/$defs/many" })) },
  "nested": { type: "object", properties: { ...many(300, () => ({ $ref: "#" })), ...Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`n${n}`, {}])) }, required: names },
  "variants": { type: "object", properties: many(500, () => ({ type: "string" })), anyOf: Array.from({ length: 5_000 }, () => ({ properties: { b: {} } })) },
  "choices": { type: "object", properties: { one: { type: "array", uniqueItems: true, items: { enum: Array.from({ length: 20_000 }, (_, n) => n) }, default: Array.from({ length: 20_000 }, (_, n) => n) } } },
};

const tools = [
  { name: "app", description: "Has an app.", inputSchema: object, _meta: { ui: { resourceUri: `ui://${own}/app` } } },
  { name: "echo", description: "Says what it was given.", inputSchema: object },
  { name: "model-only", description: "Not for apps.", inputSchema: object, _meta: { ui: { visibility: ["model"] } } },
  { name: "texts", description: "Gives texts.", inputSchema: object },
  { name: "blocks", description: "Gives many blocks.", inputSchema: object },
  { name: "long", description: "Gives more than a page can show.", inputSchema: object },
  { name: "shapeless", description: "Gives what no result is.", inputSchema: object },
  ...Object.entries(schemas).map(([name, inputSchema]) => ({ name, description: "Has a schema.", inputSchema })),
];

const results = {
  texts: () => ({ content: Object.entries(texts).map(([name, text]) => (name === "base64" ? { type: "image", mimeType: "image/png", data: text } : { type: "text", text: `${name}:\n\n${text}` })) }),
  blocks: () => ({ content: Array.from({ length: 20_000 }, (_, index) => ({ type: "text", text: `block ${index}` })) }),
  long: () => ({ content: [], structuredContent: { numbers: Array.from({ length: 3_000_000 }, () => 0) } }),
  shapeless: () => ({ content: { type: "text" }, structuredContent: [null], isError: "no" }),
};

const requests = {
  initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: own, version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "resources/list": () => ({ resources: [{ uri: `ui://${own}/app`, name: "app", mimeType: MIME }, { uri: `secret://${own}`, name: "secret" }] }),
  "resources/read": ({ uri }) => ({ contents: [uri.startsWith("ui:") ? { uri, mimeType: MIME, text: app } : { uri, mimeType: "text/plain", text: `the secret of ${own}, read as ${uri}` }] }),
  "tools/call": ({ name, arguments: given }) => results[name]?.() ?? { content: [{ type: "text", text: `${own} did ${name} ${JSON.stringify(given ?? {})}` }] },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined && method) {
    const serve = requests[method];
    send(serve ? { id, result: serve(params) } : { id, error: { code: -32601, message: "no such method" } });
  }
});
