package dev.mcpbus.config;

import dev.mcpbus.protocol.PublicApi;

/** Where the JSON-RPC messages of a server are logged; {@code logJsonRpc} of the seeds. */
@PublicApi
public enum RpcLogMode {
  OFF,
  /** In the log, at level INFO. */
  ON,
  /** Published on {@code mcp.rpc}. */
  BUS
}
