package dev.mcpbus.config;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.gateway.GatewayOptions;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.RestartStrategy;
import java.util.List;

/**
 * A whole configuration, checked.
 *
 * @param bridge where the bridge listens, default {@link BridgeOptions#DEFAULT}
 * @param auth who may come in over HTTP, default {@link AuthOptions#NONE}
 * @param strategy of the one supervisor, default one-for-one
 * @param startConcurrency sessions that may be starting at the same time, default 16
 * @param gateway what MCP clients find at {@code /mcp}
 * @param names how the catalog names what servers offer, default {@link NamePolicy#DOTTED}
 * @param search true where the index of tool search is built at the start, default false: at the
 *     first search
 * @param cluster how to join one, where that is asked for
 * @param servers in the order of the file
 * @param problems of single servers, which are left out of {@code servers}; empty where all is well
 */
public record McpBusConfig(
    BridgeOptions bridge,
    AuthOptions auth,
    RestartStrategy strategy,
    int startConcurrency,
    GatewayOptions gateway,
    NamePolicy names,
    boolean search,
    ClusterOptions cluster,
    List<ServerDefinition> servers,
    List<ConfigProblem> problems) {

  public McpBusConfig {
    servers = List.copyOf(servers);
    problems = List.copyOf(problems);
  }

  /** The bridge listens here. */
  public String host() {
    return bridge.host();
  }

  /** The bridge's port; 0 lets the system choose. */
  public int port() {
    return bridge.port();
  }
}
