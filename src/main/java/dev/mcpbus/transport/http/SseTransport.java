package dev.mcpbus.transport.http;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.BuiltInTransport;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.TlsFiles;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * HTTP+SSE of MCP 2024-11-05: a GET stream carries the server's messages. Its first event names the
 * URL to which our messages are posted. Immutable.
 */
public final class SseTransport implements Transport {

  private final HttpOptions options;
  private final HttpEndpoint endpoint;
  private final ConfiguredHeaders headers;
  private final @Nullable Authenticator authenticator;

  /**
   * Creates a transport.
   *
   * @param authenticator source of further credentials, null for none
   * @throws IllegalArgumentException if the URL or a header is not valid; never shows a value
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
   * Fails if the stream cannot be opened, if it does not begin with a POST URL of the same origin
   * within twice the connection timeout, or if a file for TLS or the URL of a proxy is not valid.
   * Fails with {@code AUTH_REQUIRED} if the server requires credentials that cannot be obtained.
   */
  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    InternalContext context = InternalContext.of(owner);
    return TlsFiles.read(context, options.tls())
        .compose(
            tls ->
                endpoint
                    .through(options.proxy())
                    .compose(to -> start(context, receiver, tls, to).opening()))
        .map(channel -> channel);
  }

  /** Starts a channel that is not open yet; closing it before it is open releases everything. */
  SseChannel start(
      InternalContext owner, Channel.Receiver receiver, TlsFiles tls, HttpEndpoint to) {
    SseChannel channel =
        new SseChannel(
            owner,
            new HttpDialer(owner, to, options, 1, tls, InstantSource.system()),
            to,
            headers,
            ChannelCredentials.of(authenticator, owner),
            options,
            receiver);
    channel.start();
    return channel;
  }

  /** Makes transports of the type {@code sse}. Stateless. */
  public static final class SseProvider extends BuiltInTransport {

    public SseProvider() {
      super(SseOptions.TYPE, "url", Set.of(), Set.of());
    }

    @Override
    public Transport create(
        Vertx vertx, TransportOptions options, AuthenticatorFactory authenticators) {
      SseOptions sse = (SseOptions) options;
      return new SseTransport(sse, authenticators.create(sse.http()));
    }
  }
}
