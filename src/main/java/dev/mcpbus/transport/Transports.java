package dev.mcpbus.transport;

import dev.mcpbus.transport.bus.BusTransport;
import io.vertx.core.Vertx;

/** The transports that a configuration can name. */
public final class Transports {

  private Transports() {}

  /**
   * The transport for {@code options}; opens nothing yet.
   *
   * @throws IllegalArgumentException where no transport of that type exists
   */
  public static Transport create(Vertx vertx, TransportOptions options) {
    return switch (options.type()) {
      case BusOptions.TYPE -> new BusTransport(vertx, (BusOptions) options);
      default ->
          throw new IllegalArgumentException("no transport of type \"" + options.type() + "\"");
    };
  }
}
