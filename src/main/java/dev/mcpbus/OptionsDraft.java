package dev.mcpbus;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.SupervisorOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A mutable copy of {@link McpBus.Options}, for its {@code with} methods. */
final class OptionsDraft {

  List<ServerDefinition> servers;
  SupervisorOptions supervisor;
  @Nullable BridgeOptions bridge;
  GatewayOptions gateway;
  ServerEntryReader reader;
  NamePolicy names;
  boolean search;
  @Nullable URI registry;
  InputOptions input;
  AuthOptions auth;
  OwnershipOptions placement;
  TelemetryOptions telemetry;
  @Nullable Path stateDir;
  List<ConfigProblem> problems;

  OptionsDraft(McpBus.Options from) {
    servers = from.servers();
    supervisor = from.supervisor();
    bridge = from.bridge();
    gateway = from.gateway();
    reader = from.reader();
    names = from.names();
    search = from.search();
    registry = from.registry();
    input = from.input();
    auth = from.auth();
    placement = from.placement();
    telemetry = from.telemetry();
    stateDir = from.stateDir();
    problems = from.problems();
  }

  McpBus.Options checked() {
    return new McpBus.Options(
        servers,
        supervisor,
        bridge,
        gateway,
        reader,
        names,
        search,
        registry,
        input,
        auth,
        placement,
        telemetry,
        stateDir,
        problems);
  }
}
