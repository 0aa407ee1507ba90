package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ConnectionSpec;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.ConnectionFailures;
import dev.mcpbus.connection.session.DiscoverEra;
import dev.mcpbus.connection.session.InitializeEra;
import dev.mcpbus.connection.session.ListenSubscription;
import dev.mcpbus.connection.session.OpenSession;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.SessionEra;
import dev.mcpbus.connection.session.SessionListener;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to open a session. It finds the era of the server on the way. The methods stand in
 * the order of the steps:
 *
 * <ol>
 *   <li>{@link #open}: an era that is pinned, or that the last session used, is used without a
 *       probe: "Clients SHOULD cache the result [...] re-probing if the cached assumption later
 *       fails."
 *   <li>{@code probe}: otherwise the handshake sends {@code server/discover}: "a recognized modern
 *       JSON-RPC error [...] identifies a modern server [...]. Anything else identifies a legacy
 *       server."
 *   <li>{@code both}: a server that does not answer may speak {@code initialize} only, or may still
 *       be starting. It gets {@code initialize} as well, and its first answer counts. A server that
 *       answers both speaks {@code initialize} on that channel from then on, so it gets a new one
 *       and {@code server/discover} alone. Over HTTP the answers of one moment have no order, so
 *       that of {@code server/discover} has a little longer; a server that stays silent is
 *       remembered, so that the next start does not probe it.
 *   <li>{@code fallBack}: a server of the {@code initialize} era gets {@code initialize} over the
 *       same channel.
 *   <li>{@code again}: a child that exited on the probe, or on both, gets a new process and {@code
 *       initialize}. If that fails as well, the next handshake begins with {@code initialize}, and
 *       the one after it with the probe: the child may have exited for reasons of its own.
 * </ol>
 *
 * <p>The sentences are of MCP 2026-07-28, Versioning and Compatibility, Backward Compatibility with
 * Initialization-Based Versions. Owner: the connection's context.
 */
final class Handshake {

  private static final long MOMENT_MILLIS = 300;

  private static final String CLIENT_INFO = "clientInfo";

  private final ConnectionSpec spec;
  private final ConnectionOptions options;
  private final Context context;
  private final Vertx vertx;
  private final Clock clock;
  private final ConnectionStateHolder connection;
  private final SessionPreferences preferences;
  private final SessionListener listener;
  private final SessionEra initialize;
  private final SessionEra discover;

  /** What the next handshake begins with if this one fails; set when the probe ends a channel. */
  private @Nullable Era afterExit;

  /**
   * @param connection takes each session that the handshake tries, and the era that it finds
   */
  Handshake(
      ConnectionSpec spec,
      Context context,
      Clock clock,
      ConnectionStateHolder connection,
      SessionPreferences preferences,
      SessionListener listener) {
    this.spec = spec;
    this.options = spec.options();
    this.context = context;
    this.vertx = context.owner();
    this.clock = clock;
    this.connection = connection;
    this.preferences = preferences;
    this.listener = listener;
    PrivateConnection own = spec.privateConnection();
    RawJson stated =
        own == null || own.principal() != null ? RawJson.EMPTY_OBJECT : own.initialize();
    RawJson given = stated.member(CLIENT_INFO);
    RawJson clientInfo =
        given == null || !given.isObject() ? RawJson.of(spec.clientInfo().toJson()) : given;
    ProtocolVersion wanted = own == null ? null : own.version();
    this.initialize =
        new InitializeEra(
            stated.with(CLIENT_INFO, clientInfo),
            own == null ? null : own.initialized(),
            preferences,
            options.protocolVersion(),
            wanted == null ? ProtocolVersion.LATEST_INITIALIZE : wanted);
    this.discover = new DiscoverEra(clientInfo, preferences);
  }

  /**
   * Opens a session, within the handshake time-out.
   *
   * @return fails with a {@code McpFailure} that was not sent, or with a {@code
   *     TransportException}; closing the connection's session is the caller's then
   */
  Future<OpenSession> open() {
    ProtocolVersion pinned = options.protocolVersion();
    Era known = pinned == null ? connection.era() : pinned.era();
    SessionEra first = known == Era.INITIALIZE ? initialize : discover;
    Session session = newSession(first);
    return inTime(
            session
                .connect()
                .compose(connected -> known == null ? probe(session) : speak(session, first)))
        .onSuccess(opened -> connection.foundEra(opened.session().era().era()))
        .onFailure(failure -> connection.forgetEra(afterExit)); // the cached era may be the reason
  }

  private Session newSession(SessionEra era) {
    Session session =
        new Session(
            context,
            spec.transport(),
            era,
            options,
            clock,
            connection.rpcLog().tap(),
            connection.telemetry(),
            listener);
    connection.tries(session);
    return session;
  }

  private Future<OpenSession> speak(Session session, SessionEra era) {
    session.useEra(era);
    return era.open(session)
        .map(
            server ->
                new OpenSession(
                    session,
                    server,
                    new ListenSubscription(session, preferences, server.capabilities())));
  }

  /** Sends {@code server/discover}. */
  private Future<OpenSession> probe(Session session) {
    Future<OpenSession> discovered = speak(session, discover);
    Promise<OpenSession> first = Promise.promise();
    long timer =
        vertx.setTimer(
            options.probeTimeout().toMillis(),
            silent -> both(session, discovered).onComplete(first));
    discovered.onComplete(
        answer -> {
          if (vertx.cancelTimer(timer)) {
            discovered.recover(failure -> fallBack(session, failure)).onComplete(first);
          }
        });
    return first.future();
  }

  /** The probe has no answer yet: sends {@code initialize} as well, and takes the first answer. */
  private Future<OpenSession> both(Session session, Future<OpenSession> discovered) {
    Future<OpenSession> initialized = speak(session, initialize);
    Future<OpenSession> probed =
        discovered.compose(opened -> unlessInitialized(session, opened, initialized));
    Future<OpenSession> first =
        initialized.compose(
            opened ->
                discovered.succeeded()
                    ? probed
                    : session.hasRequestStreams()
                        ? unlessDiscovered(session, opened, discovered)
                        : Future.succeededFuture(opened));
    return Future.any(first, probed)
        .map(any -> any.succeeded(0) ? first.result() : probed.result())
        .recover(failed -> unlessExited(session, () -> initialized));
  }

  /**
   * The server has answered the probe, and its answer to the other request is due: it keeps the
   * channel unless that answer begins a session of the older era.
   *
   * @param other the answer to {@code initialize}
   */
  private Future<OpenSession> unlessInitialized(
      Session session, OpenSession discovered, Future<OpenSession> other) {
    Promise<Boolean> began = Promise.promise();
    long timer =
        vertx.setTimer(options.probeTimeout().toMillis(), silent -> began.tryComplete(false));
    other.onComplete(answer -> began.tryComplete(answer.succeeded() || isLate(answer.cause())));
    return began
        .future()
        .compose(
            older -> {
              vertx.cancelTimer(timer);
              if (older) {
                return session.close().transform(closed -> afresh(session, discover));
              }
              session.useEra(discover);
              session.forget(Methods.INITIALIZE);
              return Future.succeededFuture(discovered);
            });
  }

  /**
   * The server has answered as one of the older era: it keeps the session unless the answer to the
   * probe comes in the next moment.
   */
  private Future<OpenSession> unlessDiscovered(
      Session session, OpenSession initialized, Future<OpenSession> probe) {
    Promise<Boolean> answered = Promise.promise();
    long timer = vertx.setTimer(MOMENT_MILLIS, silent -> answered.tryComplete(false));
    probe.onComplete(answer -> answered.tryComplete(true));
    return answered
        .future()
        .compose(
            any -> {
              vertx.cancelTimer(timer);
              if (probe.failed() && isLate(probe.cause())) {
                return session.close().transform(closed -> afresh(session, discover));
              }
              if (!any) {
                session.forget(Methods.DISCOVER);
                session.quirks().tolerates(Quirk.SILENT_ON_PROBE);
                connection.keepEra();
              }
              return Future.succeededFuture(initialized);
            });
  }

  /** Whether {@code initialize} has a result, which came after that of the probe. */
  private static boolean isLate(Throwable failure) {
    return McpFailure.of(failure).code() == FailureCode.HANDSHAKE_FAILED;
  }

  /** The probe has failed: the same channel gets {@code initialize}, if that can help. */
  private Future<OpenSession> fallBack(Session session, Throwable failure) {
    return unlessExited(
        session,
        () ->
            needsInitialize(session, failure)
                ? speak(session, initialize)
                : Future.failedFuture(failure));
  }

  /**
   * Goes on with {@code otherwise}, or with a new channel if the probe ended this one. Decides in
   * the next turn of the event loop: a channel that ends fails its requests before it reports its
   * end.
   */
  private Future<OpenSession> unlessExited(
      Session session, Supplier<Future<OpenSession>> otherwise) {
    Promise<OpenSession> next = Promise.promise();
    vertx.runOnContext(
        turn ->
            (session.isOver()
                    ? session.close().transform(closed -> again(session))
                    : otherwise.get())
                .onComplete(next));
    return next.future();
  }

  /** The probe ended the channel: opens a new one and sends {@code initialize} at once. */
  private Future<OpenSession> again(Session over) {
    if (connection.session() == over) {
      afterExit = Era.INITIALIZE;
    }
    return afresh(over, initialize);
  }

  /** Opens a new channel in place of that of {@code over}, and speaks one era alone. */
  private Future<OpenSession> afresh(Session over, SessionEra era) {
    if (connection.session() != over) {
      return ConnectionFailures.closedWhileOpening();
    }
    Session session = newSession(era);
    return session.connect().compose(connected -> speak(session, era));
  }

  private static boolean needsInitialize(Session session, Throwable failure) {
    McpFailure probe = McpFailure.of(failure);
    JsonObject error = ConnectionFailures.upstreamError(probe);
    if (error != null) {
      return !new JsonRpcError(error.getInteger("code", 0), "", null).isInModernRange();
    }
    return switch (probe.code()) {
      case UNSUPPORTED_VERSION -> speaksInitialize(probe.data().getJsonArray("supported"));
      case CALL_TIMEOUT -> !session.hasRequestStreams();
      case TLS_ERROR, AUTH_REQUIRED, RATE_LIMITED, START_FAILED, LOOP_DETECTED -> false;
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

  private Future<OpenSession> inTime(Future<OpenSession> attempt) {
    Promise<OpenSession> first = Promise.promise();
    HandshakeTimer timer =
        new HandshakeTimer(
            Timers.of(vertx),
            clock,
            options,
            spec.transport().installer() != null,
            this::isInstalling,
            installing -> first.tryFail(timedOut(installing)));
    attempt.onComplete(
        first::tryComplete,
        failure -> {
          // The request of the handshake may end just before the timer, for the same reason.
          boolean late = McpFailure.of(failure).code() == FailureCode.CALL_TIMEOUT;
          first.tryFail(late ? timedOut(false) : failure);
        });
    return first.future().onComplete(ended -> timer.cancel());
  }

  private boolean isInstalling() {
    Session session = connection.session();
    return session == null || !session.isAttached() || session.isInstalling();
  }

  private McpFailure timedOut(boolean installing) {
    Session session = connection.session();
    return McpFailure.notSent(
        FailureCode.HANDSHAKE_TIMEOUT,
        (installing
                ? spec.transport().installer()
                    + " has not started the server within "
                    + options.installTimeout().toMillis()
                    + " ms (\"installTimeout\")"
                : "no answer to the handshake within "
                    + options.handshakeTimeout().toMillis()
                    + " ms")
            + (session == null ? "" : NonMcpOutput.said(session.diagnostics())));
  }
}
