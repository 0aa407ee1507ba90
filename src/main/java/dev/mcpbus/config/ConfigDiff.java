package dev.mcpbus.config;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.security.AuthOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  private static List<String> needsRestart(McpBusConfig live, McpBusConfig next) {
    List<String> keys = new ArrayList<>();
    if (!live.host().equals(next.host())) {
      keys.add("bridge.host");
    }
    if (live.port() != next.port()) {
      keys.add("bridge.port");
    }
    if (!live.bridge().withHost(next.host()).withPort(next.port()).equals(next.bridge())) {
      keys.add("bridge");
    }
    if (live.strategy() != next.strategy()) {
      keys.add("supervisor.strategy");
    }
    if (live.startConcurrency() != next.startConcurrency()) {
      keys.add("supervisor.startConcurrency");
    }
    if (live.search() != next.search()) {
      keys.add("catalog.search");
    }
    if (!Objects.equals(live.registry(), next.registry())) {
      keys.add("catalog.registry");
    }
    if (!live.names().name().equals(next.names().name())) {
      keys.add("catalog.names");
    }
    if (live.auth().isRequired() != next.auth().isRequired()) {
      keys.add("auth");
    }
    if (!live.auth().hasAuditOf(next.auth())) {
      keys.add("auth.audit");
    }
    if (!live.gateway().equals(next.gateway())) {
      keys.add("gateway");
    }
    if (!live.telemetry().equals(next.telemetry())) {
      keys.add("metrics, tracing");
    }
    if (!live.cluster().equals(next.cluster())) {
      keys.add("cluster");
    }
    if (!Objects.equals(live.stateDir(), next.stateDir())) {
      keys.add("state");
    }
    return keys;
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
