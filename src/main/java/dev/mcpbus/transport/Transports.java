package dev.mcpbus.transport;

import dev.mcpbus.transport.http.StreamableHttpTransport;
import io.vertx.core.Vertx;

/** Makes the transport for given options. */
public final class Transports {

  private Transports() {}

  /**
   * @throws IllegalArgumentException where the options are of no known kind or cannot be used; the
   *     message names the part and the remedy, never a secret
   */
  public static Transport create(Vertx vertx, TransportOptions options) {
    if (options instanceof HttpOptions http) {
      return new StreamableHttpTransport(vertx, http);
    }
    throw new IllegalArgumentException("no transport of type \"" + options.type() + "\"");
  }
}
