package dev.mcpbus.transport.http;

import dev.mcpbus.transport.HttpOptions;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import java.util.concurrent.TimeUnit;

/** The HTTP client of one channel, with a connection pool of its own. */
final class HttpClients {

  /** Below the idle time of common servers; a server's {@code Keep-Alive: timeout=} goes before. */
  private static final int KEEP_ALIVE_SECONDS = 30;

  private HttpClients() {}

  /**
   * @param streams connections that a stream holds for good, on top of those asked for
   */
  static HttpClientAgent create(Vertx vertx, Endpoint endpoint, HttpOptions options, int streams) {
    return vertx
        .httpClientBuilder()
        .with(clientOptions(endpoint, options))
        .with(poolOptions(options.maxConnections() + streams))
        .withConnectHandler(connection -> connection.exceptionHandler(Responses.IGNORE))
        .build();
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
