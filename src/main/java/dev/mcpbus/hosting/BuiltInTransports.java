package dev.mcpbus.hosting;

import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.BuiltInTransport;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import dev.mcpbus.transport.PluginTransportOptions;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.Vertx;

/**
 * Makes the transport that belongs to a server's transport options: its provider does, or the
 * embedding program has done so. Stateless.
 */
public final class BuiltInTransports {

  private BuiltInTransports() {}

  /**
   * The transport for {@code options}; opens nothing yet.
   *
   * @param authenticators makes the authenticator that the options name, for a server over HTTP
   * @throws IllegalArgumentException where no transport of that type exists, or the options cannot
   *     be used; the message names the part and the remedy, never a secret
   */
  public static Transport create(
      Vertx vertx, TransportOptions options, AuthenticatorFactory authenticators) {
    if (options instanceof PluginTransportOptions plugin) {
      return plugin.provider().create(vertx, plugin.options());
    }
    if (options instanceof EmbeddedTransportOptions embedded) {
      return embedded.transport();
    }
    BuiltInTransport builtIn = BuiltInTransport.all().get(options.type());
    if (builtIn == null) {
      throw new IllegalArgumentException("no transport of type \"" + options.type() + "\"");
    }
    return builtIn.create(vertx, options, authenticators);
  }
}
