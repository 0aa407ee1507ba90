package dev.mcpbus.connection.session;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.InstanceId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageTap;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.RequestIds;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TaskId;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.OutputListener;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of a connection: one channel, one handshake, one table of pending requests. Each
 * start makes a new session, so no state goes from one to the next. {@code ToolCallPipeline} and
 * the other operations call {@link #send}; the channel calls {@link #onMessage}. Owner: the
 * connection's context; every method and callback runs there.
 */
public final class Session implements Channel.Receiver {

  private static final RawJson NOTHING = RawJson.of("{}");
  private static final RawJson TIMED_OUT = RawJson.of("{\"reason\":\"timed out\"}");

  private final Context context;
  private final Transport transport;
  private SessionEra era;
  private final ConnectionOptions options;
  private final Clock clock;
  private final SessionChannel wire;
  private final SessionListener listener;
  private final PendingRequests pending;
  private final MessageOwners owners;
  private final NotificationRouter notifications;
  private final AmbiguousMessages ambiguous = new AmbiguousMessages();
  private final LoopCheck loops;
  private final WaitingCalls waiting;
  private final @Nullable CallBreaker breaker;

  /** Completes when the channel is open; if the session has ended meanwhile, when it is closed. */
  private Future<Void> opening = Future.succeededFuture();

  private @Nullable ProtocolVersion version;
  private boolean ended;
  private long unmatched;
  private long lastReceived;

  public Session(
      Context context,
      Transport transport,
      SessionEra era,
      ConnectionOptions options,
      Clock clock,
      @Nullable MessageTap tap,
      @Nullable ConnectionTelemetry telemetry,
      SessionListener listener) {
    this.context = context;
    this.transport = transport;
    this.era = era;
    this.options = options;
    this.clock = clock;
    this.wire = new SessionChannel(options.limits().maxBytes(), tap, telemetry);
    this.listener = listener;
    this.pending = new PendingRequests(context.owner(), clock, this::expired);
    this.owners = new MessageOwners(pending, listener::ownerOfTask);
    this.notifications =
        new NotificationRouter(pending, owners, listener, telemetry, clock.millis());
    this.loops = new LoopCheck(InstanceId.of(context.owner()));
    this.waiting = new WaitingCalls(this);
    this.breaker = listener.breaker();
  }

  /** Shows the following messages to another tap; null for none. */
  public void show(@Nullable MessageTap tap) {
    wire.show(tap);
  }

  /** Opens the channel. Fails with a {@code TransportException}. */
  public Future<Void> connect() {
    opening =
        transport
            .open(context, this)
            .compose(
                opened -> {
                  wire.attach(opened);
                  return ended ? opened.close() : Future.succeededFuture();
                });
    return opening.compose(
        opened -> ended ? ConnectionFailures.closedWhileOpening() : Future.succeededFuture());
  }

  /** Makes the following requests in the form of {@code other}. */
  public void useEra(SessionEra other) {
    era = other;
  }

  public boolean hasRequestStreams() {
    return wire.hasRequestStreams();
  }

  /** False until the channel is open. */
  public boolean isAttached() {
    return wire.isAttached();
  }

  /** Whether the child still installs its program, as far as its output tells. */
  public boolean isInstalling() {
    return wire.isInstalling();
  }

  /** The bound of a request of the handshake; the handshake has a timer of its own. */
  Duration openingTimeout() {
    Duration answer = options.handshakeTimeout();
    return transport.installer() == null ? answer : answer.plus(options.installTimeout());
  }

  public SessionEra era() {
    return era;
  }

  /** Removes the secrets that the server was given from texts of the server. */
  public Redactor redactor() {
    return transport.redactor();
  }

  public ConnectionOptions options() {
    return options;
  }

  public Vertx vertx() {
    return context.owner();
  }

  public Clock clock() {
    return clock;
  }

  public @Nullable ProtocolVersion version() {
    return version;
  }

  /**
   * The time of the last message of the server, on the connection's clock. An error does not count:
   * a server that answers nothing else may have lost the session.
   */
  public long lastReceived() {
    return lastReceived;
  }

  /** True after the end of the session: it sends nothing any more. */
  public boolean isOver() {
    return ended;
  }

  public int pendingCalls() {
    return pending.size();
  }

  /**
   * Completes when no request is pending and no call waits to be sent any more, and after {@code
   * millis} at the latest.
   */
  public Future<Void> drained(long millis) {
    return drained().timeout(Math.max(1, millis), MILLISECONDS).otherwiseEmpty();
  }

  /** Looks again after what the last answer leads to: the call may be sent again, or wait. */
  private Future<Void> drained() {
    Promise<Void> later = Promise.promise();
    context.runOnContext(now -> later.complete());
    return later
        .future()
        .compose(
            now ->
                pending.size() == 0 && waiting.isEmpty()
                    ? Future.succeededFuture()
                    : pending
                        .drained()
                        .compose(sent -> waiting.drained())
                        .compose(all -> drained()));
  }

  public JsonObject diagnostics() {
    JsonObject facts = wire.diagnostics();
    notifications.report(facts);
    ambiguous.report(facts);
    return facts.put("pending", pending.size()).put("unmatched", unmatched);
  }

  void negotiated(ProtocolVersion agreed) {
    version = agreed;
    wire.negotiated(agreed.wire());
  }

  /** Sends a request of the connection itself. */
  public Future<RawJson> request(String method, @Nullable RawJson params, Duration timeout) {
    InternalRequest call = new InternalRequest(method, clock.millis() + timeout.toMillis());
    send(call, params);
    return call.future();
  }

  /**
   * Sends a request; {@code call} ends exactly once, in this method or later. Fails it with {@code
   * UNAVAILABLE} after the end of the session or while its breaker is open, {@code OVERLOADED} at
   * the bound, {@code LIMIT_EXCEEDED} for a message that is too large, {@code CALL_TIMEOUT} and
   * {@code CANCELLED} for a call that is late, or a code of the transport.
   *
   * @return our id of the request, -1 where it was not sent, or is sent later
   */
  public long send(PendingRequest call, @Nullable RawJson params) {
    if (ended || !wire.isAttached()) {
      call.fail(McpFailure.notSent(FailureCode.UNAVAILABLE, "the session is over"));
      return -1;
    }
    if (call instanceof BusCall made && isLate(made, params)) {
      return -1;
    }
    if (!call.isExtra() && !pending.admits(call, options.maxPending())) {
      call.fail(ConnectionFailures.overloaded(pending.size(), options.maxPending()));
      return -1;
    }
    McpFailure refused = breaker == null ? null : breaker.refusal(call);
    if (refused != null) {
      call.fail(refused);
      return -1;
    }
    long id = pending.add(call);
    call.sentAs(id);
    wire.measure(id, call, params);
    byte[] bytes = MessageWriter.request(id, call.method(), era.params(params, id, call));
    try {
      wire.put(OutboundMessage.request(id, call.method(), bytes, era.headers(this, params, call)));
    } catch (TransportException e) {
      if (pending.remove(id) != null) {
        unsent(call, e);
      }
      return -1;
    } catch (RuntimeException defect) {
      pending.remove(id); // the caller of this method ends the call
      throw defect;
    }
    return id;
  }

  /**
   * Whether a call must not leave now. A call whose time is over ends. One that arrived long ago
   * leaves when its door has said that its client still waits: wherever it has waited until now,
   * this is the one gate before the wire.
   */
  private boolean isLate(BusCall call, @Nullable RawJson params) {
    long now = clock.millis();
    if (call.expire(now)) {
      return true;
    }
    String door = call.doorToAsk(now);
    if (door == null) {
      call.leaves();
      return false;
    }
    waiting.on(
        "its door to say whether its client still waits",
        CallOrigin.isAwaited(context.owner(), door),
        call,
        awaited -> {
          if (!awaited) {
            throw CallOrigin.gone();
          }
          call.confirm(now, clock.millis());
          send(call, params);
        },
        failure -> {
          throw McpFailure.of(failure);
        });
    return true;
  }

  /** The calls that wait for something before they are sent. */
  public WaitingCalls waiting() {
    return waiting;
  }

  /**
   * Keeps a call between two requests to the server, with its deadline and its cancellation. Runs
   * {@code abandoned} if the call ends meanwhile. Returns the key for {@link #release}.
   */
  public long hold(PendingRequest call, Runnable abandoned) {
    call.hold(abandoned);
    return pending.add(call);
  }

  /** The same under the id of the request that was sent, so that its progress token stays valid. */
  public void hold(long id, PendingRequest call, Runnable abandoned) {
    call.hold(abandoned);
    pending.put(id, call);
  }

  /** Gives a held call back; false where the call or the session has ended meanwhile. */
  public boolean release(long hold, PendingRequest call) {
    call.hold(null);
    return pending.remove(hold) != null && !ended;
  }

  public void notify(String method, @Nullable RawJson params) {
    sendQuietly(OutboundMessage.notification(method, MessageWriter.notification(method, params)));
  }

  public void answer(RawJson id, RawJson result) {
    sendQuietly(OutboundMessage.response(Envelope.Kind.RESULT, MessageWriter.result(id, result)));
  }

  /** Answers a request of the server with an error object, unchanged. */
  public void fail(RawJson id, RawJson error) {
    sendQuietly(OutboundMessage.response(Envelope.Kind.ERROR, MessageWriter.failure(id, error)));
  }

  public void refuse(RawJson id, int code, String message) {
    sendQuietly(
        OutboundMessage.response(
            Envelope.Kind.ERROR, MessageWriter.error(id, code, message, null)));
  }

  /** Sends a message without an answer; drops and counts it if the channel refuses it. */
  private void sendQuietly(OutboundMessage message) {
    if (!ended && !wire.offer(message)) {
      unmatched++;
    }
  }

  /**
   * The server asks a question: the call that waits for the answer, or each that may, has at least
   * {@code millis} from now, where we chose its deadline.
   */
  public void asks(MessageOwner of, long millis) {
    PendingRequest named = of.call();
    Collection<PendingRequest> calls = named == null ? pending.all() : List.of(named);
    calls.forEach(listener::reaches);
    calls.forEach(call -> call.extendBy(clock.millis(), millis));
  }

  /**
   * The params of a caller's message that MCP does not define: where they name another call of the
   * caller by its call id, the server gets the id or the progress token that it knows.
   */
  public @Nullable RawJson toServer(@Nullable RawJson params, BusCall by) {
    return params == null
        ? null
        : RequestIds.replaced(
            params,
            id -> named(id, by, found -> RawJson.of(Long.toString(found))),
            token -> named(token, by, RequestMeta::token));
  }

  private RawJson named(RawJson name, BusCall by, LongFunction<RawJson> ours) {
    long id = name.isString() ? pending.find(CallReference.ofCaller(name.asString())) : -1;
    PendingRequest call = pending.get(id);
    return call != null && Objects.equals(call.owner(), by.owner())
        ? ours.apply(call.sentAs())
        : name;
  }

  /** The call has become a task at the server. */
  public void becameTask(String taskId, PendingRequest call) {
    owners.goesOn(taskId, call);
  }

  /** The server does not work on the task any more. */
  public void taskOver(String taskId) {
    owners.isOver(taskId);
  }

  /** Something of a call leaves for its client, or lives on at the server. */
  public void reaches(PendingRequest call) {
    listener.reaches(call);
  }

  /** Cancels a request, also at the server; false where it does not wait. */
  public boolean cancel(CallReference which) {
    return abandon(pending.find(which), "cancelled by " + which.by(), which.params());
  }

  /** Cancels request {@code id}, also at the server, with this reason; false where it is over. */
  public boolean abandon(long id, String reason) {
    return abandon(id, reason, null);
  }

  private boolean abandon(long id, String reason, @Nullable RawJson params) {
    PendingRequest call = pending.remove(id);
    if (call == null) {
      return false;
    }
    abandon(id, call, params == null ? RawJson.of(new JsonObject().put("reason", reason)) : params);
    call.fail(McpFailure.maybeSent(FailureCode.CANCELLED, reason));
    return true;
  }

  /** Nobody waits for the answers to these requests of the connection any more; sends nothing. */
  public void forget(String method) {
    for (PendingRequest call : List.copyOf(pending.all())) {
      if (call.method().equals(method) && pending.remove(call.sentAs()) != null) {
        wire.forget(call.sentAs());
        call.fail(ConnectionFailures.unanswered(method));
      }
    }
  }

  /** The server has ended the stream of request {@code id}. */
  void ended(long id) {
    PendingRequest call = pending.remove(id);
    if (call != null) {
      wire.forget(id);
      call.fail(McpFailure.maybeSent(FailureCode.UPSTREAM_RESET, "the server ended the stream"));
    }
  }

  private void expired(long id, PendingRequest call) {
    abandon(id, call, TIMED_OUT);
    call.fail(ConnectionFailures.unanswered(call.method()));
  }

  /** "The {@code initialize} request MUST NOT be cancelled by clients" (MCP, Cancellation). */
  private void abandon(long id, PendingRequest call, RawJson params) {
    if (call.isHeld()) {
      call.abandon();
      return;
    }
    owners.goesOn(id, call);
    if (!call.method().equals(Methods.INITIALIZE)) {
      era.cancel(this, id, params.with("requestId", RawJson.of(Long.toString(id))));
    }
    wire.forget(id);
  }

  @Override
  public void onMessage(Envelope message) {
    onMessage(message, ANY_STREAM);
  }

  @Override
  public void onMessage(Envelope message, long request) {
    if (ended) {
      return;
    }
    if (message.kind() != Envelope.Kind.ERROR) {
      lastReceived = clock.millis();
    }
    wire.received(message.text());
    if (ambiguous.refused(this, pending, message)) {
      return;
    }
    switch (message.kind()) {
      case RESULT, ERROR -> {
        PendingRequest call = pending.remove(message.integerId());
        if (call == null) {
          late(message);
          unmatched++;
        } else if (message.kind() == Envelope.Kind.RESULT) {
          answered(call, message);
        } else {
          failed(call, message.payload());
        }
      }
      case NOTIFICATION ->
          notifications.route(this, message.method(), message.params(), request, lastReceived);
      case REQUEST ->
          listener.onRequest(
              this,
              requireNonNull(message.id()),
              message.method(),
              message.params(),
              owners.ofQuestion(message.method(), message.params(), request));
    }
  }

  /** The answer to a request that does not wait any more. */
  private void late(Envelope message) {
    RawJson result = message.payload();
    if (message.kind() == Envelope.Kind.RESULT && result.isObject()) {
      String task = TaskId.of(message.resultType().equals("task") ? result : result.member("task"));
      if (!task.isEmpty()) {
        owners.becomesTask(message.integerId(), task);
      }
    }
    owners.isOver(message.integerId());
  }

  private void answered(PendingRequest call, Envelope message) {
    call.answered(message.isToolError());
    RawJson result = message.payload();
    if (result.isNull() && Methods.mayBeEmpty(call.method())) {
      result = NOTHING;
    }
    if (!result.isObject()) {
      call.fail(ConnectionFailures.noObject(call.method()));
      return;
    }
    McpFailure loop = loops.check(call.method(), result);
    if (loop != null) {
      call.fail(loop);
      if (version != null) {
        endWith(loop); // before that the handshake fails with it
      }
      return;
    }
    boolean whole = era.era() == Era.INITIALIZE || message.resultType().equals(ResultType.COMPLETE);
    if (whole || !listener.onUnfinished(this, call, message.resultType(), result)) {
      call.complete(result);
    }
  }

  private void failed(PendingRequest call, RawJson payload) {
    JsonRpcError error = JsonRpcError.of(payload);
    McpFailure failure = McpFailure.upstream(payload, redactor());
    call.missed(failure);
    if (!error.isInModernRange() || !listener.onRefused(this, call, error)) {
      call.fail(failure);
    }
  }

  @Override
  public void onRequestFailed(long id, TransportException reason) {
    PendingRequest call = pending.remove(id);
    if (call != null) {
      if (reason.reached() != TransportException.Reached.NO) {
        owners.goesOn(id, call);
      }
      unsent(call, reason);
    }
  }

  private void unsent(PendingRequest call, TransportException reason) {
    McpFailure failure = ConnectionFailures.of(reason);
    if (reason.reason() == TransportException.Reason.SESSION_LOST
        && reason.reached() == TransportException.Reached.NO
        && call.rounds() == 0) {
      call.missed(failure);
      if (listener.onSessionLost(this, call)) {
        return;
      }
    }
    call.fail(failure);
  }

  @Override
  public boolean isAwaited(long id) {
    PendingRequest call = pending.get(id);
    return call != null && clock.millis() < call.deadline();
  }

  @Override
  public void onClosed(TransportException reason) {
    if (!ended) {
      endWith(ConnectionFailures.of(reason));
    }
  }

  @Override
  public OutputListener output() {
    return listener.output();
  }

  @Override
  public Quirks quirks() {
    return listener.quirks();
  }

  private void endWith(McpFailure failure) {
    ended = true;
    pending.failAll(failure);
    listener.onEnded(this, failure);
  }

  /** The instance ids of every mcpbus that answers of this session came through. */
  public NavigableSet<String> behind() {
    return loops.behind();
  }

  /**
   * Ends the session: fails every pending request and closes the channel. Idempotent.
   *
   * @return completes when the channel is closed; if the transport has not opened it yet, at the
   *     latest after the handshake time-out
   */
  public Future<Void> close() {
    ended = true;
    pending.failAll(ConnectionFailures.closedMeanwhile());
    return wire.isAttached()
        ? wire.close()
        : opening.timeout(options.handshakeTimeout().toMillis(), MILLISECONDS).otherwiseEmpty();
  }
}
