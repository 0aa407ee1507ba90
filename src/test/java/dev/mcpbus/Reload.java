package dev.mcpbus;

import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.Future;
import java.util.List;

/** Applies a changed configuration as the service does, for tests in other packages. */
public final class Reload {

  private Reload() {}

  public static Future<Void> of(McpBus bus, ConfigDiff diff) {
    return bus.apply(diff);
  }

  static Future<Void> add(McpBus bus, ServerDefinition server) {
    return bus.apply(List.of(server));
  }
}
