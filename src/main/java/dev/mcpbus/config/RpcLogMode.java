package dev.mcpbus.config;

import dev.mcpbus.protocol.PublicApi;
import java.util.Locale;

/** Where the JSON-RPC messages of a server are logged; {@code logJsonRpc} of the seeds. */
@PublicApi
public enum RpcLogMode {
  OFF,
  /** In the log, at level INFO. */
  ON,
  /** Published on {@code mcp.rpc}. */
  BUS;

  /** The word for it in a configuration. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
