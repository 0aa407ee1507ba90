package dev.mcpbus.transport.http;

import dev.mcpbus.transport.HttpOptions;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.internal.CloseFuture;
import io.vertx.core.internal.ContextInternal;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The HTTP client of one channel, with a connection pool of its own. */
final class HttpClients {

  /** Below the idle time of common servers; a server's {@code Keep-Alive: timeout=} goes before. */
  private static final int KEEP_ALIVE_SECONDS = 10;

  private HttpClients() {}

  /**
   * A client that belongs to its channel alone. Vert.x keeps a client in the scope of the context
   * that it was built on until that scope ends, closed or not; on the owner's context every session
   * would leave one behind. So it gets a scope of its own, on the owner's event loop.
   *
   * @param streams connections that a stream holds for good, on top of those asked for
   */
  static HttpClientAgent create(
      ContextInternal owner, Endpoint endpoint, HttpOptions options, int streams) {
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
                owner
                    .owner()
                    .httpClientBuilder()
                    .with(clientOptions(endpoint, options))
                    .with(poolOptions(options.maxConnections() + streams))
                    .withConnectHandler(connection -> connection.exceptionHandler(Responses.IGNORE))
                    .build()));
    return Objects.requireNonNull(built.get());
  }

  private static HttpClientOptions clientOptions(Endpoint endpoint, HttpOptions options) {
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

  private static PoolOptions poolOptions(int size) {
    // The same bound for HTTP/2, because the pool holds a server that turns out to speak HTTP/1.1
    // to it as well: with one connection its GET stream would block every call.
    return new PoolOptions()
        .setHttp1MaxSize(size)
        .setHttp2MaxSize(size)
        .setCleanerPeriod(KEEP_ALIVE_SECONDS * 1000);
  }
}
