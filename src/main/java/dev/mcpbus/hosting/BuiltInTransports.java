package dev.mcpbus.hosting;

import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.PluginTransportOptions;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportOptions;
import dev.mcpbus.transport.bus.BusTransport;
import dev.mcpbus.transport.http.SseTransport;
import dev.mcpbus.transport.http.StreamableHttpTransport;
import dev.mcpbus.transport.socket.SocketTransport;
import dev.mcpbus.transport.stdio.StdioTransport;
import io.vertx.core.Vertx;

/**
 * Makes the transport that belongs to a server's transport options. One line per built-in
 * transport; a {@code TransportProvider} makes its own. Stateless.
 */
public final class BuiltInTransports {

  private BuiltInTransports() {}

  /**
   * The transport for {@code options}; opens nothing yet.
   *
   * @throws IllegalArgumentException where no transport of that type exists, or the options cannot
   *     be used; the message names the part and the remedy, never a secret
   */
  public static Transport create(Vertx vertx, TransportOptions options) {
    return create(vertx, options, AuthenticatorFactory.NONE);
  }

  /**
   * The same, with credentials for servers over HTTP.
   *
   * @param authenticators makes the authenticator that the options name
   */
  public static Transport create(
      Vertx vertx, TransportOptions options, AuthenticatorFactory authenticators) {
    if (options instanceof PluginTransportOptions plugin) {
      return plugin.provider().create(vertx, plugin.options());
    }
    return switch (options.type()) {
      case StdioOptions.TYPE -> new StdioTransport((StdioOptions) options);
      case HttpOptions.TYPE -> {
        HttpOptions http = (HttpOptions) options;
        yield new StreamableHttpTransport(http, authenticators.create(http));
      }
      case SseOptions.TYPE -> {
        SseOptions sse = (SseOptions) options;
        yield new SseTransport(sse, authenticators.create(sse.http()));
      }
      case SocketOptions.TYPE -> new SocketTransport(vertx, (SocketOptions) options);
      case BusOptions.TYPE -> new BusTransport(vertx, (BusOptions) options);
      case EmbeddedTransportOptions.TYPE -> ((EmbeddedTransportOptions) options).transport();
      default ->
          throw new IllegalArgumentException("no transport of type \"" + options.type() + "\"");
    };
  }
}
