package dev.mcpbus.internals;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.impl.CleanableHttpClient;
import io.vertx.core.http.impl.HttpChannelConnector;
import io.vertx.core.http.impl.HttpClientBase;
import io.vertx.core.http.impl.HttpClientConnectionInternal;
import io.vertx.core.http.impl.UnpooledHttpClientConnection;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.metrics.ClientMetrics;
import io.vertx.core.spi.metrics.HttpClientMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Opens an unpooled TCP connection for a long-lived stream. In the pool of the client, such a
 * stream would keep the whole pool in memory while no call needs a connection. {@code
 * HttpClient.connect} gives unpooled connections too, but hides the socket, and with it the
 * keep-alive times that find a silent peer; so this class does what that method does. With TLS or a
 * proxy it uses the pool: over HTTP/2 the stream shares a connection with the calls.
 */
public final class DedicatedConnection {

  private DedicatedConnection() {}

  /**
   * A request on a new connection, which closes with the response, or with {@code client}.
   *
   * @param get with host, port and server; with TLS or a proxy it uses the pool
   * @param connected receives the new connection
   */
  public static Future<HttpClientRequest> get(
      InternalContext owner,
      HttpClientAgent client,
      RequestOptions get,
      Handler<HttpConnection> connected) {
    if (Boolean.TRUE.equals(get.isSsl())
        || !(client instanceof CleanableHttpClient cleanable)
        || !(cleanable.delegate instanceof HttpClientBase base)
        || base.options().getProxyOptions() != null) {
      return client.request(get);
    }
    SocketAddress server = (SocketAddress) get.getServer();
    return new HttpChannelConnector(
            base,
            base.netClient(),
            null,
            null,
            metrics(base, server),
            HttpVersion.HTTP_1_1,
            false,
            false,
            HostAndPort.create(get.getHost(), get.getPort()),
            server,
            false,
            0)
        .httpConnect(owner.internal())
        .compose(connection -> request(owner, connection, get, connected));
  }

  private static @Nullable ClientMetrics<?, ?, ?> metrics(
      HttpClientBase client, SocketAddress server) {
    return client.getMetrics() instanceof HttpClientMetrics<?, ?, ?> metrics
        ? metrics.createEndpointMetrics(server, 1)
        : null;
  }

  private static Future<HttpClientRequest> request(
      InternalContext owner,
      HttpClientConnectionInternal connection,
      RequestOptions get,
      Handler<HttpConnection> connected) {
    connected.handle(connection);
    connection.evictionHandler(evicted -> {});
    Future<HttpClientRequest> request =
        new UnpooledHttpClientConnection(connection).request(owner.internal(), get);
    return request.onSuccess(
        created ->
            created
                .response()
                .compose(HttpClientResponse::end)
                .onComplete((ended, failure) -> connection.close()));
  }
}
