package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.dialect.Initialize;
import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.HostMessage.AnswerMessage;
import dev.mcpbus.gateway.request.HostMessage.PostMessage;
import dev.mcpbus.gateway.request.HostMessage.TakeMessage;
import dev.mcpbus.gateway.request.ListParams;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.PublishedSession.StraightCall;
import dev.mcpbus.gateway.request.RequestAudit;
import dev.mcpbus.gateway.request.UnknownMethods;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.security.RequestSource;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one session, from their arrival to their answers. Makes a {@link GatewayRequest}
 * of each, lets the session itself or the {@code RequestRouter} answer it, and writes the answer.
 * Requests run concurrently; an answer goes out when it is there. Confined to the session's host.
 */
final class SessionRequests {

  private final HostParts host;
  private final GatewaySession session;

  /** In flight, by call id, in the order of their arrival. */
  private final Map<String, SessionCall> calls = new LinkedHashMap<>();

  /** Calls that went straight to a connection and on which questions wait, by their ids. */
  private final Map<String, Promise<Void>> taking = new HashMap<>();

  /** Notifications that wait for a connection. */
  private int notifications;

  SessionRequests(HostParts host, GatewaySession session) {
    this.host = host;
    this.session = session;
  }

  int size() {
    return calls.size();
  }

  /** Whether the client reads the response of a call. */
  boolean isRead() {
    for (SessionCall call : calls.values()) { // twice per message: the first is read nearly always
      if (call.stream.isRead()) {
        return true;
      }
    }
    return false;
  }

  @Nullable SessionCall get(String callId) {
    return calls.get(callId);
  }

  /** Params in which the client names calls at that connection, by their call ids. */
  RawJson toServer(ConnectionId at, RawJson params) {
    return RequestIds.replaced(
        params,
        id -> straight(at, callId(id, call -> at.equals(call.at()) && id.equals(call.id))),
        token -> callId(token, call -> at.equals(call.at()) && token.equals(call.token)));
  }

  private RawJson straight(ConnectionId at, RawJson named) {
    for (StraightCall call : session.published.calls()) {
      if (at.equals(call.at()) && named.equals(call.id())) {
        return RawJson.string(call.request().callId());
      }
    }
    return named;
  }

  private RawJson callId(RawJson named, Predicate<SessionCall> is) {
    for (SessionCall call : calls.values()) {
      if (is.test(call)) {
        return RawJson.string(call.request().callId());
      }
    }
    return named;
  }

  /** The latest call that was sent to a connection; null if none is in flight there. */
  @Nullable SessionCall latestAt(String connection) {
    SessionCall found = null;
    for (SessionCall call : calls.values()) {
      if (call.at() != null && call.at().value().equals(connection)) {
        found = call;
      }
    }
    return found;
  }

  /**
   * A request of the client: bound, call, answer, audit, end.
   *
   * @param message whose reply is the answer
   */
  void request(Message<?> message, PostMessage post, RawJson id, String method, RawJson params) {
    if (calls.size() + session.published.calls().size() >= host.maxCalls()) {
      message.reply(
          Initialize.failed(
              id,
              McpFailure.notSent(
                  FailureCode.OVERLOADED,
                  host.maxCalls() + " requests of this session are in flight already")));
      return;
    }
    SessionCall call = begin(message, post, id, method, params);
    Future<RawJson> answer;
    try {
      answer =
          host.directory().audit().precedesCalls()
              ? begun(post, call.request(), () -> answer(call))
              : answer(call);
    } catch (RuntimeException refused) {
      answer = Future.failedFuture(McpErrors.of(refused));
    }
    answer.onComplete(
        outcome -> {
          audit(post, call, outcome);
          call.ended(outcome);
          end(call, call.written(outcome), call.repeats());
        });
  }

  /**
   * A notification of the client that MCP does not define: the router sends it to a server, if the
   * policies permit that. Drops it at the bound on requests in flight. Its HTTP request has an
   * answer before a server has it, so the caller pays for it until then.
   *
   * @throws McpFailure if the caller cannot pay
   */
  void notification(Message<?> message, PostMessage post, String method, RawJson params) {
    if (calls.size() + session.published.calls().size() + notifications >= host.maxCalls()) {
      return;
    }
    ByteBudget.ByteAccount kept =
        ByteBudget.of(host.vertx()).account(ByteBudget.ByteUse.KEPT, session.owner());
    if (!kept.take(params.length())) {
      throw McpFailure.unpaid(McpFailure.Sent.NO, kept.refusal(params.length()));
    }
    TraceContext trace = GatewayRequest.trace(message.headers(), params.member("_meta"));
    CallOrigin origin = CallOrigin.of(message.headers());
    GatewayRequest request = request(method, params, false, trace, origin);
    // Over the connection that answers the client's calls; the client hears nothing of it.
    GatewayCall sent =
        new GatewayCall(host.vertx(), host.sender(), request) {
          @Override
          protected Future<RawJson> send(String server, String suffix, RawJson own) {
            return session
                .servers
                .connection(server)
                .compose(
                    at ->
                        sendTo(
                            at,
                            suffix,
                            UnknownMethods.adapted(suffix, own, all -> toServer(at, all))));
          }
        };
    notifications++;
    begun(post, request, () -> host.router().notify(sent))
        .onComplete(
            outcome -> {
              notifications--;
              kept.close();
              host.registry().remove(request.callId());
              audit(post, sent, outcome);
            });
  }

