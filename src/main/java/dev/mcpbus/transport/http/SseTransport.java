package dev.mcpbus.transport.http;

import dev.mcpbus.internals.OwnContext;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.TlsFiles;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * HTTP+SSE of MCP 2024-11-05: a GET stream brings the messages of the server and, before them, the
 * URL to which ours are posted.
 */
public final class SseTransport implements Transport {

  private final HttpOptions options;
  private final HttpEndpoint endpoint;
  private final ConfiguredHeaders headers;
  private final @Nullable Authenticator authenticator;

  /**
   * @param authenticator where further credentials come from, null for nowhere
   * @throws IllegalArgumentException where the URL or a header cannot be used; never shows a value
   */
  public SseTransport(SseOptions options, @Nullable Authenticator authenticator) {
    this(
        options.http(),
        HttpEndpoint.of(options.http().url()),
        ConfiguredHeaders.of(options.http().headers()),
        authenticator);
  }

  SseTransport(
      HttpOptions options,
      HttpEndpoint endpoint,
      ConfiguredHeaders headers,
      @Nullable Authenticator authenticator) {
    this.options = options;
    this.endpoint = endpoint;
    this.headers = headers;
    this.authenticator = authenticator;
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
   * within twice the connection timeout, or a file for TLS cannot be used. A server that wants
   * other credentials than can be had: {@code AUTH_REQUIRED}.
   */
  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    OwnContext context = OwnContext.of(owner);
    return TlsFiles.read(context, options.tls())
        .compose(tls -> start(context, receiver, tls).opened())
        .map(channel -> channel);
  }

  /** A channel that is on its way; closing it before it is open leaves nothing behind. */
  SseChannel start(OwnContext owner, Channel.Receiver receiver, TlsFiles tls) {
    SseChannel channel =
        new SseChannel(
            owner,
            HttpClients.create(owner, endpoint, options, 1, tls),
            endpoint,
            headers,
            ChannelCredentials.of(authenticator, owner),
            options,
            receiver);
    channel.start();
    return channel;
  }
}
