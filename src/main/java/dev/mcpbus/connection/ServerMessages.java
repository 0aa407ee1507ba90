package dev.mcpbus.connection;

import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RestartReason;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.connection.input.InputRequests;
import dev.mcpbus.connection.input.MultiRoundTrip;
import dev.mcpbus.connection.input.ServerRequests;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.CallBreaker;
import dev.mcpbus.connection.session.MessageOwner;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.SessionListener;
import dev.mcpbus.connection.tasks.ServerTasks;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TaskId;
import dev.mcpbus.transport.OutputListener;
import io.vertx.core.eventbus.EventBus;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes what the server sends beside plain answers and passes it on: questions, notifications,
 * results that are not complete, errors that a second request can remedy. {@link Session} calls it.
 * Owner: the connection's context.
 */
final class ServerMessages implements SessionListener {

  private final EventBus bus;
  private final ServerRequests requests;
  private final MultiRoundTrip rounds;
  private final ServerTasks tasks;
  private final ConnectionStateHolder connection;
  private final ToolListRefresh lists;
  private final Consumer<BusCall> again;
  private final boolean isPrivate;
  private final BiConsumer<Session, McpFailure> ended;

  /**
   * @param client the address of the one client that gets the questions which the server asks
   *     outside of calls; null for any handler
   * @param again keeps a call until the next session, and sends it again
   * @param ended takes a session that is over, and the reason
   */
  ServerMessages(
      EventBus bus,
      InputRequests inputs,
      ServerTasks tasks,
      @Nullable String client,
      ConnectionStateHolder connection,
      ToolListRefresh lists,
      Consumer<BusCall> again,
      BiConsumer<Session, McpFailure> ended) {
    this.bus = bus;
    this.tasks = tasks;
    this.requests = new ServerRequests(inputs, client);
    this.isPrivate = client != null;
    this.rounds = new MultiRoundTrip(inputs);
    this.connection = connection;
    this.lists = lists;
    this.again = again;
    this.ended = ended;
  }

  /** The session is over: withdraws the open questions of its server. */
  void forget() {
    requests.forget();
  }

  @Override
  public boolean onUnfinished(Session of, PendingRequest call, String resultType, RawJson result) {
    if (resultType.equals("task")) {
      ReadySession now = connection.ready(of);
      return tasks.take(of, now == null ? null : now.open(), call, result);
    }
    if (resultType.equals(ResultType.INPUT_REQUIRED) && Headers.PASS.equals(call.input())) {
      return false; // the caller answers the questions itself
    }
    if (!resultType.equals(ResultType.INPUT_REQUIRED)
        && call instanceof BusCall caller
        && caller.isAsIs()
        && !caller.asksForTasks()) {
      return false; // a type of an extension: the caller is of this era and may know it
    }
    rounds.take(of, call, resultType, result);
    return true;
  }

  @Override
  public boolean onRefused(Session of, PendingRequest call, JsonRpcError error) {
    ReadySession now = connection.ready(of);
    if (now == null || !(call instanceof BusCall origin)) {
      return false;
    }
    if (error.code() == JsonRpcError.HEADER_MISMATCH && call.method().equals(Methods.TOOLS_CALL)) {
      return now.toolCalls().retryWithFreshSchema(origin);
    }
    if (error.code() == JsonRpcError.UNSUPPORTED_VERSION) {
      connection.forgetEra(null);
      connection.wantRestart(RestartReason.Request.NEW_VERSIONS);
    }
    return false;
  }

  @Override
  public boolean onSessionLost(Session of, PendingRequest call) {
    boolean repeats =
        connection.ready(of) != null && call instanceof BusCall origin && origin.repeat();
    if (repeats) {
      again.accept((BusCall) call);
    }
    return repeats;
  }

  @Override
  public void onRequest(
      Session of, RawJson requestId, String method, RawJson params, MessageOwner owner) {
    // The discover era has no requests from server to client, and no answers to them.
    if (of.era().era() == Era.INITIALIZE) {
      requests.handle(of, requestId, method, params, owner);
    }
  }

  @Override
  public MessageOwner ownerOfTask(String taskId) {
    return tasks.ownerOf(taskId);
  }

  @Override
  public boolean isPrivate() {
    return isPrivate;
  }

  @Override
  public void onReached(String address, String callId) {
    bus.send(address, callId);
  }

  @Override
  public void onCallNotification(
      String address, @Nullable String callId, String method, RawJson params) {
    ServerNotice.ofCall(bus, address, callId, method, params);
  }

  /**
   * Takes a notification. A server may log before it answers the handshake (MCP 2025-11-25,
   * Lifecycle, Initialization); what else it sends then is about things that no client has asked it
   * for, so this drops it.
   */
  @Override
  public void onNotification(Session of, String method, RawJson params, MessageOwner owner) {
    ReadySession now = connection.ready(of);
    if (now == null) {
      if (method.equals(Methods.MESSAGE) && connection.session() == of) {
        connection.publish(method, params, owner);
      }
      return;
    }
    switch (method) {
      case Methods.ACKNOWLEDGED -> now.subscriptions().acknowledged(params);
      case Methods.CANCELLED -> cancelled(now, params.member("requestId"));
      case Methods.TASKS_STATUS, Methods.TASKS_CHANGED -> {
        tasks.notified(of, params);
        connection.publish(method, params, tasks.ownerOf(TaskId.of(params)));
      }
      default -> {
        if (method.equals(Methods.RESOURCE_UPDATED)) {
          SubscriptionOperations.sweep(now, of.clock().millis());
        }
        now.cache().dropStale(method, params);
        connection.publish(method, params, owner);
      }
    }
  }

  /** Kept lists are not fresh any more before a client learns of it, and asks for the new one. */
  @Override
  public void onListChanged(Session of, String method, RawJson params, boolean passes) {
    ReadySession now = connection.ready(of);
    if (now != null) {
      now.cache().dropStale(method, params);
      lists.changed(now, method);
    }
    if (passes && connection.session() == of) {
      connection.announce(method, params);
    }
  }

  /**
   * In the {@code discover} era the server ends a subscription; in the other it withdraws a
   * question.
   */
  private void cancelled(ReadySession now, @Nullable RawJson requestId) {
    if (now.isDiscoverEra()) {
      now.subscriptions().cancelled(requestId);
    } else {
      requests.cancelled(requestId);
    }
  }

  @Override
  public Quirks quirks() {
    return connection.quirks();
  }

  @Override
  public @Nullable CallBreaker breaker() {
    return connection.breaker();
  }

  @Override
  public OutputListener output() {
    return connection.output();
  }

  @Override
  public void onEnded(Session of, McpFailure reason) {
    ended.accept(of, reason);
  }
}
