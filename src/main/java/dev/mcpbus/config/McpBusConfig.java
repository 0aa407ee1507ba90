package dev.mcpbus.config;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.RestartStrategy;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole checked configuration. Immutable.
 *
 * @param bridge the HTTP server's options, default {@link BridgeOptions#DEFAULT}
 * @param hasBridge true: the configuration itself has {@code bridge}; an embedded mcpbus serves
 *     HTTP only then
 * @param auth who may call over HTTP, default {@link AuthOptions#NONE}
 * @param strategy of the supervisor, default one-for-one
 * @param startConcurrency how many sessions may start at the same time, default 16
 * @param gateway the options of {@code /mcp}
 * @param names how the aggregate names tools and other items, default {@link NamePolicy#DOTTED}
 * @param search true: the index of tool search is built at the start; default false: at the first
 *     search
 * @param registry the base of an MCP registry's API, in which names are looked up; null for none
 * @param cluster how to join a cluster, if mcpbus is started with {@code --cluster}
 * @param telemetry what {@code metrics} and {@code tracing} say
 * @param stateDir where changes at run time outlive the process; null: they do not
 * @param servers in the order of the file
 * @param problems of the servers that are left out; empty if there are none
 */
public record McpBusConfig(
    BridgeOptions bridge,
    boolean hasBridge,
    AuthOptions auth,
    RestartStrategy strategy,
    int startConcurrency,
    GatewayOptions gateway,
    NamePolicy names,
    boolean search,
    @Nullable URI registry,
    ClusterOptions cluster,
    TelemetryOptions telemetry,
    @Nullable Path stateDir,
    List<ServerDefinition> servers,
    List<ConfigProblem> problems) {

  public McpBusConfig {
    servers = List.copyOf(servers);
    problems = List.copyOf(problems);
  }

  /** The same settings with other servers. */
  public McpBusConfig withServers(List<ServerDefinition> others) {
    return RecordCopy.with(this, "servers", others);
  }

  /** The address on which the bridge listens. */
  public String host() {
    return bridge.host();
  }

  /** {@code http}, or {@code https} where the bridge has TLS. */
  public String scheme() {
    return bridge.scheme();
  }

  /** The port of the bridge; with 0 the system chooses one. */
  public int port() {
    return bridge.port();
  }
}
