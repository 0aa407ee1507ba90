package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a connection receives: its public addresses, and the calls that wait for a session. Decides
 * whether a call runs now, waits, or is refused. Owner: the connection's context.
 */
final class Mailbox {

  /** What a mailbox needs to know of its connection. */
  interface Owner {
    ConnectionState state();

    /** The session that serves, null where none does. */
    @Nullable ReadySession serving();

    void tell(LifecycleMessage.Fact fact);

    /** A call came. */
    void called();

    /** Ends a call in flight; false where none has that name. */
    boolean cancel(String callId);

    JsonObject status();

    DriftWatch drift();
  }

  private static final List<String> OWN =
      List.of(
          Addresses.STATUS,
          Addresses.TOOLS_DRIFT,
          Addresses.TOOLS_APPROVE,
          Addresses.CANCEL,
          Addresses.CONNECT,
          Addresses.DISCONNECT,
          Addresses.RESTART);

  private final Vertx vertx;
  private final ConnectionId id;
  private final ConnectionOptions options;
  private final Clock clock;
  private final StatusView view;
  private final Owner owner;
  private final Stash stash;
  private final @Nullable String jsonCodec;
  private final @Nullable Ownership ownership;
  private final @Nullable ReplicaRole role;
  private final Map<String, Handler<Message<Object>>> handlers = new HashMap<>();
  private boolean disconnected;

  Mailbox(
      Vertx vertx,
      ConnectionSpec spec,
      Clock clock,
      StatusView view,
      @Nullable ReplicaRole role,
      Owner owner) {
    this.vertx = vertx;
    this.id = spec.id();
    this.options = spec.options();
    this.clock = clock;
    this.view = view;
    this.owner = owner;
    this.ownership = spec.ownership();
    this.role = role;
    this.stash = new Stash(vertx, clock, options.maxStash());
    this.jsonCodec = Codecs.ownedJson(vertx);
  }

  /** Of every address that {@link #open} registers. */
  static List<String> suffixes() {
    List<String> all = new ArrayList<>(OWN);
    ConnectionOperations.ALL.forEach(each -> all.add(each.suffix()));
    TaskOperations.ALL.forEach(each -> all.add(each.suffix()));
    return all;
  }

  /** Registers every address; completes when all are known, in a cluster to all nodes. */
  Future<?> open() {
    List<Future<Void>> registered = new ArrayList<>();
    Stream.concat(ConnectionOperations.ALL.stream(), TaskOperations.ALL.stream())
        .map(each -> register(each.suffix(), new Inlet(this, each)))
        .forEach(registered::add);
    registered.add(consume(Addresses.STATUS, message -> message.reply(owner.status())));
    registered.add(
        consume(
            Addresses.TOOLS_DRIFT,
            message -> replyInKind(message, Future.succeededFuture(owner.drift().view()))));
    registered.add(
        consume(
            Addresses.TOOLS_APPROVE,
            message -> replyInKind(message, owner.drift().approve(body(message)))));
    registered.add(consume(Addresses.CANCEL, this::cancel));
    registered.add(consume(Addresses.CONNECT, this::connect));
    registered.add(consume(Addresses.DISCONNECT, this::disconnect));
    registered.add(consume(Addresses.RESTART, this::restart));
    if (role != null) {
      registered.add(role.open(vertx, message -> guarded(message, this::relayed)));
    }
    return Future.join(registered);
  }

  private Future<Void> consume(String suffix, Consumer<Message<Object>> handler) {
    return register(suffix, message -> guarded(message, handler));
  }

  private Future<Void> register(String suffix, Handler<Message<Object>> handler) {
    ReplicaRole among = role;
    if (among != null) {
      handlers.put(suffix, handler);
    }
    Handler<Message<Object>> inlet =
        among == null ? handler : message -> among.received(suffix, message, handler);
    return vertx.eventBus().<Object>consumer(Addresses.of(id, suffix), inlet).completion();
  }

  /** At the address of this replica. */
  private void relayed(Message<Object> message) {
    String suffix = message.headers().get(Headers.TO);
    Handler<Message<Object>> handler = handlers.get(suffix == null ? "" : suffix);
    if (handler == null || role == null) {
      throw unknown(suffix);
    }
    role.received(suffix == null ? "" : suffix, message, handler);
  }

  private static McpFailure unknown(@Nullable String suffix) {
    return McpFailure.notSent(
        FailureCode.BAD_REQUEST,
        "header '" + Headers.TO + "' names no operation of a connection: " + suffix);
  }

  /** The consumer at the address of an operation: one small object, because there are many. */
  private record Inlet(Mailbox mailbox, ConnectionOperations.AddressOperation operation)
      implements Handler<Message<Object>>, Consumer<Message<Object>> {

    @Override
    public void handle(Message<Object> message) {
      guarded(message, this);
    }

    @Override
    public void accept(Message<Object> message) {
      mailbox.operate(operation, message);
    }
  }

