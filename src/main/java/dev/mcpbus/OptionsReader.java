package dev.mcpbus;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.supervisor.RestartPolicy;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import dev.mcpbus.transport.Transport;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes {@link McpBus.Options} of a configuration. Blocks on files. */
final class OptionsReader {

  private static final Logger LOG = LoggerFactory.getLogger(OptionsReader.class);

  private OptionsReader() {}

  static McpBus.Options of(Path file) {
    return embedded(ConfigReader.read(file, ConfigEnvironment.system()), folder(file));
  }

  static McpBus.Options of(JsonObject document) {
    Path folder = Path.of(".");
    return embedded(ConfigReader.read(document, folder, ConfigEnvironment.system()), folder);
  }

  /** The reader of entries for a program without a configuration. */
  static ServerEntryReader entries() {
    return ServerEntryReader.in(Path.of("."), ConfigEnvironment.system(), ServerSettings.DEFAULT);
  }

  /** The folder of the file, the base of relative paths in entries that are added later. */
  private static Path folder(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    return folder == null ? Path.of(".") : folder;
  }

  /**
   * Everything that a configuration says, without its HTTP server.
   *
   * @param file from which {@code result} was read
   */
  static McpBus.Options of(Path file, ConfigResult result, McpBusConfig config) {
    return options(folder(file), result, config);
  }

  private static McpBus.Options embedded(ConfigResult result, Path folder) {
    McpBusConfig config =
        result
            .usable()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "the configuration cannot be used\n"
                            + ConfigReport.lines(result.problems()).stripTrailing()));
    if (!config.problems().isEmpty()) {
      LOG.warn(
          "servers with mistakes are left out\n{}",
          ConfigReport.lines(config.problems()).stripTrailing());
    }
    if (!result.notes().isEmpty()) {
      LOG.warn("{}", ConfigReport.notes(result.notes()).stripTrailing());
    }
    McpBus.Options options = options(folder, result, config);
    return config.hasBridge() ? options.withBridge(config.bridge()) : options;
  }

  private static McpBus.Options options(Path folder, ConfigResult result, McpBusConfig config) {
    ServerEntryReader reader =
        ServerEntryReader.in(folder, ConfigEnvironment.system(), result.defaults());
    return new McpBus.Options(
            config.servers(),
            SupervisorOptions.of(config.strategy(), config.startConcurrency()),
            null,
            reader)
        .withGateway(config.gateway())
        .withNames(config.names())
        .withSearch(config.search())
        .withRegistry(config.registry())
        .withAuth(config.auth())
        .withPlacement(quorum(config.cluster()).withRollout(config.cluster().rolloutGrace()))
        .withTelemetry(config.telemetry())
        .withStateDir(config.stateDir())
        .withProblems(config.problems());
  }

  private static OwnershipOptions quorum(ClusterOptions cluster) {
    OwnershipOptions base = OwnershipOptions.DEFAULT;
    return cluster.majorityOf() > 0
        ? base.withMajorityOf(cluster.majorityOf())
        : base.withQuorum(cluster.quorum());
  }

  /** The definition of a server over a transport that the program made itself. */
  static ServerDefinition embedded(
      ConnectionId id, Transport transport, ConnectionOptions connection) {
    return new ServerDefinition(
        id,
        id.value(),
        new EmbeddedTransportOptions(transport),
        connection,
        RestartPolicy.DEFAULT,
        RpcLogMode.OFF,
        Duration.ofSeconds(5),
        "the embedding program",
        new JsonObject().put("type", transport.type()),
        Redactor.NONE);
  }
}
