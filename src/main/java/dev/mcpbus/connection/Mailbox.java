package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RestartReason;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ConnectionSpec;
import dev.mcpbus.connection.options.Ownership;
import dev.mcpbus.connection.options.ReplicaRole;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.CallBreaker;
import dev.mcpbus.connection.session.CallLog;
import dev.mcpbus.connection.session.CallReference;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.tools.DriftWatch;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The way in: registers the public addresses of a connection, makes a {@link BusCall} of each
 * message, and decides whether the call runs now, waits in the {@link Stash}, or is refused. A call
 * that runs goes to the operation of its address ({@link ConnectionOperations}). Owner: the
 * connection's context.
 */
final class Mailbox {

  private final Vertx vertx;
  private final ConnectionId id;

  /** The server in texts for people. */
  private final ConnectionId server;

  private final ConnectionOptions options;
  private final Clock clock;
  private final ConnectionStateHolder connection;
  private final DriftWatch drift;
  private final IdleTimer idle;
  private final Stash stash;

  /** The requests to connect or to restart that wait for the session. */
  private final Stash connecting;

  /** How long one attempt to connect may take. */
  private final long attemptMillis;

  private final CallLog calls;
  private final ConnectionDiagnostics diagnostics;
  private final @Nullable String jsonCodec;
  private final @Nullable Ownership ownership;
  private final @Nullable ReplicaRole role;
  private final @Nullable SharedUse use;
  private final Map<String, Handler<Message<Object>>> handlers = new HashMap<>();
  private final List<Message<Object>> disconnecting = new ArrayList<>();

  Mailbox(
      Vertx vertx,
      ConnectionSpec spec,
      Clock clock,
      ConnectionStateHolder connection,
      DriftWatch drift,
      IdleTimer idle) {
    this.vertx = vertx;
    this.id = spec.id();
    this.server = spec.server();
    this.options = spec.options();
    this.clock = clock;
    this.connection = connection;
    this.drift = drift;
    this.idle = idle;
    this.ownership = spec.ownership();
    this.role = connection.role();
    this.use = connection.use();
    this.stash = new Stash(vertx, clock, options.maxStash(), this::state);
    this.attemptMillis =
        options.handshakeTimeout().toMillis()
            + (spec.transport().installer() == null ? 0 : options.installTimeout().toMillis());
    this.connecting = new Stash(vertx, clock, options.maxStash(), this::state);
    this.calls = new CallLog(clock, InstantSource.system(), id, spec.privateConnection());
    this.diagnostics =
        new ConnectionDiagnostics(vertx, spec.transport(), connection, calls, this::cancel);
    this.jsonCodec = Codecs.ownedJson(vertx);
  }

  /** The number of calls that wait for a session. */
  int waiting() {
    return stash.size();
  }

  /** Registers every address; completes when the bus (in a cluster: each node) knows them all. */
  Future<?> open() {
    List<Future<Void>> registered = new ArrayList<>();
    Stream.concat(ConnectionOperations.ALL.stream(), TaskOperations.ALL.stream())
        .map(each -> register(each.row().suffix, new Inlet(this, each)))
        .forEach(registered::add);
    registered.add(
        consume(Addresses.STATUS, message -> message.reply(connection.status(message.body()))));
    for (String suffix : ConnectionDiagnostics.SUFFIXES) {
      registered.add(
          consume(
              suffix,
              message -> JsonReplies.reply(message, diagnostics.answer(suffix, body(message)))));
    }
    registered.add(
        consume(
            Addresses.TOOLS_DRIFT,
            message -> JsonReplies.reply(message, Future.succeededFuture(drift.toJson()))));
    registered.add(
        consume(
            Addresses.TOOLS_APPROVE,
            message -> JsonReplies.reply(message, drift.approve(body(message)))));
    registered.add(consume(Addresses.CANCEL, this::cancel));
    registered.add(consume(Addresses.CONNECT, this::connect));
    registered.add(consume(Addresses.DISCONNECT, this::disconnect));
    registered.add(consume(Addresses.RESTART, this::restart));
    if (role != null) {
      registered.add(role.open(vertx, message -> guarded(message, this::relayed), handlers));
    }
    return Future.join(registered);
  }

  private Future<Void> consume(String suffix, Consumer<Message<Object>> handler) {
    return register(suffix, message -> guarded(message, handler));
  }

  private Future<Void> register(String suffix, Handler<Message<Object>> handler) {
    if (!Addresses.SERVED.contains(suffix)) {
      throw new IllegalStateException("Addresses.SERVED lacks '" + suffix + "'");
    }
    ReplicaRole among = role;
    if (among != null) {
      handlers.put(suffix, handler);
    }
    Handler<Message<Object>> inlet =
        among == null ? handler : message -> among.received(suffix, message, handler);
    return vertx.eventBus().<Object>consumer(Addresses.of(id, suffix), inlet).completion();
  }

