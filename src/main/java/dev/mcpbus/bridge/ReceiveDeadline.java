package dev.mcpbus.bridge;

import dev.mcpbus.security.Hangup;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Closes connections whose client takes too long to send a whole request, or sends none. A client
 * that waits for an answer is never closed. Used on the bridge's context.
 */
final class ReceiveDeadline {

  /** For a client to read an early answer; closing at once may take it away from him. */
  private static final long LINGER_MILLIS = 500;

  private static final Set<HttpMethod> BODILESS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.DELETE, HttpMethod.OPTIONS);

  private final Vertx vertx;
  private final long millis;
  private final Map<HttpConnection, Long> timers = new HashMap<>();
  private final Map<HttpConnection, HttpServerRequest> latest = new HashMap<>();
  private final Map<HttpConnection, Set<HttpServerRequest>> streams = new HashMap<>();

  ReceiveDeadline(Vertx vertx, Duration limit) {
    this.vertx = vertx;
    this.millis = limit.toMillis();
  }

  /**
   * @param gone told when the connection has ended
   */
  void connected(HttpConnection connection, Runnable gone) {
    connection.closeHandler(
        closed -> {
          latest.remove(connection);
          streams.remove(connection);
          disarm(connection);
          gone.run();
        });
    arm(connection);
  }

  /**
   * A request's head is here; one without a body is complete.
   *
   * @param over runs when its response has ended, or can reach nobody
   */
  void requested(HttpServerRequest request, Runnable over) {
    if (request.version() == HttpVersion.HTTP_2) {
      multiplexed(request, over);
      return;
    }
    HttpConnection connection = request.connection();
    boolean hasBody = hasBody(request);
    latest.put(connection, request);
    if (hasBody) {
      arm(connection);
    } else {
      disarm(connection);
    }
    request
        .response()
        .endHandler(
            ended -> {
              over.run();
              // A pipelined request may already be at work, and the connection not idle.
              if (latest.remove(connection, request)) {
                arm(connection);
              }
              if (hasBody && !request.isEnded()) {
                vertx.setTimer(LINGER_MILLIS, fired -> closeUnlessEnded(request));
              }
            });
  }

  /** Of many requests on one connection each has its own time; idle is who has none. */
  private void multiplexed(HttpServerRequest request, Runnable over) {
    HttpConnection connection = request.connection();
    disarm(connection);
    streams.computeIfAbsent(connection, first -> new HashSet<>()).add(request);
    long timer =
        hasBody(request) || !BODILESS.contains(request.method())
            ? vertx.setTimer(millis, late -> resetUnlessEnded(request))
            : -1;
    request
        .response()
        .endHandler(
            ended -> {
              over.run();
              left(request, timer);
            });
  }

  private void left(HttpServerRequest request, long timer) {
    vertx.cancelTimer(timer);
    Set<HttpServerRequest> open = streams.get(request.connection());
    if (open != null && open.remove(request) && open.isEmpty()) {
      arm(request.connection());
    }
  }

  private static void resetUnlessEnded(HttpServerRequest request) {
    if (!request.isEnded()) {
      request.response().reset();
    }
  }

  /** The request is here in full: from now on it is us who take the time. */
  void received(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) {
      disarm(request.connection());
    }
  }

  /** Answered before its body was there: whoever goes on sending is cut off. */
  private static void closeUnlessEnded(HttpServerRequest request) {
    if (!request.isEnded()) {
      request.connection().close();
    }
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

  /** A close waits until the client has taken its answer; for that he has the same time again. */
  private void expire(HttpConnection connection) {
    timers.remove(connection);
    long last = vertx.setTimer(millis, late -> Hangup.on(connection));
    connection.close().onComplete(closed -> vertx.cancelTimer(last));
  }
}
