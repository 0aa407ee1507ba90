/**
 * A client of one of the official SDKs, not connected yet.
 *
 * `kind` is v1|v1-sse|v2-sse|v2-legacy|v2-modern|v2-auto; `url` a URL, or with `args` a command.
 * Gives the client, its transport, `on` to set what answers requests, `call` for tools, and `progress`:
 * what the transport has read of it. The SDK drops progress that it reads in one piece with the result.
 * `options` are those of a transport over HTTP.
 */
export async function open(kind, url, args, capabilities, options) {
  const stdio = args.length > 0 ? { command: url, args, env: process.env } : undefined;
  const info = { name: `sdk-${kind}`, version: '1.0.0' };

  async function v1() {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const types = await import('@modelcontextprotocol/sdk/types.js');
    const client = new Client(info, { capabilities });
    return {
      client,
      transport: stdio ? new StdioClientTransport(stdio)
        : kind === 'v1-sse' ? new SSEClientTransport(new URL(url), options) : new StreamableHTTPClientTransport(new URL(url), options),
      on: (method, handler) => client.setRequestHandler(
        {
        'elicitation/create': types.ElicitRequestSchema,
        'sampling/createMessage': types.CreateMessageRequestSchema,
        'roots/list': types.ListRootsRequestSchema,
      }[method],
        handler),
      call: (params, options) => client.callTool(params, undefined, options),
    };
  }

  async function v2() {
    const { Client, SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const mode = { 'v2-sse': 'legacy', 'v2-legacy': 'legacy', 'v2-modern': { pin: '2026-07-28' }, 'v2-auto': 'auto' }[kind];
    const client = new Client(info, { capabilities, versionNegotiation: { mode } });
    return {
      client,
      transport: stdio ? new StdioClientTransport(stdio)
        : kind === 'v2-sse' ? new SSEClientTransport(new URL(url), options) : new StreamableHTTPClientTransport(new URL(url), options),
      on: (method, handler) => client.setRequestHandler(method, handler),
      call: (params, options) => client.callTool(params, options),
    };
  }

  const opened = await (kind.startsWith('v1') ? v1() : v2());
  const progress = [];
  opened.transport.onmessage = ({ method, params }) => {
    if (method === 'notifications/progress') {
      const { progressToken, ...told } = params;
      progress.push(told);
    }
  };
  return { ...opened, progress };
}
