package dev.mcpbus;

import dev.mcpbus.config.ConfigDiff;
import io.vertx.core.Future;

/** Applies a changed configuration as the service does, for tests in other packages. */
public final class Reload {

  private Reload() {}

  public static Future<Void> of(McpBus bus, ConfigDiff diff) {
    return bus.apply(diff);
  }
}
