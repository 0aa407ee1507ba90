// A server of the initialize era that keeps notes for its one session: `add` adds a note, `ask`
// asks the client for one, `slow` adds one and answers a second later, `hang` adds one and never
// answers. All answer with all notes and the id of the process. The notes are a resource.
import { createInterface } from "node:readline";

const NOTES = "notes://all";
const notes = [];
let subscribed = false;
const questions = new Map();
let sequence = 0;

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const tool = (name) => ({ name, inputSchema: { type: "object" } });
const listed = (id) =>
  send({ id, result: { content: [{ type: "text", text: `${process.pid}: ${notes.join(",")}` }] } });

const add = (note) => {
  notes.push(note);
  if (subscribed) {
    send({ method: "notifications/resources/updated", params: { uri: NOTES } });
  }
};

const requests = {
  initialize: (id, params) =>
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, resources: { subscribe: true } },
        serverInfo: { name: "notes", version: "1" },
      },
    }),
  ping: (id) => send({ id, result: {} }),
  "tools/list": (id) =>
    send({ id, result: { tools: ["add", "ask", "slow", "hang"].map(tool) } }),
  "resources/list": (id) => send({ id, result: { resources: [{ uri: NOTES, name: "notes" }] } }),
  "resources/subscribe": (id) => {
    subscribed = true;
    send({ id, result: {} });
  },
  "resources/unsubscribe": (id) => {
    subscribed = false;
    send({ id, result: {} });
  },
  "tools/call": (id, params) => {
    if (params.name !== "ask") {
      add(params.arguments.note);
      if (params.name !== "hang") {
        setTimeout(() => listed(id), params.name === "slow" ? 1000 : 0);
      }
      return;
    }
    const question = `q${++sequence}`;
    questions.set(question, id);
    send({
      id: question,
      method: "elicitation/create",
      params: {
        message: `a note for ${notes.length}`,
        requestedSchema: { type: "object", properties: { note: { type: "string" } } },
      },
    });
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method !== undefined) {
    if (message.id !== undefined) {
      const answer = requests[message.method];
      if (answer) {
        answer(message.id, message.params ?? {});
      } else {
        send({ id: message.id, error: { code: -32601, message: "no such method" } });
      }
    }
    return;
  }
  const call = questions.get(message.id);
  questions.delete(message.id);
  add(message.result?.content?.note ?? `error ${message.error?.code}`);
  listed(call);
});
