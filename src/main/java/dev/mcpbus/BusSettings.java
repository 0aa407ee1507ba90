package dev.mcpbus;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.bus.TelemetrySource;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.read.ConfigDocument;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.transport.AuthenticatorFactory;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a checked configuration comes to: what {@link VerticleTree} starts. Immutable.
 *
 * @param servers the servers to connect to; more can be added on the bus
 * @param supervisor how connections are started and restarted
 * @param bridge where to serve HTTP, null for no HTTP
 * @param gateway what MCP clients find on that HTTP server
 * @param reader reads the entries of {@code mcp.servers.add}
 * @param names how the aggregate names the tools and prompts of the servers
 * @param search true where the index of tool search is built at the start
 * @param registry the base of an MCP registry's API, in which a preview looks names up; null for
 *     none
 * @param input how long a question of a server may wait, and how many may
 * @param auth which principals may come in over HTTP, and with which rights
 * @param placement the intervals of ownership, where Vert.x is clustered
 * @param telemetry whether to measure and to trace; nothing by default
 * @param stateDir a folder of this process alone, in which servers that callers add and remove
 *     outlive the process; null: they do not
 * @param problems of the configuration, for example of the servers that are left out
 * @param authenticators makes the credentials for servers over HTTP
 * @param pins keeps pinned tool definitions; null: a file in {@code stateDir}
 * @param meters the program's registry, in place of one of the bus; null for none
 * @param tracer the program's OpenTelemetry, in place of an SDK of the bus; null for none
 */
record BusSettings(
    List<ServerDefinition> servers,
    SupervisorOptions supervisor,
    @Nullable BridgeOptions bridge,
    GatewayOptions gateway,
    ServerEntryReader reader,
    NamePolicy names,
    boolean search,
    @Nullable URI registry,
    InputOptions input,
    AuthOptions auth,
    OwnershipOptions placement,
    TelemetryOptions telemetry,
    @Nullable Path stateDir,
    List<ConfigProblem> problems,
    Function<Vertx, AuthenticatorFactory> authenticators,
    @Nullable PinStore pins,
    @Nullable TelemetrySource meters,
    @Nullable TelemetrySource tracer) {

  private static final Logger LOG = LoggerFactory.getLogger(BusSettings.class);

  /** Refuses a bridge that would be open by mistake; the message names the remedy. */
  BusSettings {
    servers = List.copyOf(servers);
    problems = List.copyOf(problems);
    if (bridge != null) {
      bridge.requireAuth(auth.isRequired());
    }
  }

  BusSettings withBridge(@Nullable BridgeOptions other) {
    return RecordCopy.with(this, "bridge", other);
  }

  BusSettings withAuth(AuthOptions other) {
    return RecordCopy.with(this, "auth", other);
  }

  BusSettings withSearch(boolean atStart) {
    return RecordCopy.with(this, "search", atStart);
  }

  BusSettings withTelemetry(TelemetryOptions other) {
    return RecordCopy.with(this, "telemetry", other);
  }

  /** Tells what a program's configuration leaves out. */
  static ConfigDocument told(ConfigDocument document) {
    ConfigResult result = document.result();
    if (result.config() == null) {
      return document;
    }
    if (!result.problems().isEmpty()) {
      LOG.warn(
          "servers with mistakes are left out\n{}",
          ConfigReport.lines(result.problems()).stripTrailing());
    }
    if (!result.notes().isEmpty()) {
      LOG.warn("{}", ConfigReport.notes(result.notes()).stripTrailing());
    }
    return document;
  }

  /** Everything that a configuration says; an HTTP server only if it has a {@code bridge}. */
  static BusSettings of(ConfigDocument document) {
    ConfigResult result = document.result();
    McpBusConfig config =
        result
            .usable()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "the configuration cannot be used\n"
                            + ConfigReport.lines(result.problems()).stripTrailing()));
    BusSettings settings = settings(document.folder(), result, config);
    return config.hasBridge() ? settings.withBridge(config.bridge()) : settings;
  }

  /**
   * Everything that a configuration says, without its HTTP server.
   *
   * @param file from which {@code result} was read
   */
  static BusSettings of(Path file, ConfigResult result, McpBusConfig config) {
    Path folder = file.toAbsolutePath().getParent();
    return settings(folder == null ? Path.of(".") : folder, result, config);
  }

  private static BusSettings settings(Path folder, ConfigResult result, McpBusConfig config) {
    return new BusSettings(
        config.servers(),
        SupervisorOptions.of(config.strategy(), config.startConcurrency()),
        null,
        config.gateway(),
        ServerEntryReader.in(folder, ConfigEnvironment.system(), result.defaults()),
        config.names(),
        config.search(),
        config.registry(),
        InputOptions.DEFAULT,
        config.auth(),
        quorum(config.cluster()).withRollout(config.cluster().rolloutGrace()),
        config.telemetry(),
        config.stateDir(),
        config.problems(),
        BusSettings::credentials,
        null,
        null,
        null);
  }

  /** Those of the environment. */
  static AuthenticatorFactory credentials(Vertx vertx) {
    return OAuthAuthenticators.ofVariables(vertx, System.getenv());
  }

  private static OwnershipOptions quorum(ClusterOptions cluster) {
    OwnershipOptions base = OwnershipOptions.DEFAULT;
    return cluster.majorityOf() > 0
        ? base.withMajorityOf(cluster.majorityOf())
        : base.withQuorum(cluster.quorum());
  }
}
