// A server of the initialize era that keeps notes for its one session: `add` adds a note, `ask`
// asks the client for one. Both answer with all notes and the id of the process.
import { createInterface } from "node:readline";

const notes = [];
const questions = new Map();
let sequence = 0;

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const tool = (name) => ({ name, inputSchema: { type: "object" } });
const listed = (id) =>
  send({ id, result: { content: [{ type: "text", text: `${process.pid}: ${notes.join(",")}` }] } });

const requests = {
  initialize: (id, params) =>
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "notes", version: "1" },
      },
    }),
  ping: (id) => send({ id, result: {} }),
  "tools/list": (id) => send({ id, result: { tools: [tool("add"), tool("ask")] } }),
  "tools/call": (id, params) => {
    if (params.name === "add") {
      notes.push(params.arguments.note);
      listed(id);
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
  notes.push(message.result?.content?.note ?? `error ${message.error?.code}`);
  listed(call);
});
