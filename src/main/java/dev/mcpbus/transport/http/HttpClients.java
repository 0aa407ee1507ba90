package dev.mcpbus.transport.http;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.internals.TcpKeepAlive;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.TlsFiles;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.ProxyOptions;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Creates the HTTP client of one channel, with its own connection pool. */
final class HttpClients {

  /**
   * How long an idle connection stays in the pool; a server's {@code Keep-Alive: timeout=} has
   * precedence. {@link HttpDialer} uses none that is nearly over.
   */
  private static final int KEEP_ALIVE_SECONDS = 5;

  /** An HTTP/2 server announces that it closes a connection. */
  private static final int HTTP2_KEEP_ALIVE_SECONDS = 10;

  /** How often the pool removes connections that have been idle for longer than that. */
  private static final int CLEANER_MILLIS = 5_000;

  private HttpClients() {}

  /**
   * Creates the client.
   *
   * @param streams how many connections streams hold permanently, in addition to {@code
   *     maxConnections}
   * @param tls the files that were read for this channel
   * @param connected receives each new connection
   */
  static HttpClientAgent create(
      InternalContext owner,
      HttpEndpoint endpoint,
      HttpOptions options,
      @Nullable ProxyOptions proxy,
      int streams,
      TlsFiles tls,
      Handler<HttpConnection> connected) {
    return owner
        .vertx()
        .httpClientBuilder()
        .with(clientOptions(endpoint, options, tls).setProxyOptions(proxy))
        .with(poolOptions(options.maxConnections() + streams))
        .withConnectHandler(connected)
        .build();
  }

  static void connected(HttpConnection connection) {
    connection.exceptionHandler(HttpConventions.IGNORE);
    TcpKeepAlive.hasten(connection);
  }

  private static HttpClientOptions clientOptions(
      HttpEndpoint endpoint, HttpOptions options, TlsFiles tls) {
    int connectMillis = Math.toIntExact(Math.max(1, options.connectTimeout().toMillis()));
    HttpClientOptions client =
        new HttpClientOptions()
            .setConnectTimeout(connectMillis)
            .setTcpKeepAlive(true)
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setHttp2KeepAliveTimeout(HTTP2_KEEP_ALIVE_SECONDS)
            .setMaxHeaderSize(32 * 1024);
    if (endpoint.tls()) {
      client
          .setSsl(true)
          .setUseAlpn(true)
          .setProtocolVersion(HttpVersion.HTTP_2)
          .setSslHandshakeTimeout(connectMillis)
          .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
      tls.addTo(client);
    }
    return client;
  }

  private static PoolOptions poolOptions(int size) {
    // The same bound for HTTP/2, because the pool applies it also to a server that turns out to use
    // HTTP/1.1: with one connection the GET stream of such a server would block every call.
    return new PoolOptions()
        .setHttp1MaxSize(size)
        .setHttp2MaxSize(size)
        .setCleanerPeriod(CLEANER_MILLIS);
  }
}
