package dev.mcpbus.transport.http;

import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.internal.CloseFuture;
import io.vertx.core.internal.ContextInternal;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Streamable HTTP of MCP 2025-03-26 to 2025-11-25. Each channel has its own connection pool, so
 * that a slow server takes connections from nobody else; the pool lives on the owner's event loop.
 */
public final class StreamableHttpTransport implements Transport {

  /** Below the idle time of common servers; a server's {@code Keep-Alive: timeout=} goes before. */
  private static final int KEEP_ALIVE_SECONDS = 10;

  private final Vertx vertx;
  private final HttpOptions options;
  private final Endpoint endpoint;
  private final ConfiguredHeaders headers;
  private final @Nullable Authenticator authenticator;

  /**
   * @param authenticator where further credentials come from, null for nowhere
   * @throws IllegalArgumentException where the URL or a header cannot be used; never shows a value
   */
  public StreamableHttpTransport(
      Vertx vertx, HttpOptions options, @Nullable Authenticator authenticator) {
    this.vertx = vertx;
    this.options = options;
    this.endpoint = Endpoint.of(options.url());
    this.headers = ConfiguredHeaders.of(options.headers());
    this.authenticator = authenticator;
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
   * Makes no network call: the first message connects, and where that fails its request fails. So
   * the future never fails.
   */
  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    ContextInternal context = (ContextInternal) owner;
    HttpClientAgent client = client(context);
    Credentials credentials =
        authenticator == null ? null : new Credentials(authenticator, context);
    return context.succeededFuture(
        new HttpChannel(context, client, endpoint, headers, credentials, options, receiver));
  }

  /**
   * A client that belongs to its channel alone. Vert.x keeps a client in the scope of the context
   * that it was built on until that scope ends, closed or not; on the owner's context every session
   * would leave one behind. So it gets a scope of its own, on the owner's event loop.
   */
  private HttpClientAgent client(ContextInternal owner) {
    ContextInternal scope =
        owner
            .owner()
            .contextBuilder()
            .withEventLoop(owner.nettyEventLoop())
            .withCloseFuture(new CloseFuture())
            .build();
    AtomicReference<HttpClientAgent> built = new AtomicReference<>();
    scope.dispatch(
        ignored ->
            built.set(
                vertx
                    .httpClientBuilder()
                    .with(clientOptions())
                    .with(poolOptions())
                    .withConnectHandler(connection -> connection.exceptionHandler(Responses.IGNORE))
                    .build()));
    return Objects.requireNonNull(built.get());
  }

  private HttpClientOptions clientOptions() {
    int connectMillis = Math.toIntExact(Math.max(1, options.connectTimeout().toMillis()));
    HttpClientOptions client =
        new HttpClientOptions()
            .setConnectTimeout(connectMillis)
            .setTcpKeepAlive(true)
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setHttp2KeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setMaxHeaderSize(32 * 1024);
    if (endpoint.tls()) {
      client
          .setSsl(true)
          .setUseAlpn(true)
          .setProtocolVersion(HttpVersion.HTTP_2)
          .setSslHandshakeTimeout(connectMillis)
          .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
    }
    return client;
  }

  private PoolOptions poolOptions() {
    // One more than asked for: the GET stream holds a connection for good. The same bound for
    // HTTP/2, because the pool holds a server that turns out to speak HTTP/1.1 to it as well: with
    // one connection its GET stream would block every call.
    int size = options.maxConnections() + (options.listen() ? 1 : 0);
    return new PoolOptions()
        .setHttp1MaxSize(size)
        .setHttp2MaxSize(size)
        .setCleanerPeriod(KEEP_ALIVE_SECONDS * 1000);
  }
}
