package dev.mcpbus.internals;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.impl.UnpooledHttpClientConnection;

/**
 * Opens an unpooled TCP connection for a long-lived stream. In the pool of the client, such a
 * stream would keep the whole pool in memory while no call needs a connection. With TLS it uses the
 * pool: over HTTP/2 the stream shares a connection with the calls.
 */
public final class DedicatedConnection {

  private DedicatedConnection() {}

  /**
   * A request on a new connection, which closes with the response, or with {@code client}. To be
   * called on the context that is to own both. Never throws: if the client is closed, it fails.
   *
   * @param get with host and port, to be reached without a proxy; with TLS it uses the pool
   * @param connected receives the new connection, with its socket
   */
  public static Future<HttpClientRequest> get(
      HttpClientAgent client, RequestOptions get, Handler<HttpConnection> connected) {
    if (Boolean.TRUE.equals(get.isSsl())) {
      return client.request(get);
    }
    HttpConnectOptions to =
        new HttpConnectOptions()
            .setProtocolVersion(HttpVersion.HTTP_1_1)
            .setServer(get.getServer())
            .setHost(get.getHost())
            .setPort(get.getPort())
            .setSsl(false);
    try {
      return client.connect(to).compose(connection -> request(connection, get, connected));
    } catch (IllegalStateException closed) {
      return Future.failedFuture(closed);
    }
  }

  private static Future<HttpClientRequest> request(
      HttpClientConnection connection, RequestOptions get, Handler<HttpConnection> connected) {
    // The keep-alive times that find a silent peer are set on the socket, which Vert.x hides.
    connected.handle(
        connection instanceof UnpooledHttpClientConnection unpooled
            ? unpooled.unwrap()
            : connection);
    return connection
        .request(get)
        .onSuccess(
            created ->
                created
                    .response()
                    .compose(HttpClientResponse::end)
                    .onComplete((ended, failure) -> connection.close()));
  }
}
