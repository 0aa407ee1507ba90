package dev.mcpbus.transport.http;

import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;

/**
 * HTTP+SSE of MCP 2024-11-05: a GET stream brings the messages of the server and, before them, the
 * URL to which ours are posted.
 */
public final class SseTransport implements Transport {

  private final HttpOptions options;
  private final Endpoint endpoint;
  private final ConfiguredHeaders headers;

  /**
   * @throws IllegalArgumentException where the URL or a header cannot be used; never shows a value
   */
  public SseTransport(SseOptions options) {
    this(
        options.http(),
        Endpoint.of(options.http().url()),
        ConfiguredHeaders.of(options.http().headers()));
  }

  SseTransport(HttpOptions options, Endpoint endpoint, ConfiguredHeaders headers) {
    this.options = options;
    this.endpoint = endpoint;
    this.headers = headers;
  }

  @Override
  public String type() {
    return SseOptions.TYPE;
  }

  @Override
  public String target() {
    return endpoint.toString();
  }

  /**
   * Fails where the stream cannot be had, or does not begin with a POST URL of the same origin
   * within the connection timeout. A server that wants credentials: {@code AUTH_REQUIRED}.
   */
  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    return start(owner, receiver).opened().map(channel -> channel);
  }

  /** A channel that is on its way; closing it before it is open leaves nothing behind. */
  SseChannel start(Context owner, Channel.Receiver receiver) {
    SseChannel channel =
        new SseChannel(
            (ContextInternal) owner,
            HttpClients.create((ContextInternal) owner, endpoint, options, 1),
            endpoint,
            headers,
            options,
            receiver);
    channel.start();
    return channel;
  }
}
