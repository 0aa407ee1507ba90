package dev.mcpbus.config;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.security.AuthOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a reload has to do. Immutable.
 *
 * @param added servers to start
 * @param changed servers to drain and restart, by their new definitions
 * @param removed servers to drain and stop, by their old definitions
 * @param unchanged servers that keep running
 * @param auth the new access rules, null if they have not changed
 * @param needsRestart keys of changed settings that apply only after a restart of mcpbus
 */
public record ConfigDiff(
    List<ServerDefinition> added,
    List<ServerDefinition> changed,
    List<ServerDefinition> removed,
    List<ConnectionId> unchanged,
    @Nullable AuthOptions auth,
    List<String> needsRestart) {

  public ConfigDiff {
    added = List.copyOf(added);
    changed = List.copyOf(changed);
    removed = List.copyOf(removed);
    unchanged = List.copyOf(unchanged);
    needsRestart = List.copyOf(needsRestart);
  }

  /** Compares the live configuration with the one that was read. */
  public static ConfigDiff between(McpBusConfig live, McpBusConfig next) {
    Map<ConnectionId, ServerDefinition> before = new LinkedHashMap<>();
    live.servers().forEach(server -> before.put(server.id(), server));
    List<ServerDefinition> added = new ArrayList<>();
    List<ServerDefinition> changed = new ArrayList<>();
    List<ConnectionId> unchanged = new ArrayList<>();
    for (ServerDefinition server : next.servers()) {
      ServerDefinition old = before.remove(server.id());
      if (old == null) {
        added.add(server);
      } else if (old.sameAs(server)) {
        unchanged.add(server.id());
      } else {
        changed.add(server);
      }
    }
    return new ConfigDiff(
        added,
        changed,
        new ArrayList<>(before.values()),
        unchanged,
        live.auth().equals(next.auth()) ? null : next.auth(),
        needsRestart(live, next));
  }

  /** A setting that applies only after a restart, by the name in the log. */
  private record RestartRow(String name, Function<McpBusConfig, @Nullable Object> setting) {}

  private static final List<RestartRow> RESTART_ROWS =
      List.of(
          new RestartRow("bridge.host", McpBusConfig::host),
          new RestartRow("bridge.port", McpBusConfig::port),
          new RestartRow("bridge", config -> config.bridge().withHost("127.0.0.1").withPort(0)),
          new RestartRow("supervisor.strategy", McpBusConfig::strategy),
          new RestartRow("supervisor.startConcurrency", McpBusConfig::startConcurrency),
          new RestartRow("catalog.search", McpBusConfig::search),
          new RestartRow("catalog.registry", McpBusConfig::registry),
          new RestartRow("catalog.names", config -> config.names().name()),
          new RestartRow("auth", config -> config.auth().isRequired()),
          new RestartRow(
              "auth.audit",
              config -> Arrays.asList(config.auth().audit(), config.auth().auditFile())),
          new RestartRow("auth.signIn", config -> config.auth().signIn()),
          new RestartRow("gateway", McpBusConfig::gateway),
          new RestartRow("metrics, tracing", McpBusConfig::telemetry),
          new RestartRow("cluster", McpBusConfig::cluster),
          new RestartRow("state", McpBusConfig::stateDir));

  /** The names of all settings that apply only after a restart, as the log has them. */
  public static final List<String> NEED_RESTART =
      RESTART_ROWS.stream().map(RestartRow::name).toList();

  private static List<String> needsRestart(McpBusConfig live, McpBusConfig next) {
    return RESTART_ROWS.stream()
        .filter(row -> !Objects.equals(row.setting().apply(live), row.setting().apply(next)))
        .map(RestartRow::name)
        .toList();
  }

  /** True if there is nothing to do. */
  public boolean isEmpty() {
    return added.isEmpty()
        && changed.isEmpty()
        && removed.isEmpty()
        && auth == null
        && needsRestart.isEmpty();
  }
}
