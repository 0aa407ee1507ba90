package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.ViewList;
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
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.RequestSource;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The messages of clients with a session, from their arrival to their answers. Makes a {@link
 * GatewayRequest} of each request, lets the session itself or the {@code RequestRouter} answer it,
 * and writes the answer. Requests run concurrently; an answer goes out when it is there. Confined
 * to the host's context.
 */
final class SessionRequests {

  /** Subscriptions of one session. */
  private static final int MAX_WATCHED = 1_000;

  private final HostParts host;

  SessionRequests(HostParts host) {
    this.host = host;
  }

  /** A message of a client. */
  void post(GatewayClient client, Message<?> message, PostMessage post, Envelope envelope) {
    RawJson id = envelope.id();
    if (envelope.kind() == Envelope.Kind.REQUEST && id != null) {
      request(client, message, post, id, envelope);
    } else {
      if (envelope.kind() == Envelope.Kind.NOTIFICATION) {
        notified(client, message, post, envelope);
      } else {
        client.questions.answered(envelope);
      }
      message.reply(Buffer.buffer());
    }
    client.noteUse(); // restarts the idle time
  }

  private void notified(
      GatewayClient client, Message<?> message, PostMessage post, Envelope envelope) {
    String method = envelope.method();
    RawJson params = envelope.params();
    RawJson cancelled = params.member("requestId");
    if (method.equals(Methods.INITIALIZED)) {
      client.stated().initialized(params);
    } else if (method.equals(Methods.ROOTS_CHANGED)) {
      client.connections.rootsChanged(params);
    } else if (method.equals(Methods.CANCELLED) && cancelled != null) {
      cancel(client, cancelled, params);
    } else if (method.equals(Methods.PROGRESS)) {
      String asks = client.questions.asking(params.member(MetaKeys.PROGRESS_TOKEN));
      if (asks != null) {
        client.connections.progressed(asks, params);
      }
    } else if (method.equals(Methods.TASKS_STATUS)) {
      if (client.view().isOfOneServer()) { // the client's id of the task names no server
        client.connections.taskChanged(params);
      }
    } else if (!Methods.isKnown(method)) {
      notification(client, message, post, envelope);
    }
  }

  /**
   * A request of the client: bound, call, answer, audit, end.
   *
   * @param message whose reply is the answer
   */
  private void request(
      GatewayClient client, Message<?> message, PostMessage post, RawJson id, Envelope envelope) {
    if (client.size() >= host.maxCalls()) {
      message.reply(
          Initialize.failed(
              id,
              McpFailure.notSent(
                  FailureCode.OVERLOADED,
                  host.maxCalls() + " requests of this session are in flight already")));
      return;
    }
    RawJson meta = envelope.params().member("_meta");
    RawJson token = meta == null ? null : meta.member(MetaKeys.PROGRESS_TOKEN);
    GatewayRequest request = request(client, message, envelope, token != null);
    SessionCall call =
        new SessionCall(host, client, request, id, token, message, post.from(), null);
    if (host.telemetry() != null) {
      call.measureBy(host.telemetry(), id, client.stated().version(), message.headers());
    }
    client.begins(call);
    Future<RawJson> answer;
    try {
      answer =
          host.directory().audit().precedesCalls()
              ? begun(post, request, () -> answer(call))
              : answer(call);
    } catch (RuntimeException refused) {
      answer = Future.failedFuture(McpErrors.of(refused));
    }
    answer.onComplete(
        outcome -> {
          audit(post, call, outcome);
          call.ended(outcome);
          call.end(call.written(outcome), call.repeats());
        });
  }

