package dev.mcpbus.bridge;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Closes connections whose client takes too long to send a whole request, or sends none. A client
 * that waits for an answer is never closed. Used on the bridge's context.
 */
final class ReceiveDeadline {

  private final Vertx vertx;
  private final long millis;
  private final Map<HttpConnection, Long> timers = new HashMap<>();

  ReceiveDeadline(Vertx vertx, Duration limit) {
    this.vertx = vertx;
    this.millis = limit.toMillis();
  }

  void connected(HttpConnection connection) {
    connection.closeHandler(closed -> disarm(connection));
    arm(connection);
  }

  /** A request's head is here; one without a body is complete. */
  void requested(HttpServerRequest request) {
    request.response().endHandler(ended -> arm(request.connection()));
    if (!hasBody(request)) {
      disarm(request.connection());
    }
  }

  /** The request is here in full: from now on it is us who take the time. */
  void received(HttpServerRequest request) {
    disarm(request.connection());
  }

  private static boolean hasBody(HttpServerRequest request) {
    String length = request.getHeader("Content-Length");
    return request.headers().contains("Transfer-Encoding")
        || (length != null && !length.equals("0"));
  }

  private void arm(HttpConnection connection) {
    disarm(connection);
    timers.put(connection, vertx.setTimer(millis, fired -> expire(connection)));
  }

  private void disarm(HttpConnection connection) {
    Long timer = timers.remove(connection);
    if (timer != null) {
      vertx.cancelTimer(timer);
    }
  }

  private void expire(HttpConnection connection) {
    timers.remove(connection);
    connection.close();
  }
}
