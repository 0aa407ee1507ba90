// The parts of the console that need no page: numbers without loss, schemas, files of traffic. The
// argument is the folder of the console.
import assert from "node:assert/strict";

const at = (name) => import(`file://${process.argv[2]}/${name}`);
const { ExactNumber, numberOf, parse } = await at("parts/exact-json.js");
const { choices, initial, initialObject, own, resolve, typeOf, variants, variantTitle } = await at("parts/schema.js");
const { httpArchive, jsonLines } = await at("parts/export.js");

// Numbers keep the digits of their sender.
for (const same of ["0", "-1.5", "12345678901234567890", "1e400", "1.0", "0.1", "-0", "1e-7"]) {
  const read = parse(`[${same}]`)[0];
  assert.equal(read instanceof ExactNumber ? read.source : JSON.stringify(read), same, same);
}
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
assert.deepEqual(choices({ enum: [1, "x"], enumNames: ["One"] }), [{ value: 1, title: "One" }, { value: "x", title: "x" }]);
assert.deepEqual(choices({ oneOf: [{ const: "a", title: "A" }] }), [{ value: "a", title: "A" }]);
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

// Traffic as files.
const sent = { direction: "sent", server: "a", time: "2026-01-01T00:00:00Z", message: '{"id":1,"method":"ping"}' };
const answer = { direction: "received", server: "a", time: "2026-01-01T00:00:01Z", message: '{"id":1,"result":{}}' };
assert.equal(jsonLines([sent, answer]).trim().split("\n").length, 2);
const archive = JSON.parse(httpArchive([{ request: sent, answer, method: "ping", millis: 1_000 }, { request: null, answer, method: "response" }]));
assert.deepEqual(archive.log.entries.map((one) => [one.request.postData.text, one.response.status, one.time]), [[sent.message, 200, 1_000], [answer.message, 202, 0]]);
console.log("walked");