  /**
   * A notification of the client that MCP does not define: the router sends it to a server, if the
   * policies permit that. Drops it at the bound on requests in flight. Its HTTP request has an
   * answer before a server has it, so the caller pays for it until then.
   *
   * @throws McpFailure if the caller cannot pay
   */
  private void notification(
      GatewayClient client, Message<?> message, PostMessage post, Envelope envelope) {
    if (client.size() + client.notifications >= host.maxCalls()) {
      return;
    }
    ByteBudget.ByteAccount kept =
        ByteBudget.of(host.vertx()).account(ByteBudget.ByteUse.KEPT, client.owner);
    int length = envelope.params().length();
    if (!kept.take(length)) {
      throw McpFailure.unpaid(McpFailure.Sent.NO, kept.refusal(length));
    }
    GatewayRequest request = request(client, message, envelope, false);
    // Over the connection that answers the client's calls; the client hears nothing of it.
    GatewayCall sent =
        new GatewayCall(host.vertx(), host.sender(), request) {
          @Override
          protected Future<RawJson> send(String server, String suffix, RawJson own) {
            return client
                .connection(server)
                .compose(
                    at ->
                        sendTo(
                            at,
                            suffix,
                            UnknownMethods.adapted(
                                suffix, own, all -> SessionCall.named(client, at, all))));
          }
        };
    client.notifications++;
    begun(post, request, () -> host.router().notify(sent))
        .onComplete(
            outcome -> {
              client.notifications--;
              kept.close();
              host.registry().remove(request.callId());
              audit(post, sent, outcome);
            });
  }

  private GatewayRequest request(
      GatewayClient client, Message<?> message, Envelope envelope, boolean progress) {
    return new GatewayRequest(
        Era.INITIALIZE,
        client.stated().principal(),
        client.view(),
        envelope.method(),
        envelope.params(),
        host.registry().add(client),
        host.registry().calling(),
        host.registry().inputs(),
        progress,
        client.connections.logLevel.get() != null,
        false,
        GatewayRequest.trace(message.headers(), envelope.params().member("_meta")),
        System.nanoTime(),
        CallOrigin.of(message.headers()));
  }

