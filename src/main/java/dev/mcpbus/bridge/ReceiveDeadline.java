package dev.mcpbus.bridge;

import dev.mcpbus.internals.ForcedClose;
import dev.mcpbus.internals.InboundConnection;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Closes connections whose client takes too long to send a whole request, or sends none. It never
 * closes a connection whose client waits for a response. Used on the bridge's context.
 */
final class ReceiveDeadline {

  /** Time for a client to read an early response: a close at once may discard it. */
  private static final long LINGER_MILLIS = 500;

  private static final String CLOSE = "close";

  private static final Set<HttpMethod> BODILESS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.DELETE, HttpMethod.OPTIONS);

  private static final long MIN_SWEEP_MILLIS = 5;
  private static final long MAX_SWEEP_MILLIS = 1_000;

  private final Vertx vertx;
  private final long millis;
  private final long nanos;
  private final Map<InboundConnection, HttpConnection> connections = new HashMap<>();
  private long sweep = -1;

  ReceiveDeadline(Vertx vertx, Duration limit) {
    this.vertx = vertx;
    this.millis = limit.toMillis();
    this.nanos = limit.toNanos();
  }

  /** Watches a connection until its channel has ended. */
  void connected(InboundConnection connection, HttpConnection http) {
    connections.put(connection, http);
    connection.onEnd(() -> ended(connection));
    awaitClient(connection, false);
    if (sweep < 0) {
      // One timer for all connections: one for each request costs more than the request.
      long period = Math.max(MIN_SWEEP_MILLIS, Math.min(millis / 8, MAX_SWEEP_MILLIS));
      sweep = vertx.setPeriodic(period, now -> expire());
    }
  }

  private void ended(InboundConnection connection) {
    connections.remove(connection);
    if (connections.isEmpty()) {
      vertx.cancelTimer(sweep);
      sweep = -1;
    }
    connection.closed();
  }

  /**
   * Notes that the head of a request has arrived; a request without a body is complete.
   *
   * @param over runs when the response has ended, or when its client has gone
   * @return false if the request must not be served: its connection ends with the response before
   */
  boolean requested(HttpServerRequest request, Runnable over) {
    InboundConnection connection = InboundConnection.of(request.connection());
    if (connection == null || connection.isEnding()) {
      over.run();
      request.connection().close();
      return false;
    }
    connection.begin(request, over);
    HttpServerResponse response = request.response();
    if (request.version() == HttpVersion.HTTP_2) {
      multiplexed(connection, request);
      return true;
    }
    boolean hasBody = hasBody(request);
    if (hasBody) {
      awaitClient(connection, true);
    }
    response.headersEndHandler(
        head -> {
          if (CLOSE.equals(response.headers().get(HttpHeaders.CONNECTION))) {
            connection.ending();
          }
        });
    response.endHandler(
        ended -> {
          answered(connection, request);
          if (hasBody && !request.isEnded()) {
            vertx.setTimer(LINGER_MILLIS, fired -> closeUnlessEnded(connection, request));
          } else if (connection.isEnding()) {
            request.connection().close();
          }
        });
    return true;
  }

  /**
   * HTTP/2: each request of a connection has its own timer; the connection is idle without
   * requests.
   */
  private void multiplexed(InboundConnection connection, HttpServerRequest request) {
    long timer =
        hasBody(request) || !BODILESS.contains(request.method())
            ? vertx.setTimer(millis, late -> resetUnlessEnded(request))
            : -1;
    HttpServerResponse response = request.response();
    response.endHandler(
        ended -> {
          vertx.cancelTimer(timer);
          answered(connection, request);
          connection.untaken(request, System.nanoTime() + 2 * nanos);
        });
    // A stream that the client has reset has no end.
    response.closeHandler(
        closed -> {
          vertx.cancelTimer(timer);
          answered(connection, request);
        });
  }

  private void answered(InboundConnection connection, HttpServerRequest request) {
    // With a pipelined request the connection is not idle.
    if (connection.end(request) && connection.isIdle()) {
      awaitClient(connection, false);
    }
  }

  private static void resetUnlessEnded(HttpServerRequest request) {
    if (!request.isEnded()) {
      request.response().reset();
    }
  }

  /** The whole request has arrived: from now on the bridge takes the time, not the client. */
  void received(HttpServerRequest request) {
    InboundConnection connection = InboundConnection.of(request.connection());
    if (connection != null && request.version() != HttpVersion.HTTP_2) {
      connection.works();
    }
  }

  /**
   * After a response before the end of the body: closes the connection of a client that still
   * sends.
   */
  private static void closeUnlessEnded(InboundConnection connection, HttpServerRequest request) {
    if (!request.isEnded() || connection.isEnding()) {
      request.connection().close();
    }
  }

  static boolean hasBody(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        || (length != null && !length.equals("0"));
  }

  private void awaitClient(InboundConnection connection, boolean midway) {
    connection.waits(System.nanoTime(), nanos, midway);
  }

  /**
   * Closes late connections. A close waits until the client has read its response, for which it has
   * the same time again.
   */
  private void expire() {
    long now = System.nanoTime();
    connections.keySet().forEach(each -> each.resetUntaken(now));
    List<InboundConnection> late =
        connections.keySet().stream().filter(each -> each.isLate(now)).toList();
    late.forEach(this::close);
  }

  private void close(InboundConnection connection) {
    HttpConnection http = connections.get(connection);
    if (http != null) {
      connection.works(); // so that the next sweep does not close it again
      long last = vertx.setTimer(millis, late -> ForcedClose.on(connection));
      http.close().onComplete(closed -> vertx.cancelTimer(last));
    }
  }
}
