package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.client.ParkedCall.CallKeeper;
import dev.mcpbus.gateway.client.RetriedCall.WaitingResponse;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.AboutTaskMessage;
import dev.mcpbus.gateway.request.HostMessage.CallMessage;
import dev.mcpbus.gateway.request.HostMessage.Parking;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.ResultUris;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.security.Principal;
import io.vertx.core.Context;
import io.vertx.core.eventbus.Message;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The {@link ParkedCall}s of one session host, within the bounds of its node. At a bound the call
 * that has waited longest for its client makes room. Confined to the host's context.
 */
final class ParkedCalls implements CallKeeper {

  private final HostParts host;
  private final GatewayClients clients;
  private final ParkedCallBounds bounds;
  private final Context context;
  private final InstantSource clock;
  private final Set<ParkedCall> all = new HashSet<>();

  /** By the name that the client has: a {@code requestState} or the id of a task. */
  private final Map<String, ParkedCall> byState = new HashMap<>();

  /** By the response of the client that waits. */
  private final Map<String, ParkedCall> byResponse = new HashMap<>();

  private final long questionMillis;

  /** Binds the object to the context of the caller. */
  ParkedCalls(
      HostParts host, GatewayClients clients, ParkedCallBounds bounds, InstantSource clock) {
    this(host, clients, bounds, clock, CallDeadline.QUESTION_MILLIS);
  }

  ParkedCalls(
      HostParts host,
      GatewayClients clients,
      ParkedCallBounds bounds,
      InstantSource clock,
      long questionMillis) {
    this.questionMillis = questionMillis;
    this.host = host;
    this.clients = clients;
    this.bounds = bounds;
    this.clock = clock;
    this.context = host.vertx().getOrCreateContext();
  }

  // ---- messages of endpoints

  /**
   * A client makes a call, or comes back for one.
   *
   * @throws McpFailure that the sender gets
   */
  void call(Message<?> message, CallMessage said) {
    StatedClient stated = said.client();
    if (said.parking() == Parking.RETRY) {
      retry(message, said);
    } else if (stated == null) {
      throw McpFailure.notSent(FailureCode.BAD_REQUEST, "no client makes the call");
    } else if (said.parking() == Parking.TASK) {
      task(message, said, stated);
    } else {
      call(message, said, stated);
    }
  }

  private void call(Message<?> message, CallMessage said, StatedClient stated) {
    RetriedCall call = new RetriedCall(this, clients.of(stated, said.from()), said, stated);
    admit(
        call,
        "all "
            + bounds.calls().max()
            + " calls that may ask their clients are under way, or yours are three quarters"
            + " of those that are left; try again later");
    WaitingResponse response = new WaitingResponse(message, said);
    call.await(response);
    call.connect()
        .onComplete(
            own -> {
              if (!call.isOver()) {
                call.begin(own, response);
              }
            },
            call::fail);
  }

  private void retry(Message<?> message, CallMessage said) {
    WaitingResponse response = new WaitingResponse(message, said);
    if (byState.get(said.state()) instanceof RetriedCall call && call.isOf(response)) {
      call.client.questions.check(call, response.params().member("inputResponses"));
      byState.remove(said.state());
      call.retry(response);
    } else {
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no call waits for this");
    }
  }

  private void task(Message<?> message, CallMessage said, StatedClient stated) {
    RawJson params = HostMessage.params(message);
    RawJson name = params.member("name");
    String tool = name == null || !name.isString() ? "" : name.asString();
    GatewayClient client = clients.of(stated, said.from());
    TaskCall task =
        new TaskCall(
            this, client, said.server(), client.statement(stated), host.registry().state(), tool);
    admit(
        task,
        "all "
            + bounds.tasks().max()
            + " tasks are at work, or yours are three quarters of those that are left; cancel"
            + " one, or try again later");
    noteUse(task);
    String response = said.from().exchange();
    waits(response, task);
    task.connect()
        .compose(own -> CallOrigin.ifAwaited(host.vertx(), message.headers(), own))
        .onComplete(known -> answered(response))
        .onComplete(
            own -> {
              if (task.isOver()) {
                message.reply(McpFailure.notSent(FailureCode.CANCELLED, "the client has gone"));
                return;
              }
              try {
                task.park(params.length());
              } catch (McpFailure unpaid) {
                task.cancel();
                message.reply(unpaid);
                return;
              }
              task.begin(own, params);
              message.reply(task.begun().toBuffer());
            },
            failure -> {
              task.cancel();
              GatewayClients.refuse(message, failure);
            });
  }

