/**
 * A host of MCP Apps: it lists tools, reads the user interface of one, and lets an app call its
 * server through the bridge of the official package. The app has no browser: it is the package's
 * own class for apps, over a transport in memory.
 *
 *   node apps-host.mjs v2-legacy|v2-modern URL TOOL NAME...
 *
 * TOOL is the tool as the host lists it; the app calls each NAME. Prints one JSON object with what
 * the host and the app were given.
 */
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';
import { App } from '@modelcontextprotocol/ext-apps';

const [kind, url, wanted, ...names] = process.argv.slice(2);
const info = { name: `apps-host-${kind}`, version: '1.0.0' };
const mode = { 'v2-legacy': 'legacy', 'v2-modern': { pin: '2026-07-28' } }[kind];
const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const client = new Client(info, { capabilities: { extensions }, versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

const { tools } = await client.listTools();
const tool = tools.find((one) => one.name === wanted);
const uri = getToolUiResourceUri(tool);
const [content] = (await client.readResource({ uri })).contents;

const bridge = new AppBridge(client, info, { serverTools: {}, serverResources: {} }, { hostContext: { toolInfo: { tool } } });
const app = new App({ name: 'app', version: '1.0.0' }, {}, { autoResize: false });
const shown = new Promise((resolve) => { app.ontoolresult = resolve; });
const [hostSide, appSide] = InMemoryTransport.createLinkedPair();
await bridge.connect(hostSide);
await app.connect(appSide);

await bridge.sendToolInput({ arguments: {} });
await bridge.sendToolResult(await client.callTool({ name: wanted, arguments: {} }));
const called = {};
for (const name of names) {
  called[name] = await app.callServerTool({ name, arguments: {} }).then(
    (result) => result.content[0].text,
    (error) => `error: ${error.message}`);
}
const result = {
  tools: tools.map((one) => one.name),
  uri,
  visibility: tool._meta.ui.visibility,
  content: { uri: content.uri, mimeType: content.mimeType, html: content.text.slice(0, 15) },
  toolInfo: app.getHostContext().toolInfo.tool.name,
  shown: (await shown).content[0].text,
  called,
};
await client.close();
console.log(JSON.stringify(result));
process.exit(0);
