// The parts of the console that need no page: numbers without loss, schemas, files of traffic. The
// argument is the folder of the console.
import assert from "node:assert/strict";

const at = (name) => import(`file://${process.argv[2]}/${name}`);
const { ExactNumber, numberOf, parse } = await at("parts/exact-json.js");
const { choices, initial, initialObject, own, resolve, typeOf, variants, variantTitle } = await at("parts/schema.js");
const { httpArchive, jsonLines } = await at("parts/export.js");
const { AppRequests, callOf, messageOf, uriOf } = await at("parts/app-rules.js");
const { Blocks } = await at("parts/blocks.js");
const { expand, variablesOf } = await at("parts/uri-template.js");

// Numbers keep the digits of their sender.
for (const same of ["0", "-1.5", "12345678901234567890", "1e400", "1.0", "0.1", "-0", "1e-7"]) {
  const read = parse(`[${same}]`)[0];
  assert.equal(read instanceof ExactNumber ? read.source : JSON.stringify(read), same, same);
}
assert.equal(parse(`[${"1,".repeat(1_100_000)}12345678901234567890]`).at(-1), 12345678901234567000); // too long to look at each
assert.equal(parse('{"a":{"b":[1,2.5,"1e5",1e5]}}').a.b[3].source, "1e5");
assert.equal(numberOf(" 2 "), 2);
assert.equal(numberOf("12345678901234567890").source, "12345678901234567890");
for (const none of ["", "x", "1e", "0x10", "Infinity", "1,5", "--1"]) {
  assert.equal(numberOf(none), undefined, none);
}
const polluted = parse('{"__proto__": {"hacked": true}}');
assert.equal({}.hacked, undefined);
assert.deepEqual(Object.keys(polluted), ["__proto__"]);

// Schemas: references, loops, what is common to all.
const loop = { properties: { a: { $ref: "#/properties/b" }, b: { $ref: "#/properties/a" } } };
assert.deepEqual(resolve(loop.properties.a, loop), {});
const root = { $defs: { "a/b": { type: "string", title: "T" } } };
assert.deepEqual(resolve({ $ref: "#/$defs/a~1b", title: "Mine" }, root), { type: "string", title: "Mine" });
assert.deepEqual(resolve({ $ref: "http://elsewhere/schema" }, root), {});
assert.deepEqual(resolve({ $ref: "#/constructor" }, root), {});
assert.deepEqual(resolve({ allOf: [{ required: ["a"] }, { properties: { a: {} }, required: ["b"] }] }, root).required, ["b", "a"].reverse());
assert.equal(typeOf({ type: ["null", "integer"] }), "integer");
assert.equal(typeOf({ type: ["string", "integer"] }), "any");
assert.deepEqual(choices({ enum: [1, "x"], enumNames: ["One"] }), [{ value: 1, title: "One", key: "1" }, { value: "x", title: "x", key: '"x"' }]);
assert.deepEqual(choices({ oneOf: [{ const: "a", title: "A" }] }), [{ value: "a", title: "A", key: '"a"' }]);
const shapes = { oneOf: [{ properties: { kind: { const: "circle" } } }, { type: "null" }] };
assert.equal(variants(shapes, shapes).length, 1);
assert.equal(variantTitle(variants(shapes, shapes)[0], 0), "kind: circle");

// What a form begins with: defaults and constants, and what is required.
const form = {
  properties: {
    free: { type: "string" },
    preset: { type: "integer", default: 3 },
    inner: { type: "object", properties: { flag: { type: "boolean" } }, required: ["flag"] },
    list: { type: "array" },
    kind: { const: "k" },
    __proto__x: { default: 1 },
  },
  required: ["inner", "list"],
};
assert.deepEqual(initialObject(form, form), { preset: 3, inner: { flag: false }, list: [], kind: "k", __proto__x: 1 });
const hostile = { properties: JSON.parse('{"__proto__": {"default": "x"}}') };
const begun = initialObject(hostile, hostile);
assert.deepEqual(Object.keys(begun), ["__proto__"]);
assert.equal(own({}, "constructor"), undefined);
const endless = { type: "object", properties: { again: { $ref: "#" } }, required: ["again"] };
assert.ok(JSON.stringify(initial(endless, endless, true)).length < 1_000);

// Schemas that lead to themselves in many ways, or are larger than a form, are looked at once.
const itself = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
itself.allOf = Array.from({ length: 12 }, () => ({ $ref: "#", allOf: Array.from({ length: 12 }, () => ({ $ref: "#" })) }));
assert.deepEqual(Object.keys(resolve(itself, itself).properties), ["a"]);
const twice = {};
let looked = 0;
let inner = { get properties() { looked++; return { a: {} }; } };
for (let depth = 0; depth < 10; depth++) {
  inner = { allOf: Array.from({ length: 10 }, () => inner) };
}
resolve(inner, twice);
assert.ok(looked < 100, `${looked} looks`);
const names = Array.from({ length: 10 }, (_, index) => `m${index}`);
const tree = { type: "object", properties: Object.fromEntries(names.map((name) => [name, { $ref: "#" }])), required: names };
assert.ok(JSON.stringify(initialObject(tree, tree)).length < 20_000);
const defaults = { properties: Object.fromEntries(names.map((name) => [name, { default: "x".repeat(200_000) }])) };
assert.equal(Object.keys(initialObject(defaults, defaults)).length, 5);
assert.equal(variants({ anyOf: Array.from({ length: 101 }, () => ({})) }, {}), null);
assert.equal(choices({ enum: Array.from({ length: 1_001 }, () => 1) }), null);
const large = { allOf: [0, 1].map((part) => ({ properties: Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`${part} ${index}`, {}])) })) };
assert.deepEqual(resolve(large, large), {});

