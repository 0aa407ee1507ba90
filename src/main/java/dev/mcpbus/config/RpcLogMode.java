package dev.mcpbus.config;

/** What happens to the JSON-RPC messages of a server; the seeds' {@code logJsonRpc}. */
public enum RpcLogMode {
  OFF,
  /** To the log, at level INFO. */
  ON,
  /** Published on {@code mcp.rpc}. */
  BUS
}