  /** A defect of ours ends the call, names no internals, and is reported to the supervisor. */
  private static void guarded(Message<Object> message, Consumer<Message<Object>> handler) {
    try {
      handler.accept(message);
    } catch (McpFailure refused) {
      refused.replyTo(message);
    } catch (RuntimeException defect) {
      McpFailure.maybeSent(FailureCode.INTERNAL, "a defect of mcpbus; see its log")
          .replyTo(message);
      throw defect;
    }
  }

  private void operate(ConnectionOperations.AddressOperation operation, Message<Object> message) {
    BusCall call = BusCall.of(message, operation.method(), options, clock, jsonCodec);
    if (ownership != null) {
      if (!ownership.held().getAsBoolean()) {
        // Also what has waited here while the process slept: its callers have given it up.
        call.fail(notOurs());
        return;
      }
      call.epoch(ownership.epoch());
    }
    owner.called();
    ReadySession readySession = owner.serving();
    if (readySession == null) {
      hold(operation, call);
    } else {
      operation.run().run(readySession, call);
    }
  }

  /** A tool call waits until the session knows its tools: the session can check it then. */
  void holdUntilToolsAreListed(BusCall call) {
    stash.add(call, ready -> ready.toolCalls().call(call));
  }

  /** There is no session: the call waits, wakes the connection up, or is refused at once. */
  private void hold(ConnectionOperations.AddressOperation operation, BusCall call) {
    ConnectionState state = owner.state();
    boolean asleep = state == ConnectionState.IDLE;
    boolean refuses =
        !asleep && options.whenUnavailable() == ConnectionOptions.WhenUnavailable.REFUSE;
    if (refuses
        || state == ConnectionState.FAILED
        || state == ConnectionState.CLOSED
        || (asleep && disconnected)) {
      call.fail(unavailable());
      return;
    }
    stash.add(call, ready -> operation.run().run(ready, call));
    if (asleep) {
      owner.tell(new LifecycleMessage.StartWanted(id.value()));
    }
  }

  private McpFailure notOurs() {
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        McpFailure.Sent.NO,
        "connection '" + id + "': this node may not own it any more",
        500,
        null);
  }

  /** Why no call can be sent now, and when one may. */
  private McpFailure unavailable() {
    ConnectionState state = owner.state();
    return new McpFailure(
        view.codeWhileDown(state),
        McpFailure.Sent.NO,
        "connection '" + id + "': " + describe(state),
        view.millisToNextAttempt(clock.millis()),
        view.lastErrorAsData());
  }

  private String describe(ConnectionState state) {
    return switch (state) {
      case IDLE -> "disconnected; send to " + Addresses.of(id, Addresses.CONNECT);
      case FAILED -> "given up for now" + view.lastErrorText();
      case DRAINING, CLOSED -> "being stopped";
      default -> state.status() + view.lastErrorText();
    };
  }

  /** What {@code call} is about lives on at the server: it goes on with the next session. */
  void park(PendingRequest call, Consumer<ReadySession> then) {
    stash.add(call, then);
  }

  /** A session serves, or knows its tools now: whoever waits goes first. */
  void release(ReadySession readySession) {
    stash.release(readySession);
  }

  /** No session will come for those who wait. */
  void refuseWaiting() {
    stash.failAll(unavailable());
  }

  void failWaiting(McpFailure failure) {
    stash.failAll(failure);
  }

  /** The session was stopped: wakes up for calls that came meanwhile, or ends them. */
  void stopped() {
    if (owner.state() != ConnectionState.IDLE || stash.size() == 0) {
      return;
    }
    if (disconnected) {
      refuseWaiting();
    } else {
      owner.tell(new LifecycleMessage.StartWanted(id.value()));
    }
  }

  private JsonObject body(Message<Object> message) {
    return BusCall.of(message, "", options, clock, jsonCodec).params().toJsonObject();
  }

  private static void replyInKind(Message<Object> message, Future<JsonObject> answer) {
    boolean raw = message.body() instanceof Buffer;
    answer
        .onSuccess(json -> message.reply(raw ? json.toBuffer() : json))
        .onFailure(failure -> McpFailure.of(failure).replyTo(message));
  }

  private void cancel(Message<Object> message) {
    String callId = CallCancellation.callId(message.body());
    boolean found = stash.cancel(callId) || owner.cancel(callId);
    message.reply(new JsonObject().put("cancelled", found));
  }

  private void connect(Message<Object> message) {
    disconnected = false;
    if (owner.state() == ConnectionState.FAILED) {
      owner.tell(new LifecycleMessage.RestartWanted(id.value(), "a caller asked to connect"));
    } else if (owner.serving() == null) {
      owner.tell(new LifecycleMessage.StartWanted(id.value()));
    }
    replyState(message);
  }

  private void disconnect(Message<Object> message) {
    disconnected = true;
    owner.tell(new LifecycleMessage.StopWanted(id.value()));
    replyState(message);
  }

  private void restart(Message<Object> message) {
    disconnected = false;
    owner.tell(new LifecycleMessage.RestartWanted(id.value(), "a caller asked for it"));
    replyState(message);
  }

  private void replyState(Message<Object> message) {
    message.reply(new JsonObject().put("state", owner.state().name()));
  }
}