  private SessionCall begin(
      Message<?> message, PostMessage post, RawJson id, String method, RawJson params) {
    RawJson meta = params.member("_meta");
    RawJson token = meta == null ? null : meta.member(MetaKeys.PROGRESS_TOKEN);
    TraceContext trace = GatewayRequest.trace(message.headers(), meta);
    CallOrigin origin = CallOrigin.of(message.headers());
    GatewayRequest request = request(method, params, token != null, trace, origin);
    SessionCall call = new SessionCall(host, session, request, id, token, message, post.from());
    if (host.telemetry() != null) {
      call.measureBy(host.telemetry(), id, session.version(), message.headers());
    }
    calls.put(request.callId(), call);
    session.noteUse();
    return call;
  }

  private GatewayRequest request(
      String method,
      RawJson params,
      boolean progress,
      @Nullable TraceContext trace,
      CallOrigin origin) {
    return new GatewayRequest(
        Era.INITIALIZE,
        session.principal(),
        session.view(),
        method,
        params,
        host.registry().add(session.inbox),
        host.registry().calling(),
        host.registry().inputs(),
        progress,
        session.inbox.level() != null,
        false,
        trace,
        System.nanoTime(),
        origin);
  }

  private Future<RawJson> answer(SessionCall call) {
    GatewayRequest request = call.request();
    return switch (request.method()) {
      case Methods.PING -> Future.succeededFuture(RawJson.EMPTY_OBJECT);
      case Methods.SET_LEVEL -> level(call);
      case Methods.RESOURCES_SUBSCRIBE ->
          decidesOnUri(request, uri -> true)
              ? host.router().sendAsIs(call, Addresses.RESOURCES_SUBSCRIBE)
              : session.subscriptions.add(call, request.text("uri"));
      case Methods.RESOURCES_UNSUBSCRIBE ->
          decidesOnUri(request, session.subscriptions::has)
              ? host.router().sendAsIs(call, Addresses.RESOURCES_UNSUBSCRIBE)
              : session.subscriptions.remove(request.text("uri"), request.params());
      case Methods.TASKS_GET, Methods.TASKS_RESULT, Methods.TASKS_CANCEL, Methods.TASKS_LIST ->
          session.tasks.route(call);
      case Methods.TOOLS_CALL ->
          host.router().route(call).map(result -> session.tasks.begun(call, result));
      default ->
          host.router()
              .route(call)
              .onSuccess(result -> saw(request.method()))
              .onFailure(failure -> missed(request, failure));
    };
  }

  /**
   * Whether the server itself says what the URI of a subscription is worth.
   *
   * @param known whether mcpbus has something to do for a URI
   */
  private boolean decidesOnUri(GatewayRequest request, Predicate<String> known) {
    RawJson uri = request.params().member("uri");
    boolean isKnown = uri != null && uri.isString() && known.test(uri.asString());
    return session.servers.decides(request, "resources", isKnown);
  }

  private Future<RawJson> level(SessionCall call) {
    Future<RawJson> refused = host.router().refusedLevel(call);
    if (refused != null) {
      return refused;
    }
    GatewayRequest request = call.request();
    boolean known = Initialize.isLevel(request.params().member("level"));
    if (session.servers.decides(request, "logging", known)) {
      return host.router().sendAsIs(call, Addresses.LOGLEVEL);
    }
    String wanted = request.text("level");
    Initialize.checkLevel(wanted);
    if (request.isAsIs()) {
      return session
          .servers
          .connections
          .askLevel(wanted, request.params())
          .onSuccess(accepted -> noteLevel(wanted));
    }
    session.servers.connections.wantLevel(wanted);
    noteLevel(wanted);
    return Future.succeededFuture(RawJson.EMPTY_OBJECT);
  }

  private void noteLevel(String wanted) {
    session.inbox.level(wanted);
    session.publish(); // before the client has the answer
    host.store().note(session.id, SessionStore.LEVEL, wanted);
  }

