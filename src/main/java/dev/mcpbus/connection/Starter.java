package dev.mcpbus.connection;

import dev.mcpbus.protocol.ServerDescription;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes sessions of one connection, each within the handshake time-out. Owner: the connection's
 * context.
 */
final class Starter {

  private final ConnectionSpec spec;
  private final ConnectionOptions options;
  private final Context context;
  private final Clock clock;
  private final SessionPreferences preferences;
  private final ServerTasks tasks;
  private final SessionListener listener;
  private final Consumer<BusCall> untilListed;
  private final ConnectionStateHolder connection;
  private @Nullable Handshake opening;

  Starter(
      ConnectionSpec spec,
      ConnectionStateHolder connection,
      Context context,
      Clock clock,
      SessionPreferences preferences,
      ServerTasks tasks,
      SessionListener listener,
      Consumer<BusCall> untilListed) {
    this.spec = spec;
    this.connection = connection;
    this.options = spec.options();
    this.context = context;
    this.clock = clock;
    this.preferences = preferences;
    this.tasks = tasks;
    this.listener = listener;
    this.untilListed = untilListed;
  }

  /**
   * Opens a session.
   *
   * @param made hears of every session that is tried; the one made last counts, and closing it is
   *     the caller's
   */
  Future<Handshake.Opened> start(Consumer<Session> made) {
    Handshake attempt =
        new Handshake(
            options,
            connection,
            era -> {
              Session session =
                  new Session(context, spec.transport(), era, options, clock, spec.tap(), listener);
              made.accept(session);
              return session;
            },
            new InitializeEra(spec.clientInfo(), preferences, options.protocolVersion()),
            new DiscoverEra(spec.clientInfo(), preferences));
    opening = attempt;
    return inTime(attempt.open())
        .onFailure(late -> attempt.abandon())
        .onComplete(over -> forget(attempt));
  }

  /** What is under way makes no further session; the one that it made last is the caller's. */
  void abandon() {
    if (opening != null) {
      opening.abandon();
    }
  }

  /** What it is over with is not kept for the life of the session. */
  private void forget(Handshake attempt) {
    if (opening == attempt) {
      opening = null;
    }
  }

  private Future<Handshake.Opened> inTime(Future<Handshake.Opened> attempt) {
    Vertx vertx = context.owner();
    Promise<Handshake.Opened> first = Promise.promise();
    long timer =
        vertx.setTimer(
            options.handshakeTimeout().toMillis(),
            late -> first.tryFail(Handshake.timedOut(options)));
    attempt.onComplete(
        result -> {
          vertx.cancelTimer(timer);
          if (result.succeeded()) {
            first.tryComplete(result.result());
          } else {
            first.tryFail(result.cause());
          }
        });
    return first.future();
  }

  ReadySession live(Handshake.Opened opened, long millis, DriftWatch watch) {
    Session of = opened.session();
    ServerDescription server = opened.server();
    SessionTools tools = new SessionTools(of, watch);
    ToolCallSender sender = new ToolCallSender(of, server.capabilities(), tasks);
    return new ReadySession(
        of,
        server,
        tools,
        new ToolCallPipeline(of, server.offers("tools"), tools, sender, untilListed),
        new ListenSubscription(of, preferences, server.capabilities()),
        new ResultCache(clock),
        preferences,
        tasks,
        millis);
  }
}
