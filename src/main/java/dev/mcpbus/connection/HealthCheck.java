package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The health check of a ready session, in two depths. Every ping interval it sends {@code ping} (or
 * {@code server/discover}), unless the server has sent something meanwhile. Every health interval,
 * busy or not, it sends the same request, checks the answer against the protocol, and lists the
 * tools again. {@link ConnectionStateHolder} takes the results. Owner: the connection's context.
 */
final class HealthCheck {

  /**
   * A failed check.
   *
   * @param check the method
   * @param failures how many failed in a row, this one included
   */
  record FailedCheck(String check, int failures, McpFailure reason) {

    JsonObject toJson() {
      return new JsonObject()
          .put("check", check)
          .put("failures", failures)
          .put("code", reason.code().name())
          .put("message", reason.getMessage());
    }
  }

  /** Takes the result of each check. */
  interface HealthListener {
    void healthy();

    /** The server did not answer in time, or its answer breaks the protocol. */
    void unhealthy(FailedCheck failure);

    /** The server answers, but does not list its tools; the connection stays in its state. */
    void unlisted(FailedCheck failure);
  }

  private final Timers timers;
  private final HealthListener listener;
  private final Duration timeout;
  private final long pingInterval;
  private final long healthInterval;

  private @Nullable Session session;
  private @Nullable Supplier<? extends Future<?>> list;
  private long timer = -1;
  private long nextPing;
  private long nextHealth;
  private int failures;
  private int listFailures;
  private boolean listing;

  /** The server has answered a ping of this session with a result. */
  private boolean pinged;

  /** The error with which a server that lists its tools refuses ping; null where none is known. */
  private @Nullable String refusal;

  /** The server leaves pings without an answer, and lists its tools. */
  private boolean silent;

  HealthCheck(Timers timers, ConnectionOptions options, HealthListener listener) {
    this.timers = timers;
    this.listener = listener;
    this.timeout = options.pingTimeout();
    this.pingInterval = options.pingInterval().toMillis();
    this.healthInterval = options.healthInterval().toMillis();
  }

  /**
   * Begins the checks of a session.
   *
   * @param tools lists the tools and compares them; null where the server has none
   */
  void start(Session of, @Nullable Supplier<? extends Future<?>> tools) {
    stop();
    session = of;
    list = tools;
    long now = of.clock().millis();
    nextPing = after(now, pingInterval);
    nextHealth = after(now, healthInterval);
    arm(of);
  }

  void stop() {
    if (timer >= 0) {
      timers.cancel(timer);
    }
    timer = -1;
    session = null;
    list = null;
    failures = 0;
    listFailures = 0;
    listing = false;
    pinged = false;
    refusal = null;
    silent = false;
  }

  private static long after(long now, long interval) {
    return interval == 0 ? Long.MAX_VALUE : now + interval;
  }

  private void arm(Session of) {
    long due = Math.min(nextPing, nextHealth);
    if (due != Long.MAX_VALUE) {
      timer = timers.set(Math.max(1, due - of.clock().millis()), () -> check(of));
    }
  }

  private void check(Session of) {
    timer = -1;
    long now = of.clock().millis();
    boolean whole = now >= nextHealth;
    if (!whole && failures == 0 && now - of.lastReceived() < pingInterval) {
      nextPing = after(of.lastReceived(), pingInterval);
      arm(of);
      return;
    }
    (silent
            ? of.request(Methods.TOOLS_LIST, null, timeout).<Void>mapEmpty()
            : of.request(of.era().pingMethod(), null, timeout)
                .compose(answer -> checked(of, answer))
                .onSuccess(answer -> pinged = true)
                .recover(failure -> unlessItLists(of, failure)))
        .onComplete(
            answer -> {
              if (session == of) {
                concluded(of, whole, answer.cause());
              }
            });
  }

  private static Future<Void> checked(Session of, RawJson answer) {
    String wrong = of.era().wrong(answer);
    return wrong == null
        ? Future.succeededFuture()
        : broken(McpFailure.maybeSent(FailureCode.PROTOCOL_ERROR, wrong));
  }

  private static Future<Void> broken(Throwable failure) {
    return Future.failedFuture(failure);
  }

  /**
   * A ping without a result: some servers do not know {@code ping}, and a server that has lost the
   * session refuses everything with the same error. So the list of tools counts, unless the server
   * has no tools, or is known to refuse ping in these words.
   */
  private Future<Void> unlessItLists(Session of, Throwable failure) {
    boolean refused = isAnswer(of, failure);
    if (!of.era().pingMethod().equals(Methods.PING) || (pinged && !refused)) {
      return broken(failure);
    }
    String said = String.valueOf(failure.getMessage());
    if (list == null ? refused && !pinged : said.equals(refusal)) {
      return Future.succeededFuture();
    }
    return list == null
        ? broken(failure)
        : of.request(Methods.TOOLS_LIST, null, timeout)
            .compose(
                listed -> {
                  refusal = refused ? said : refusal;
                  silent = !refused && of.quirks().tolerates(Quirk.SILENT_ON_PING);
                  return refused || silent ? Future.succeededFuture() : broken(failure);
                },
                unlisted -> broken(failure));
  }

  /** The server has answered the ping with an error. */
  private static boolean isAnswer(Session of, Throwable failure) {
    return of.era().pingMethod().equals(Methods.PING)
        && failure instanceof McpFailure mcp
        && mcp.code() == FailureCode.UPSTREAM_ERROR;
  }

  private void concluded(Session of, boolean whole, @Nullable Throwable failure) {
    long now = of.clock().millis();
    nextPing = after(now, pingInterval);
    if (whole) {
      nextHealth = after(now, healthInterval);
    }
    if (failure == null) {
      failures = 0;
      listener.healthy();
      if (whole) {
        compare(of);
      }
    } else {
      failures++;
      McpFailure reason = McpFailure.of(failure);
      listener.unhealthy(new FailedCheck(of.era().pingMethod(), failures, reason));
    }
    if (session == of) { // else the listener has ended the session
      arm(of);
    }
  }

  /** Lists the tools, once at a time; the pings go on meanwhile. */
  private void compare(Session of) {
    if (list == null || listing) {
      return;
    }
    listing = true;
    list.get()
        .onComplete(
            listed -> {
              if (session != of) {
                return;
              }
              listing = false;
              if (listed.succeeded()) {
                listFailures = 0;
              } else {
                listFailures++;
                McpFailure reason = McpFailure.of(listed.cause());
                listener.unlisted(new FailedCheck(Methods.TOOLS_LIST, listFailures, reason));
              }
            });
  }
}