  /** Takes a message that came to the address of this replica; a header names the operation. */
  private void relayed(Message<Object> message) {
    String suffix = message.headers().get(Headers.TO);
    Handler<Message<Object>> handler = handlers.get(suffix == null ? "" : suffix);
    if (handler == null || role == null) {
      throw unknown(suffix);
    }
    role.received(suffix == null ? "" : suffix, message, handler);
  }

  private static McpFailure unknown(@Nullable String suffix) {
    return McpFailure.badRequest(
        "header '" + Headers.TO + "' names no operation of a connection: " + suffix);
  }

  /** The consumer of the address of an operation. A small object: each connection has many. */
  private record Inlet(Mailbox mailbox, ConnectionOperations.AddressOperation operation)
      implements Handler<Message<Object>> {

    @Override
    public void handle(Message<Object> message) {
      BusCall call;
      try {
        call = mailbox.taken(operation, message);
      } catch (RuntimeException failure) {
        end(message, failure);
        return;
      }
      try {
        mailbox.operate(operation, call);
      } catch (McpFailure refused) {
        call.fail(refused);
      } catch (RuntimeException defect) {
        call.fail(McpFailure.defect());
        throw defect;
      }
    }
  }

  private static void guarded(Message<Object> message, Consumer<Message<Object>> handler) {
    try {
      handler.accept(message);
    } catch (RuntimeException failure) {
      end(message, failure);
    }
  }

  /**
   * Ends the call with the failure. A defect of ours ends it without naming internals, and is
   * thrown on: the connection reports it as a crash.
   */
  private static void end(Message<Object> message, RuntimeException failure) {
    if (failure instanceof McpFailure refused) {
      refused.replyTo(message);
      return;
    }
    McpFailure.defect().replyTo(message);
    throw failure;
  }

  private BusCall taken(ConnectionOperations.AddressOperation operation, Message<Object> message) {
    BusCall call = BusCall.of(message, operation.method(), options, clock, jsonCodec);
    calls.began(call);
    return call;
  }

  private void operate(ConnectionOperations.AddressOperation operation, BusCall call) {
    if (ownership != null) {
      if (!ownership.held().getAsBoolean()) {
        // A call may also have waited here while the process was suspended, and have timed out.
        call.fail(notOurs());
        return;
      }
      call.epoch(ownership.epoch());
    }
    idle.touch();
    ReadySession readySession = connection.serving();
    if (use != null && (readySession == null || !readySession.isDiscoverEra())) {
      use.called(operation.row().suffix, call, readySession != null);
    }
    if (readySession == null) {
      hold(operation, call);
    } else {
      operation.run().run(readySession, call);
    }
  }

  /**
   * Keeps a tool call in the stash until the session has its first list of tools to check it by.
   */
  void holdUntilToolsAreListed(BusCall call) {
    stash.add(call, ready -> ready.toolCalls().call(call));
  }

  /**
   * There is no session: stashes the call, and starts an idle connection; or refuses it at once.
   */
  private void hold(ConnectionOperations.AddressOperation operation, BusCall call) {
    ConnectionState state = connection.state();
    boolean starts = connection.startsByCall();
    boolean refuses =
        !starts
            && (options.whenUnavailable() == ConnectionOptions.WhenUnavailable.REFUSE
                || state == ConnectionState.IDLE
                || state == ConnectionState.FAILED
                || state == ConnectionState.CLOSED);
    if (refuses) {
      call.fail(unavailable());
      return;
    }
    stash.add(call, ready -> operation.run().run(ready, call));
    if (starts) {
      connection.wantStart();
    }
  }

