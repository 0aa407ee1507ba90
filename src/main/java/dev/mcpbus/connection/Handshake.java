package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.ServerDescription;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Opens a session and finds the server's era on the way (MCP 2026-07-28, Versioning: Backward
 * Compatibility).
 *
 * <p>A pinned or remembered era is used as it is. Otherwise {@code server/discover} is tried first:
 * its result, or an error of the modern range, shows a modern server; any other answer shows a
 * legacy one, which gets {@code initialize} over the same channel. A child that silence says
 * nothing about gets both, and whichever it answers first counts. A child that exits on the probe
 * gets a new process. Owner: the connection's context.
 */
final class Handshake {

  /** A session that is open. */
  record Opened(Session session, ServerDescription server) {}

  private final ConnectionOptions options;
  private final ConnectionStateHolder memory;
  private final Function<SessionEra, Session> sessions;
  private final SessionEra initialize;
  private final SessionEra discover;
  private boolean abandoned;

  /**
   * @param sessions makes a new session; the one made last is the one that counts
   */
  Handshake(
      ConnectionOptions options,
      ConnectionStateHolder memory,
      Function<SessionEra, Session> sessions,
      SessionEra initialize,
      SessionEra discover) {
    this.options = options;
    this.memory = memory;
    this.sessions = sessions;
    this.initialize = initialize;
    this.discover = discover;
  }

  /**
   * Opens, within the handshake time-out.
   *
   * @return fails with a {@code McpFailure} that was not sent; closing the session that was made
   *     last is the caller's
   */
  Future<Opened> open() {
    Era known = known();
    if (known == Era.INITIALIZE) {
      return fresh(initialize).onFailure(this::doubt);
    }
    Session session = sessions.apply(discover);
    return session
        .connect()
        .compose(connected -> known == Era.DISCOVER ? useEra(session, discover) : probe(session))
        .onSuccess(opened -> memory.foundEra(opened.session().era().era()))
        .onFailure(this::doubt);
  }

  /** Nobody waits any more: no further session is made. */
  void abandon() {
    abandoned = true;
  }

  private @Nullable Era known() {
    ProtocolVersion pinned = options.protocolVersion();
    return pinned == null ? memory.era() : pinned.era();
  }

  /** What was remembered may be the reason of the failure. */
  private void doubt(Throwable failure) {
    memory.forgetEra();
  }

  private Future<Opened> fresh(SessionEra era) {
    if (abandoned) {
      return Future.failedFuture(
          McpFailure.notSent(FailureCode.UNAVAILABLE, "closed while it was opening"));
    }
    Session session = sessions.apply(era);
    return session
        .connect()
        .compose(connected -> useEra(session, era))
        .onSuccess(opened -> memory.foundEra(era.era()));
  }

  private static Future<Opened> useEra(Session session, SessionEra era) {
    session.useEra(era);
    return era.open(session).map(server -> new Opened(session, server));
  }

  private Future<Opened> probe(Session session) {
    if (session.hasRequestStreams()) {
      return useEra(session, discover).recover(failure -> afterwards(session, failure));
    }
    Promise<Opened> first = Promise.promise();
    Future<Opened> modern = useEra(session, discover);
    long timer =
        session
            .vertx()
            .setTimer(options.probeTimeout().toMillis(), silent -> both(session, modern, first));
    modern.onComplete(
        answer -> {
          if (session.vertx().cancelTimer(timer)) {
            Future<Opened> next =
                answer.succeeded()
                    ? Future.succeededFuture(answer.result())
                    : afterwards(session, answer.cause());
            next.onComplete(first);
          }
        });
    return first.future();
  }

  /** No answer yet: the server may be legacy, or still starting. */
  private void both(Session session, Future<Opened> modern, Promise<Opened> first) {
    session.useEra(initialize);
    Future<Opened> legacy = initialize.open(session).map(server -> new Opened(session, server));
    legacy.onSuccess(first::tryComplete);
    modern.onSuccess(
        opened -> {
          session.useEra(discover);
          first.tryComplete(opened);
        });
    Future.join(legacy.otherwiseEmpty(), modern.otherwiseEmpty())
        .onComplete(
            ended -> {
              Throwable cause = legacy.failed() ? legacy.cause() : modern.cause();
              if (cause != null) {
                first.tryFail(cause);
              }
            });
  }

  /** In the next turn, as a channel that ends fails its requests before it says that it ended. */
  private Future<Opened> afterwards(Session session, Throwable failure) {
    Promise<Opened> next = Promise.promise();
    session.vertx().runOnContext(turn -> legacy(session, failure).onComplete(next));
    return next.future();
  }

  private Future<Opened> legacy(Session session, Throwable failure) {
    if (session.isOver()) {
      return session.close().transform(closed -> fresh(initialize));
    }
    return isLegacy(session, failure) ? useEra(session, initialize) : Future.failedFuture(failure);
  }

  private static boolean isLegacy(Session session, Throwable failure) {
    McpFailure probe = McpFailure.of(failure);
    JsonObject error = ConnectionFailures.upstreamError(probe);
    if (error != null) {
      return !new JsonRpcError(error.getInteger("code", 0), "", null).isModern();
    }
    return switch (probe.code()) {
      case UNSUPPORTED_VERSION -> speaksInitialize(probe.data().getJsonArray("supported"));
      case CALL_TIMEOUT -> !session.hasRequestStreams();
      case TLS_ERROR, AUTH_REQUIRED, FORBIDDEN, RATE_LIMITED, START_FAILED, LOOP_DETECTED -> false;
      default -> true;
    };
  }

  private static boolean speaksInitialize(@Nullable JsonArray versions) {
    return versions != null
        && versions.stream()
            .anyMatch(
                text ->
                    ProtocolVersion.ofWire(String.valueOf(text))
                        .filter(version -> version.era() == Era.INITIALIZE)
                        .isPresent());
  }

  /** The other era's opening was answered first: this answer changes nothing any more. */
  static McpFailure late() {
    return McpFailure.notSent(
        FailureCode.HANDSHAKE_FAILED, "the handshake was over before this answer came");
  }

  /** A failure where nothing answered in time. */
  static McpFailure timedOut(ConnectionOptions options) {
    return McpFailure.notSent(
        FailureCode.HANDSHAKE_TIMEOUT,
        "no answer to the handshake within " + options.handshakeTimeout().toMillis() + " ms");
  }
}