// What is no schema breaks nothing.
for (const odd of [5, [], "x", { $ref: "#/%" }, { allOf: [{ required: {} }, 5, null] }, { properties: 5, required: 5 }, { properties: [], type: {} }, { enum: 5, oneOf: [null] }, { title: { toString: 1 }, enum: [{ toString: 1 }] }]) {
  const form = resolve(odd, odd);
  assert.equal(typeof form, "object", JSON.stringify(odd));
  variants(form, odd);
  choices(form);
  initial(odd, odd, true);
  initialObject(form, odd);
}

// A stream's blocks, in pieces of any length.
const stream = "a\nb\n\nc\n\n\n\nd\n\ne\n";
for (let length = 1; length < stream.length; length++) {
  const blocks = new Blocks();
  const found = [];
  for (let from = 0; from < stream.length; from += length) {
    found.push(...blocks.of(stream.slice(from, from + length)));
  }
  assert.deepEqual(found, ["a\nb", "c", "", "d"], `pieces of ${length}`);
}

// URI templates; a pattern that looked at braces and stars again and again would not end.
assert.deepEqual(variablesOf("x://{a}/{?b*,c:3}/{__proto__}"), ["a", "b", "c", "__proto__"]);
assert.equal(expand("x://{a}{?b,c}", { a: "1/2", b: "3" }), "x://1%2F2?b=3");
assert.deepEqual(variablesOf("{".repeat(300_000)), []);
assert.deepEqual(variablesOf(`{${"*".repeat(300_000)}\n}`), [""]);

// What an app may say, and how often.
for (const none of ["", "x", "[]", "5", "null", "{}", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"2.0","id":null,"method":"ping"}', { jsonrpc: "2.0", id: 1, method: "ping" }, `{"jsonrpc":"2.0","method":"a","params":"${"x".repeat(1_048_576)}"}`, "[".repeat(500_000)]) {
  assert.equal(messageOf(none), null, String(none).slice(0, 80));
}
assert.deepEqual(messageOf('{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}'), { id: 1, method: "ping", params: {} });
const tools = [{ name: "a" }, { name: "hidden", _meta: { ui: { visibility: ["model"] } } }, { name: "odd", _meta: { ui: { visibility: "app" } } }, { name: "own", _meta: { ui: { visibility: ["app"] } } }];
assert.deepEqual(callOf({ name: "a", arguments: { n: 1 } }, tools), { name: "a", text: '{"n":1}' });
assert.deepEqual(callOf({ name: "own" }, tools), { name: "own", text: "{}" });
for (const wrong of [{}, { name: "b" }, { name: "hidden" }, { name: "odd" }, { name: "a", arguments: [] }, { name: "a", arguments: null }, { name: "a", arguments: { n: "x".repeat(16_384) } }]) {
  assert.throws(() => callOf(wrong, tools), (refused) => typeof refused.rpcCode === "number", JSON.stringify(wrong).slice(0, 80));
}
for (const wrong of [{}, { uri: "" }, { uri: 5 }, { uri: { toString: 1 } }, { uri: "x".repeat(4_097) }]) {
  assert.throws(() => uriOf(wrong), (refused) => refused.rpcCode === -32602);
}
let now = 0;
const requests = new AppRequests(() => now);
const held = Array.from({ length: 8 }, () => Promise.withResolvers());
const answers = held.map((one) => requests.admit(() => one.promise));
await assert.rejects(requests.admit(() => 1), /8 requests at once/);
held.forEach((one) => one.resolve());
await Promise.all(answers);
for (let made = 8; made < 60; made++) {
  await requests.admit(() => Promise.reject(new Error("as asked"))).catch(() => {});
}
await assert.rejects(requests.admit(() => 1), /60 in 10 s/);
now = 10_000;
assert.equal(await requests.admit(() => 1), 1);
const question = Promise.withResolvers();
const first = requests.consent(() => question.promise, "x://a");
await assert.rejects(requests.consent(() => true), /another request/);
question.resolve(true);
await first;
await requests.consent(() => assert.fail("asked again"), "x://a");
for (let times = 0; times < 3; times++) {
  await assert.rejects(requests.consent(() => false, "x://b"), /declined the request/);
}
await assert.rejects(requests.consent(() => true, "x://b"), /declined 3 requests/);

// Traffic as files.
const sent = { direction: "sent", server: "a", time: "2026-01-01T00:00:00Z", message: '{"id":1,"method":"ping"}' };
const answer = { direction: "received", server: "a", time: "2026-01-01T00:00:01Z", message: '{"id":1,"result":{}}' };
assert.equal(jsonLines([sent, answer]).trim().split("\n").length, 2);
const archive = JSON.parse(httpArchive([{ request: sent, answer, method: "ping", millis: 1_000 }, { request: null, answer, method: "response" }]));
assert.deepEqual(archive.log.entries.map((one) => [one.request.postData.text, one.response.status, one.time]), [[sent.message, 200, 1_000], [answer.message, 202, 0]]);
console.log("walked");
