package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many connections may be open. A few more are let in to be told so, with 503; beyond those a
 * connection is closed unheard. Used on the bridge's context.
 */
final class ConnectionCap {

  private static final int TOLD = 64;
  private static final long RETRY_AFTER_MILLIS = 1_000;

  private static final long LINGER_MILLIS = 500;

  private final Vertx vertx;
  private final int max;
  private final AtomicInteger open;
  private final Set<HttpConnection> surplus = new HashSet<>();

  /**
   * @param open how many there are, at all HTTP verticles together
   */
  ConnectionCap(Vertx vertx, int max, AtomicInteger open) {
    this.vertx = vertx;
    this.max = max;
    this.open = open;
  }

  void opened(HttpConnection connection) {
    int now = open.incrementAndGet();
    if (now > max + TOLD) {
      connection.close();
    } else if (now > max) {
      surplus.add(connection);
    }
  }

  void closed(HttpConnection connection) {
    open.decrementAndGet();
    surplus.remove(connection);
  }

  /** False where the request has been answered: its connection is one too many. */
  boolean admits(HttpServerRequest request) {
    if (!surplus.contains(request.connection())) {
      return true;
    }
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader("Connection", "close");
    }
    Problem.send(
        request.response(),
        new McpFailure(
            FailureCode.OVERLOADED,
            McpFailure.Sent.NO,
            max + " connections are open already; close one, or raise bridge.maxConnections",
            RETRY_AFTER_MILLIS,
            null));
    // Not at once: that may take the answer away from a client that is still sending.
    vertx.setTimer(LINGER_MILLIS, told -> request.connection().close());
    return false;
  }
}
