package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.request.SessionMessage;
import dev.mcpbus.gateway.request.TaskForms;
import dev.mcpbus.gateway.session.PrivateConnections.Opened;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.Message;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@link ParkedCall}s of one session host, within two bounds: calls, and tasks. At a bound the
 * call that has waited longest for its client makes room. Confined to the host's context.
 */
final class ParkedCalls {

  final HostParts host;
  final ParkedConnections connections;
  private final FairLimit<ParkedCall> calls;
  private final FairLimit<ParkedCall> tasks;
  final InstantSource clock;
  private final Set<ParkedCall> all = new HashSet<>();

  /** By the name that the client has: a {@code requestState} or the id of a task. */
  private final Map<String, ParkedCall> byState = new HashMap<>();

  /** By the response of the client that waits. */
  private final Map<String, ParkedCall> byResponse = new HashMap<>();

  /**
   * @param max calls, and as many tasks
   */
  ParkedCalls(HostParts host, int max, InstantSource clock) {
    this.host = host;
    this.clock = clock;
    this.connections = new ParkedConnections(host.vertx(), host.registry());
    this.calls = new FairLimit<>(max);
    this.tasks = new FairLimit<>(max);
  }

  // ---- messages of endpoints

  /**
   * Answers a message about a parked call.
   *
   * @throws McpFailure that the sender gets; {@code BAD_REQUEST} for an unknown operation
   */
  void handle(String op, Message<?> message) {
    switch (op) {
      case SessionMessage.CALL -> call(message);
      case SessionMessage.RETRY -> retry(message);
      case SessionMessage.TASK -> task(message);
      case SessionMessage.ABOUT_TASK -> aboutTask(message);
      default -> throw McpFailure.notSent(FailureCode.BAD_REQUEST, "unknown " + op);
    }
  }

  private void call(Message<?> message) {
    RetriedCall call = new RetriedCall(this, ParkedCall.ConnectionKey.of(message), message);
    admit(
        call,
        "all "
            + calls.max()
            + " calls that may ask their clients are under way, or yours are three quarters"
            + " of those that are left; try again later");
    call.await(message);
    connections
        .take(call.key)
        .onComplete(
            own -> {
              if (call.isOver()) {
                connections.giveBack(call.key, own);
              } else {
                call.begin(own);
              }
            },
            call::fail);
  }

  private void retry(Message<?> message) {
    String state = SessionMessage.header(message, SessionMessage.STATE);
    if (byState.get(state) instanceof RetriedCall call && call.isOf(message)) {
      call.checkAnswers(SessionMessage.params(message).member("inputResponses"));
      byState.remove(state);
      call.retry(message);
    } else {
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no call waits for this");
    }
  }

  private void task(Message<?> message) {
    RawJson params = SessionMessage.params(message);
    RawJson name = params.member("name");
    String tool = name == null || !name.isString() ? "" : name.asString();
    TaskCall task =
        new TaskCall(this, ParkedCall.ConnectionKey.of(message), host.registry().state(), tool);
    admit(
        task,
        "all "
            + tasks.max()
            + " tasks are at work, or yours are three quarters of those that are left; cancel"
            + " one, or try again later");
    noteUse(task);
    String response = SessionMessage.header(message, SessionMessage.EXCHANGE);
    waits(response, task);
    connections
        .take(task.key)
        .onComplete(known -> answered(response))
        .onComplete(
            own -> {
              if (task.isOver()) {
                connections.giveBack(task.key, own);
                message.reply(McpFailure.notSent(FailureCode.CANCELLED, "the client has gone"));
                return;
              }
              task.begin(own, params);
              message.reply(task.begun().toBuffer());
            },
            failure -> {
              task.cancel();
              message.reply(McpFailure.of(failure));
            });
  }

