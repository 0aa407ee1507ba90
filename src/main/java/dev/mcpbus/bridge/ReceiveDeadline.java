package dev.mcpbus.bridge;

import dev.mcpbus.security.Hangup;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes connections whose client takes too long to send a whole request, or sends none. A client
 * that waits for an answer is never closed. Used on the bridge's context.
 */
final class ReceiveDeadline {

  /** For a client to read an early answer; closing at once may take it away from him. */
  private static final long LINGER_MILLIS = 500;

  private static final Set<HttpMethod> BODILESS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.DELETE, HttpMethod.OPTIONS);

  /** Of a connection that has all the time it wants. */
  private static final long NEVER = Long.MAX_VALUE;

  private static final long MIN_SWEEP_MILLIS = 5;
  private static final long MAX_SWEEP_MILLIS = 1_000;

  /** One connection. */
  private static final class Line {
    private long due = NEVER;
    private @Nullable HttpServerRequest latest;
    private final Set<HttpServerRequest> streams = new HashSet<>(2);
  }

  private final Vertx vertx;
  private final long millis;
  private final Map<HttpConnection, Line> lines = new HashMap<>();
  private long sweep = -1;

  ReceiveDeadline(Vertx vertx, Duration limit) {
    this.vertx = vertx;
    this.millis = limit.toMillis();
  }

  /**
   * @param gone told when the connection has ended
   */
  void connected(HttpConnection connection, Runnable gone) {
    Line line = new Line();
    lines.put(connection, line);
    connection.closeHandler(
        closed -> {
          lines.remove(connection);
          if (lines.isEmpty()) {
            vertx.cancelTimer(sweep);
            sweep = -1;
          }
          gone.run();
        });
    arm(line);
    if (sweep < 0) {
      // One for all: a timer per request would cost more than what it watches.
      long period = Math.max(MIN_SWEEP_MILLIS, Math.min(millis / 8, MAX_SWEEP_MILLIS));
      sweep = vertx.setPeriodic(period, now -> expire());
    }
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
    Line line = lines.get(request.connection());
    if (line == null) {
      over.run(); // its connection is gone already
      return;
    }
    boolean hasBody = hasBody(request);
    line.latest = request;
    if (hasBody) {
      arm(line);
    } else {
      line.due = NEVER;
    }
    request
        .response()
        .endHandler(
            ended -> {
              over.run();
              // A pipelined request may already be at work, and the connection not idle.
              if (line.latest == request) {
                line.latest = null;
                arm(line);
              }
              if (hasBody && !request.isEnded()) {
                vertx.setTimer(LINGER_MILLIS, fired -> closeUnlessEnded(request));
              }
            });
  }

  /** Of many requests on one connection each has its own time; idle is who has none. */
  private void multiplexed(HttpServerRequest request, Runnable over) {
    Line line = lines.computeIfAbsent(request.connection(), connection -> new Line());
    line.due = NEVER;
    line.streams.add(request);
    long timer =
        hasBody(request) || !BODILESS.contains(request.method())
            ? vertx.setTimer(millis, late -> resetUnlessEnded(request))
            : -1;
    request
        .response()
        .endHandler(
            ended -> {
              over.run();
              vertx.cancelTimer(timer);
              if (line.streams.remove(request) && line.streams.isEmpty()) {
                arm(line);
              }
            });
  }

  private static void resetUnlessEnded(HttpServerRequest request) {
    if (!request.isEnded()) {
      request.response().reset();
    }
  }

  /** The request is here in full: from now on it is us who take the time. */
  void received(HttpServerRequest request) {
    Line line = request.version() == HttpVersion.HTTP_2 ? null : lines.get(request.connection());
    if (line != null) {
      line.due = NEVER;
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

  private void arm(Line line) {
    line.due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** A close waits until the client has taken its answer; for that he has the same time again. */
  private void expire() {
    long now = System.nanoTime();
    List<HttpConnection> late = new ArrayList<>();
    lines.forEach(
        (connection, line) -> {
          if (line.due != NEVER && now - line.due >= 0) {
            line.due = NEVER;
            late.add(connection);
          }
        });
    late.forEach(this::close);
  }

  private void close(HttpConnection connection) {
    long last = vertx.setTimer(millis, late -> Hangup.on(connection));
    connection.close().onComplete(closed -> vertx.cancelTimer(last));
  }
}