  private Future<RawJson> answer(SessionCall call) {
    GatewayClient client = call.client;
    GatewayRequest request = call.request();
    return switch (request.method()) {
      case Methods.PING -> Future.succeededFuture(RawJson.EMPTY_OBJECT);
      case Methods.SET_LEVEL -> level(call);
      case Methods.RESOURCES_SUBSCRIBE ->
          decidesOnUri(request, uri -> true)
              ? host.router().sendAsIs(call, Addresses.RESOURCES_SUBSCRIBE)
              : subscribe(client, call, request.text("uri"));
      case Methods.RESOURCES_UNSUBSCRIBE ->
          decidesOnUri(request, client.standing().watched::has)
              ? host.router().sendAsIs(call, Addresses.RESOURCES_UNSUBSCRIBE)
              : client
                  .standing()
                  .watched
                  .remove(request.text("uri"), request.params())
                  .onSuccess(removed -> note(client));
      case Methods.TASKS_GET, Methods.TASKS_RESULT, Methods.TASKS_CANCEL, Methods.TASKS_LIST ->
          client.tasks.route(call);
      case Methods.TOOLS_CALL ->
          host.router().route(call).map(result -> client.tasks.begun(call, result));
      default ->
          host.router()
              .route(call)
              .onSuccess(result -> saw(client, request.method()))
              .onFailure(failure -> missed(client, request, failure));
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
    return decides(request, "resources", isKnown);
  }

  /**
   * Whether the older server of the client's view says itself what a request is worth, because it
   * lacks the capability, or because the request has not what MCP demands.
   */
  private boolean decides(GatewayRequest request, String capability, boolean isWellFormed) {
    DirectoryEntry facts = host.directory().snapshot(request.view()).server(request.view().name());
    return request.isAsIs()
        && facts != null
        && !facts.isDiscover()
        && !(isWellFormed && !facts.lacks(capability));
  }

  /** The result of {@code resources/subscribe}. */
  private Future<RawJson> subscribe(GatewayClient client, GatewayCall call, String uri) {
    call.about(null, uri);
    if (client.watched() >= MAX_WATCHED) {
      throw McpFailure.notSent(
          FailureCode.OVERLOADED, MAX_WATCHED + " resources are subscribed to already");
    }
    Future<ViewList.Target> found =
        host.router()
            .subscribable(client.view(), uri)
            .onFailure(absent -> host.router().noteDenied(call, ListKind.RESOURCES, uri));
    return watch(client, found, uri, call.request().params(), server -> call.about(server, uri))
        .onSuccess(added -> note(client));
  }

  /** Subscribes again to what the facts of a resumed session name. */
  void continueFrom(GatewayClient client, JsonObject facts) {
    for (Object uri : facts.getJsonArray(HostMap.URIS, new JsonArray())) {
      String name = String.valueOf(uri);
      Future<ViewList.Target> found = host.router().subscribable(client.view(), name);
      watch(client, found, name, RawJson.EMPTY_OBJECT, server -> {});
    }
  }

  private void note(GatewayClient client) {
    host.store().note(client.key, HostMap.URIS, client.standing().watched.uris());
  }

  /**
   * @param about receives the server that has the resource
   */
  private static Future<RawJson> watch(
      GatewayClient client,
      Future<ViewList.Target> subscribable,
      String uri,
      RawJson params,
      Consumer<String> about) {
    return subscribable.compose(
        found -> {
          about.accept(found.server());
          return client.standing().watched.add(found.server(), found.key(), uri, params);
        });
  }

  private Future<RawJson> level(SessionCall call) {
    Future<RawJson> refused = host.router().refusedLevel(call);
    if (refused != null) {
      return refused;
    }
    GatewayClient client = call.client;
    GatewayRequest request = call.request();
    boolean known = Initialize.isLevel(request.params().member("level"));
    if (decides(request, "logging", known)) {
      return host.router().sendAsIs(call, Addresses.LOGLEVEL);
    }
    String wanted = request.text("level");
    Initialize.checkLevel(wanted);
    if (request.isAsIs()) {
      return client
          .connections
          .logLevel
          .ask(wanted, request.params())
          .onSuccess(accepted -> noteLevel(client, wanted));
    }
    client.connections.logLevel.want(wanted);
    noteLevel(client, wanted);
    return Future.succeededFuture(RawJson.EMPTY_OBJECT);
  }

  private void noteLevel(GatewayClient client, String wanted) {
    client.publish(); // before the client has the answer
    host.store().note(client.key, HostMap.LEVEL, wanted);
  }

  /** The client knows a list now, and receives a notification of later changes. */
  private void saw(GatewayClient client, String method) {
    ListKind kind = ListKind.ofMethod(method);
    if (kind != null) {
      client.standing().changes.saw(client.seen(), kind);
    }
  }

  /** The client receives a notification when the list can be read, which may be already. */
  private void missed(GatewayClient client, GatewayRequest request, Throwable failure) {
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
      client.standing().changes.missed(kind);
      client.changed();
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
  private void cancel(GatewayClient client, RawJson id, RawJson params) {
    for (SessionCall call : SessionCall.of(client)) {
      if (call.id.equals(id)) {
        call.cancel(params);
        call.end(null, 0); // MCP, Cancellation: no response to a cancelled request
      }
    }
    for (StraightCall call : client.published.calls()) {
      if (call.id().equals(id)) {
        call.cancelled(params);
      }
    }
  }

  // ---- calls that went straight to a connection

  /** The HTTP verticle hands a call over: its response is here from now on. */
  void take(GatewayClient client, Message<?> message, TakeMessage take) {
    StraightCall straight = client.published.take(take.callId());
    if (straight == null) {
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such call");
    }
    SessionCall call =
        new SessionCall(
            host, client, straight.request(), straight.id(), null, message, take.from(), straight);
    if (take.keep()) {
      call.stream.keep();
    }
    host.registry().add(take.callId(), client);
    client.begins(call);
  }

  /** The server has answered such a call; the HTTP verticle has written the answer. */
  static void answered(GatewayClient client, AnswerMessage answer, Buffer written) {
    if (client.calls.get(answer.callId()) instanceof SessionCall call) {
      call.end(written.length() == 0 ? null : written, answer.repeats());
    }
  }
}