  /** The client knows a list now, and receives a notification of later changes. */
  private void saw(String method) {
    ListKind kind = ListKind.ofMethod(method);
    if (kind != null) {
      session.changes.saw(
          session.servers.connections.lists.over(host.directory().snapshot()), kind);
    }
  }

  /** The client receives a notification when the list can be read, which may be already. */
  private void missed(GatewayRequest request, Throwable failure) {
    ListKind kind = ListKind.ofMethod(request.method());
    if (kind == null
        || request.params().member("cursor") != null
        || ListParams.goToServer(request)) {
      return; // the error may be about the params
    }
    McpFailure why = McpFailure.of(failure);
    boolean isFinal =
        why.isUpstream(JsonRpcError.INVALID_PARAMS) // bad params
            || why.isUpstream(JsonRpcError.METHOD_NOT_FOUND); // no list of that kind
    if (!isFinal) {
      session.changes.missed(kind);
      session.changed();
    }
  }

  private Future<RawJson> begun(
      PostMessage post, GatewayRequest request, Supplier<Future<RawJson>> go) {
    return RequestAudit.begun(host.vertx(), host.directory().audit(), source(post), request, go);
  }

  private void audit(PostMessage post, GatewayCall call, AsyncResult<RawJson> outcome) {
    RequestAudit.ended(host.directory().audit(), source(post), call, outcome);
  }

  private static RequestSource source(PostMessage post) {
    return RequestSource.parse(post.source());
  }

  /**
   * The client does not wait for the answer to a request any more.
   *
   * @param params of its notification
   */
  void cancel(RawJson id, RawJson params) {
    for (SessionCall call : List.copyOf(calls.values())) {
      if (call.id.equals(id)) {
        call.cancel(params);
        end(call, null, 0); // MCP, Cancellation: no response to a cancelled request
      }
    }
    for (StraightCall call : session.published.calls()) {
      if (call.id().equals(id)) {
        call.cancelled(params);
      }
    }
  }

  // ---- calls that went straight to a connection

  /** Completes when this host has a call, which a question needs; fails if the call is over. */
  Future<Void> taken(String callId) {
    StraightCall call = session.published.call(callId);
    Promise<Void> known = taking.get(callId);
    if (known != null) {
      return known.future();
    }
    if (call == null) {
      return Future.failedFuture(CallRegistry.gone());
    }
    Promise<Void> taken = Promise.promise();
    taking.put(callId, taken);
    call.handOver()
        .onSuccess(
            handed ->
                session.context.runOnContext(
                    now -> {
                      if (!handed && taking.remove(callId, taken)) {
                        taken.fail(CallRegistry.gone());
                      }
                    }));
    return taken.future();
  }

  /** The HTTP verticle hands a call over: its response is here from now on. */
  void take(Message<?> message, TakeMessage take) {
    String callId = take.callId();
    StraightCall straight = session.published.take(callId);
    if (straight == null) {
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such call");
    }
    SessionCall call = new SessionCall(host, session, straight, message, take.from());
    if (take.keep()) {
      call.stream.keep();
    }
    calls.put(callId, call);
    host.registry().add(callId, session.inbox);
    session.noteUse();
    Promise<Void> waited = taking.remove(callId);
    if (waited != null) {
      waited.complete();
    }
  }

  /** The server has answered such a call; the HTTP verticle has written the answer. */
  void answered(AnswerMessage answer, Buffer written) {
    SessionCall call = calls.get(answer.callId());
    if (call != null) {
      end(call, written.length() == 0 ? null : written, answer.repeats());
    }
  }

  /**
   * Ends a call that has not ended.
   *
   * @param answer null if the client gets none
   */
  private void end(SessionCall call, @Nullable Buffer answer, int repeats) {
    String callId = call.request().callId();
    if (calls.remove(callId) == null) {
      return;
    }
    session.touch();
    host.registry().remove(callId);
    session.questions.callEnded(callId);
    session.streams.finish(call.stream, call.message, call.exchange, answer, repeats);
    session.noteUse();
  }

  /** The session ends: cancels its calls, and tells their clients so. */
  void close() {
    calls.values().forEach(GatewayCall::cancel);
    calls.keySet().forEach(host.registry()::remove);
    for (SessionCall call : calls.values()) {
      Buffer answer = Initialize.failed(call.id, McpErrors.sessionEnded());
      session.streams.finish(call.stream, call.message, call.exchange, answer, 0);
    }
    calls.clear();
    taking.values().forEach(waiting -> waiting.tryFail(CallRegistry.gone()));
    taking.clear();
  }
}
