package dev.mcpbus.transport.http;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.BuiltInTransport;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.HttpOptions;
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
 * Streamable HTTP of MCP 2025-03-26 to 2026-07-28. Each channel has its own connection pool, so
 * that a slow server uses no connections of others; the pool lives on the owner's event loop. If
 * the server refuses the first request like a server of 2024-11-05, the channel falls back to
 * HTTP+SSE. Immutable.
 */
public final class StreamableHttpTransport implements Transport {

  private final HttpOptions options;
  private final HttpEndpoint endpoint;
  private final ConfiguredHeaders headers;
  private final @Nullable Authenticator authenticator;
  private final SseTransport httpSse;

  /** Whether the server has said that it does not know the session of the options. */
  private volatile boolean isGivenUnknown;

  /**
   * Creates a transport.
   *
   * @param authenticator source of further credentials, null for none
   * @throws IllegalArgumentException if the URL or a header is not valid; never shows a value
   */
  public StreamableHttpTransport(HttpOptions options, @Nullable Authenticator authenticator) {
    this.options = options;
    this.endpoint = HttpEndpoint.of(options.url());
    this.headers = ConfiguredHeaders.of(options.headers());
    this.authenticator = authenticator;
    this.httpSse = new SseTransport(options, endpoint, headers, authenticator);
  }

  @Override
  public String type() {
    return HttpOptions.TYPE;
  }

  @Override
  public String target() {
    return endpoint.toString();
  }

  /**
   * Opens a channel without a network call: the first message connects; if that fails, its request
   * fails. This method fails only if a file for TLS or the URL of a proxy is not valid.
   */
  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    InternalContext context = InternalContext.of(owner);
    return TlsFiles.read(context, options.tls())
        .compose(
            tls -> endpoint.through(options.proxy()).map(to -> open(context, receiver, tls, to)));
  }

  private Channel open(
      InternalContext context, Channel.Receiver receiver, TlsFiles tls, HttpEndpoint to) {
    // With TLS or a proxy the GET takes a connection of the pool.
    boolean pooledGet = options.listen() && (to.tls() || to.proxy() != null);
    HttpChannel http =
        new HttpChannel(
            context,
            new HttpDialer(context, to, options, pooledGet ? 1 : 0, tls, InstantSource.system()),
            to,
            headers,
            ChannelCredentials.of(authenticator, context),
            isGivenUnknown ? RecordCopy.with(options, "sessionId", null) : options,
            () -> isGivenUnknown = true,
            receiver);
    return new FallbackChannel(http, () -> httpSse.start(context, receiver, tls, to), receiver);
  }

  /** Makes transports of the type {@code http}. Stateless. */
  public static final class StreamableHttpProvider extends BuiltInTransport {

    public StreamableHttpProvider() {
      super(
          HttpOptions.TYPE,
          "url",
          Set.of(
              "remote",
              "streamable",
              "streamable-http",
              "streamablehttp",
              "http-stream",
              "httpstream",
              "url"),
          Set.of("http", "https"));
    }

    @Override
    public Transport create(
        Vertx vertx, TransportOptions options, AuthenticatorFactory authenticators) {
      HttpOptions http = (HttpOptions) options;
      return new StreamableHttpTransport(http, authenticators.create(http));
    }
  }
}