  /** {@code tasks/get}, {@code tasks/update}, {@code tasks/cancel}. */
  void aboutTask(Message<?> message, AboutTaskMessage about) {
    ParkedCall known = byState.get(about.state());
    Principal caller = Principal.parse(about.principal());
    DirectoryView view = host.directory().view(about.view(), caller);
    if (!(known instanceof TaskCall task) || view == null || !isFor(task, caller, view)) {
      throw McpErrors.taskAbsent();
    }
    noteUse(task);
    RawJson answer = answer(task, about.suffix(), HostMessage.params(message));
    ResultUris.named(host.vertx(), answer, task.server, view, host.directory().snapshot(view))
        .onComplete(
            named -> message.reply(named.toBuffer()),
            failure -> message.reply(McpFailure.of(failure)));
  }

  /** A task is for the principal that called the tool, as long as it may use the tool. */
  private static boolean isFor(TaskCall task, Principal caller, DirectoryView view) {
    return task.client.owner.equals(caller.name())
        && view.admits(ListKind.TOOLS, task.server, task.tool());
  }

  private static RawJson answer(TaskCall task, String suffix, RawJson params) {
    if (Addresses.TASKS_GET.equals(suffix)) {
      return task.get();
    }
    if (Addresses.TASKS_UPDATE.equals(suffix)) {
      RawJson answers = params.member("inputResponses");
      task.client.questions.check(task, answers == null ? RawJson.NULL : answers);
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

  @Override
  public HostParts host() {
    return host;
  }

  @Override
  public InstantSource clock() {
    return clock;
  }

  @Override
  public long questionMillis() {
    return questionMillis;
  }

  private void admit(ParkedCall call, String refusal) {
    FairLimit.Verdict<ParkedCall> verdict = bounds.of(call).admit(call, call.client.owner);
    if (verdict.isRefused()) {
      call.cancel();
      throw McpFailure.notSent(FailureCode.OVERLOADED, refusal);
    }
    all.add(call);
    call.client.begins(call);
    ParkedCall waits = verdict.victim();
    if (waits != null) {
      waits.home.makeRoom(waits);
    }
  }

  @Override
  public void makeRoom(ParkedCall call) {
    context.runOnContext(
        now -> {
          call.cancel();
          forget(call);
        });
  }

  @Override
  public void waits(String response, ParkedCall call) {
    byResponse.put(response, call);
  }

  @Override
  public RawJson toServer(RawJson params) {
    UnaryOperator<RawJson> callId =
        name -> {
          ParkedCall call = name.isString() ? byResponse.get(name.asString()) : null;
          return call == null ? name : RawJson.string(call.callId());
        };
    return RequestIds.replaced(params, callId, callId);
  }

  /** Whether a response waits for a call. */
  boolean isAwaited() {
    return !byResponse.isEmpty();
  }

  @Override
  public void answered(String response) {
    byResponse.remove(response);
  }

  @Override
  public void noteUse(ParkedCall call) {
    if (!all.contains(call)) {
      return;
    }
    boolean inUse = call.isInUse();
    String state = call.state();
    if (state != null) {
      byState.put(state, call);
    }
    bounds.of(call).use(call, inUse);
    call.client.noteUse();
  }

  @Override
  public void ended(ParkedCall call) {
    call.client.ended(call);
    call.client.endIfUnused();
    if (call.connection() != null && call instanceof TaskCall) {
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
    call.forgotten();
    bounds.of(call).remove(call);
    String state = call.state();
    if (state != null) {
      byState.remove(state);
    }
  }

  /** The host ends: cancels the calls, and tells the clients that wait so. */
  void close() {
    List.copyOf(all).forEach(ParkedCall::hostEnds);
    List.copyOf(all).forEach(this::forget);
  }
}
