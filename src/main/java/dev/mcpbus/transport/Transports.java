package dev.mcpbus.transport;

import dev.mcpbus.transport.stdio.StdioTransport;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.function.BiFunction;

/** Which transport belongs to which options. One line per transport. */
public final class Transports {

  private static final Map<String, BiFunction<Vertx, TransportOptions, Transport>> FACTORIES =
      Map.ofEntries(
          Map.entry(
              StdioOptions.TYPE, (vertx, options) -> new StdioTransport((StdioOptions) options)));

  private Transports() {}

  /**
   * The transport for {@code options}; opens nothing.
   *
   * @throws IllegalArgumentException where no transport has the options' {@code type}
   */
  public static Transport create(Vertx vertx, TransportOptions options) {
    BiFunction<Vertx, TransportOptions, Transport> factory = FACTORIES.get(options.type());
    if (factory == null) {
      throw new IllegalArgumentException(
          "no transport of type \"" + options.type() + "\"; there are " + FACTORIES.keySet());
    }
    return factory.apply(vertx, options);
  }
}
