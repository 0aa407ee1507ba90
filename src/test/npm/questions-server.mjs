// A server of the initialize era whose tools ask: `open` to open the URL of the argument, `think` a
// model. Each answers with the answer that it got, as JSON.
import { createInterface } from "node:readline";

const questions = {
  open: ["elicitation/create", { mode: "url", elicitationId: "e1", message: "Please pay.", url: process.argv[2] }],
  think: ["sampling/createMessage", { messages: [{ role: "user", content: { type: "text", text: "What is <b>two</b> and two?" } }], systemPrompt: "Be brief.", maxTokens: 10 }],
};
const calls = new Map();
let sequence = 0;

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

const requests = {
  initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "questions", version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.keys(questions).map((name) => ({ name, inputSchema: { type: "object" } })) }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method === "tools/call") {
    const [method, params] = questions[message.params.name];
    calls.set(`q${++sequence}`, message.id);
    send({ id: `q${sequence}`, method, params });
  } else if (message.method !== undefined && message.id !== undefined) {
    const answer = requests[message.method];
    send(answer ? { id: message.id, result: answer(message.params ?? {}) } : { id: message.id, error: { code: -32601, message: "no such method" } });
  } else if (calls.has(message.id)) {
    send({ id: calls.get(message.id), result: { content: [{ type: "text", text: JSON.stringify(message.result ?? message.error) }] } });
    calls.delete(message.id);
  }
});