  /** {@code tasks/get}, {@code tasks/update}, {@code tasks/cancel}. */
  private void aboutTask(Message<?> message) {
    ParkedCall known = byState.get(SessionMessage.header(message, SessionMessage.STATE));
    if (!(known instanceof TaskCall task) || !isFor(task, message.headers())) {
      throw TaskForms.absent();
    }
    noteUse(task);
    String suffix = SessionMessage.header(message, SessionMessage.SUFFIX);
    message.reply(answer(task, suffix, SessionMessage.params(message)).toBuffer());
  }

  /** A task is for the principal that called the tool, as long as it may use the tool. */
  private boolean isFor(TaskCall task, MultiMap headers) {
    Principal caller = Principal.parse(String.valueOf(headers.get(SessionMessage.PRINCIPAL)));
    DirectoryView view =
        host.directory().view(String.valueOf(headers.get(SessionMessage.VIEW)), caller);
    return task.key.principal().equals(caller.name())
        && view != null
        && view.admits(ListKind.TOOLS, task.key.server(), task.tool());
  }

  private static RawJson answer(TaskCall task, String suffix, RawJson params) {
    if (Addresses.TASKS_GET.equals(suffix)) {
      return task.get();
    }
    if (Addresses.TASKS_UPDATE.equals(suffix)) {
      RawJson answers = params.member("inputResponses");
      task.checkAnswers(answers == null ? RawJson.NULL : answers);
      task.update(answers == null ? RawJson.EMPTY_OBJECT : answers);
    } else {
      task.cancel();
    }
    return ResultType.EMPTY;
  }

  /** The client has closed a response: so a {@code discover} client cancels its call. */
  void gone(String response) {
    ParkedCall call = byResponse.get(response);
    if (call != null) {
      call.cancel();
    }
  }

  // ---- the calls

  private FairLimit<ParkedCall> bound(ParkedCall call) {
    return call instanceof TaskCall ? tasks : calls;
  }

  private void admit(ParkedCall call, String refusal) {
    FairLimit.Verdict<ParkedCall> verdict = bound(call).admit(call, call.key.principal());
    if (verdict.isRefused()) {
      call.cancel();
      throw McpFailure.notSent(FailureCode.OVERLOADED, refusal);
    }
    all.add(call);
    ParkedCall waits = verdict.victim();
    if (waits != null) {
      waits.cancel();
      forget(waits);
    }
  }

  /** A response waits for the call. */
  void waits(String response, ParkedCall call) {
    byResponse.put(response, call);
  }

  void answered(String response) {
    byResponse.remove(response);
  }

  /** Whether a call is in use has changed, or its client has shown that it still wants it. */
  void noteUse(ParkedCall call) {
    if (!all.contains(call)) {
      return;
    }
    boolean inUse = call.isInUse();
    String state = call.state();
    if (state != null) {
      byState.put(state, call);
    }
    boolean changed = inUse != bound(call).isInUse(call);
    bound(call).use(call, inUse);
    Opened own = call.connection();
    if (changed && own != null) {
      connections.use(own, inUse);
    }
  }

  /** A call is over: its connection is free; a task keeps its result for a while. */
  void ended(ParkedCall call) {
    Opened own = call.connection();
    if (own != null) {
      connections.giveBack(call.key, own);
    }
    if (own != null && call instanceof TaskCall) {
      String id = call.state(); // the timer must not hold a call that is forgotten before
      host.vertx().setTimer(TaskCall.KEPT_MILLIS, late -> expire(id));
    } else {
      forget(call);
    }
  }

  private void expire(@Nullable String state) {
    ParkedCall kept = byState.get(state);
    if (kept != null) {
      forget(kept);
    }
  }

  private void forget(ParkedCall call) {
    all.remove(call);
    bound(call).remove(call);
    String state = call.state();
    if (state != null) {
      byState.remove(state);
    }
  }

  /** Ends a private connection if no call uses it. */
  void giveUp(String connection) {
    connections.giveUp(connection);
  }

  Future<Void> close() {
    List.copyOf(all).forEach(ParkedCall::cancel);
    return connections.close();
  }
}