  private McpFailure notOurs() {
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        McpFailure.Sent.NO,
        "connection '" + server + "': this node may not own it any more",
        500,
        null);
  }

  /** The refusal while there is no session: the reason, and when to retry. */
  private McpFailure unavailable() {
    StatusView view = connection.statusView();
    ConnectionState state = connection.state();
    if (ownership != null && state == ConnectionState.CLOSED) {
      return McpFailure.ownerLeft(state());
    }
    return new McpFailure(
        view.codeWhileDown(state),
        McpFailure.Sent.NO,
        state(),
        view.millisToNextAttempt(clock.millis()),
        view.lastErrorAsData());
  }

  private String state() {
    return "connection '" + server + "': " + describe(connection.state(), connection.statusView());
  }

  private String describe(ConnectionState state, StatusView view) {
    return switch (state) {
      case IDLE -> "disconnected; send to " + Addresses.of(server, Addresses.CONNECT);
      case FAILED -> "not running, " + nextAttempt(view) + view.lastErrorText();
      case DRAINING, CLOSED -> "being stopped";
      default -> state.status() + view.lastErrorText();
    };
  }

  private String nextAttempt(StatusView view) {
    long wait = view.millisToNextAttempt(clock.millis());
    return wait < 0
        ? "and not tried again until its entry is changed or a caller sends to "
            + Addresses.of(server, Addresses.RESTART)
        : "tried again in " + (wait + 999) / 1000 + " s";
  }

  /**
   * Keeps a call whose task goes on at the server until the next session; then runs {@code then}.
   */
  void holdUntilNextSession(PendingRequest call, Consumer<ReadySession> then) {
    stash.add(call, then);
  }

  /** The server has lost the session and not run the call: the next session sends it again. */
  void holdForRepeat(BusCall call) {
    if (options.whenUnavailable() == ConnectionOptions.WhenUnavailable.REFUSE) {
      call.fail(unavailable());
    } else {
      stash.add(call, ready -> ConnectionOperations.repeat(ready, call));
    }
  }

  /** The session serves, or has its list of tools: runs the calls that wait, before later ones. */
  void release(ReadySession readySession) {
    connecting.release(readySession);
    stash.release(readySession);
  }

  /** Refuses the calls that wait: no session is going to come. */
  void refuseWaiting() {
    replyToDisconnecting();
    failWaiting(unavailable());
  }

  void failWaiting(McpFailure failure) {
    connecting.failAll(failure);
    stash.failAll(failure);
  }

  /**
   * The session was stopped, or there was none. Calls that came meanwhile start the connection
   * again, unless a caller disconnected it; then they are refused.
   */
  void stopped() {
    replyToDisconnecting();
    if (connection.state() != ConnectionState.IDLE) {
      return;
    }
    if (connection.isDisconnected()) {
      refuseWaiting();
    } else if (stash.size() + connecting.size() > 0) {
      connection.wantStart();
    }
  }

  private JsonObject body(Message<Object> message) {
    return BusCall.of(message, "", options, clock, jsonCodec).params().toJsonObject();
  }

  private void cancel(Message<Object> message) {
    String callId = CallCancellation.callId(message.body());
    boolean found = cancel(CallReference.ofCaller(callId, CallCancellation.params(message.body())));
    message.reply(new JsonObject().put("cancelled", found));
  }

  private boolean cancel(CallReference which) {
    return stash.cancel(which) || connecting.cancel(which) || connection.cancel(which);
  }

  private void connect(Message<Object> message) {
    BusCall waiting = waiting(message);
    connection.disconnected(false);
    boolean serves = connection.serving() != null;
    if (connection.state() == ConnectionState.FAILED) {
      connection.wantRestart(RestartReason.Request.CONNECT);
    } else if (!serves) {
      connection.wantStart();
    }
    if (waiting == null || serves) {
      replyState(message);
    } else {
      answerAfter(0, message, waiting);
    }
  }

  /** The request where it is to be answered when it is done; null where it is answered at once. */
  private @Nullable BusCall waiting(Message<Object> message) {
    BusCall call = BusCall.of(message, "", options, clock, jsonCodec);
    return Boolean.TRUE.equals(call.params().toJsonObject().getValue("wait")) ? call : null;
  }

  /**
   * Answers when a session serves whose epoch is higher than {@code epoch}. A request without a
   * deadline waits as long as a call does, and at least for the time of one attempt.
   */
  private void answerAfter(long epoch, Message<Object> message, BusCall waiting) {
    waiting.extendBy(clock.millis(), attemptMillis);
    awaitSession(epoch, message, waiting);
  }

  private void awaitSession(long epoch, Message<Object> message, BusCall waiting) {
    connecting.add(
        waiting,
        ready -> {
          if (connection.epoch() > epoch) {
            replyState(message);
          } else {
            awaitSession(epoch, message, waiting);
          }
        });
  }

  private void disconnect(Message<Object> message) {
    boolean waits = waiting(message) != null;
    connection.disconnected(true);
    connection.wantStop();
    if (connection.session() == null && connection.state() == ConnectionState.IDLE) {
      refuseWaiting();
    } else if (waits) {
      disconnecting.add(message);
      return;
    }
    replyState(message);
  }

  /** Answers those who wait for the end of the session, with the state after it. */
  private void replyToDisconnecting() {
    List<Message<Object>> waiting = List.copyOf(disconnecting);
    disconnecting.clear();
    waiting.forEach(this::replyState);
  }

  private void restart(Message<Object> message) {
    BusCall waiting = waiting(message);
    connection.disconnected(false);
    CallBreaker breaker = connection.breaker();
    if (breaker != null) {
      breaker.reset();
    }
    connection.wantRestart(RestartReason.Request.CALLER);
    if (waiting == null) {
      replyState(message);
    } else {
      answerAfter(connection.epoch(), message, waiting);
    }
  }

  private void replyState(Message<Object> message) {
    message.reply(new JsonObject().put("state", connection.state().name()));
  }
}
