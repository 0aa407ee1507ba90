package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.InstanceId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.Via;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests of the {@code server/discover} era: each describes itself, nothing is kept of it but the
 * open response. Confined to the context of the HTTP verticle.
 */
final class DiscoverEndpoint {

  /** A client that wants to know of changes listens; the others ask again after this. */
  private static final long DISCOVER_TTL_MILLIS = 60_000;

  private record Call(GatewayRequest ask, HttpReply reply, @Nullable RawJson token) {}

  private final Vertx vertx;
  private final Directory directory;
  private final Implementation serverInfo;
  private final OpenReplies replies;
  private final String name;

  /** Of this life of the door: whoever sees the name of one call cannot tell another's. */
  private final String secret = RandomNames.create(16);

  private final SessionHostNames hostNames;
  private final String calling;
  private final RequestRouter router;
  private final ListenStreams listeners;
  private final DiscoverTasks tasks;
  private final Map<String, Call> calls = new HashMap<>();
  private long sequence;

  /**
   * @param name of the HTTP verticle
   */
  DiscoverEndpoint(
      Vertx vertx,
      Directory directory,
      GatewayOptions options,
      Implementation serverInfo,
      OpenReplies replies,
      String name,
      SessionHostNames hostNames) {
    this.vertx = vertx;
    this.directory = directory;
    this.serverInfo = serverInfo;
    this.replies = replies;
    this.name = name;
    this.hostNames = hostNames;
    this.calling = Addresses.GATEWAY_CALLS + name;
    this.router = new RequestRouter(vertx, directory, options.pageSize());
    this.tasks = new DiscoverTasks(hostNames, directory, router);
    this.listeners = new ListenStreams(vertx, directory, router, replies, tasks);
  }

  ListenStreams listeners() {
    return listeners;
  }

  void handle(
      MultiMap headers,
      Principal principal,
      Envelope message,
      @Nullable RawJson meta,
      DirectoryView view,
      HttpReply reply) {
    RawJson id = message.id();
    if (message.kind() != Envelope.Kind.REQUEST || id == null) {
      reply.status(202); // the era has no notification that means anything here
      return;
    }
    String method = message.method();
    RawJson params = message.params();
    try {
      RequestHeaders.check(headers, method, params, meta);
    } catch (McpFailure refused) {
      reply.refuse(400, id, refused);
      return;
    }
    switch (method) {
      case Methods.DISCOVER -> discover(view, id, reply);
      case Methods.LISTEN -> listeners.listen(view, principal, id, params, reply);
      default -> call(headers, principal, view, id, method, params, meta, reply);
    }
  }

  private void discover(DirectoryView view, RawJson id, HttpReply reply) {
    directory
        .ready(vertx, view, List.of(ListKind.TOOLS))
        .onComplete(
            known -> {
              String instructions = directory.snapshot().instructions(view);
              JsonObject result =
                  new JsonObject()
                      .put(ResultType.MEMBER, ResultType.COMPLETE)
                      .put("supportedVersions", new JsonArray(GatewayCapabilities.versions()))
                      .put(
                          "capabilities",
                          GatewayCapabilities.capabilities(true, directory.hasTasks(view)))
                      .put("ttlMs", DISCOVER_TTL_MILLIS)
                      .put("cacheScope", "private");
              if (!instructions.isEmpty()) {
                result.put("instructions", instructions);
              }
              result.put("_meta", new JsonObject().put(MetaKeys.SERVER_INFO, serverInfo.toJson()));
              RawJson marked =
                  Via.put(RawJson.of(result), directory.snapshot().via(view, InstanceId.of(vertx)));
              reply.answer(200, MessageWriter.result(id, marked), null);
            });
  }

  private void call(
      MultiMap headers,
      Principal principal,
      DirectoryView view,
      RawJson id,
      String method,
      RawJson params,
      @Nullable RawJson meta,
      HttpReply reply) {
    String callId = name + "-" + secret + "-" + ++sequence;
    GatewayRequest ask =
        new GatewayRequest(view, method, params, true, callId)
            .from(principal)
            .header(Headers.INPUT, Headers.PASS)
            .checked((target, asked) -> RequestHeaders.check(headers, target.headers(), asked));
    boolean offersTasks =
        method.equals(Methods.TOOLS_CALL)
            && TaskForms.isOffered(meta == null ? null : meta.member(MetaKeys.CLIENT_CAPABILITIES));
    if (offersTasks) {
      ask.header(Headers.TASK, "true");
    }
    if (Methods.MULTI_ROUND_TRIP.contains(method)) {
      exchanged(ask, principal, params, meta, offersTasks);
    }
    RawJson token = meta == null ? null : meta.member(MetaKeys.PROGRESS_TOKEN);
    if (token != null) {
      ask.header(Headers.PROGRESS, calling);
    }
    if (meta != null && meta.member(MetaKeys.LOG_LEVEL) != null) {
      ask.header(Headers.LOG, calling);
    }
    calls.put(callId, new Call(ask, reply, token));
    replies.add(reply);
    reply.onGone(
        () -> {
          forget(callId, reply);
          ask.cancel(vertx);
        });
    Future<RawJson> answer;
    if (Methods.isOfTasks(method)) {
      answer = tasks.route(ask, principal);
    } else if (offersTasks) {
      answer = router.route(ask).map(result -> tasks.named(ask, principal, result));
    } else {
      answer = router.route(ask);
    }
    answer.onComplete(
        outcome -> RequestAudit.ended(directory.audit(), reply.source(), principal, ask, outcome));
    answer.onComplete(
        result -> {
          forget(callId, reply);
          Buffer written =
              ask.isToStateComplete()
                  ? MessageWriter.writtenComplete(id, result)
                  : MessageWriter.written(id, result);
          reply.answer(200, written, null);
        },
        failure -> {
          forget(callId, reply);
          McpFailure known = McpErrors.of(failure);
          reply.answer(McpErrors.status(known), McpErrors.message(id, known), null);
        });
  }

  /**
   * A server of the older era asks while it works on a call, and logs for a session: a client that
   * can answer, or wants to hear, gets a connection for the time of its call.
   */
  private void exchanged(
      GatewayRequest ask,
      Principal principal,
      RawJson params,
      @Nullable RawJson meta,
      boolean offersTasks) {
    RawJson capabilities = meta == null ? null : meta.member(MetaKeys.CLIENT_CAPABILITIES);
    RawJson level = meta == null ? null : meta.member(MetaKeys.LOG_LEVEL);
    RawJson state = params.member("requestState");
    String held = state != null && state.isString() ? state.asString() : "";
    boolean retry = RandomNames.isHeld(held);
    boolean waits = retry || level != null || (capabilities != null && answers(capabilities));
    if (!waits && !offersTasks) {
      return;
    }
    String host = retry ? RandomNames.host(held) : hostNames.next();
    String exchange = ask.callId();
    ask.delegated(
        (server, suffix, given) -> {
          DirectoryEntry facts = directory.snapshot().server(server);
          if (facts == null || facts.modern()) {
            return null;
          }
          boolean task = offersTasks && !retry && tasks.becomesTask(server, suffix, given);
          if (!task && !waits) {
            return null;
          }
          String op = retry ? SessionMessage.RETRY : SessionMessage.CALL;
          DeliveryOptions options =
              new DeliveryOptions()
                  .setSendTimeout(Layer.ENDPOINT.timeout(CallDeadline.NONE))
                  .addHeader(SessionMessage.OP, task ? SessionMessage.TASK : op)
                  .addHeader(SessionMessage.PRINCIPAL, principal.text())
                  .addHeader(SessionMessage.DOOR, calling)
                  .addHeader(SessionMessage.EXCHANGE, exchange)
                  .addHeader(SessionMessage.SERVER, server)
                  .addHeader(SessionMessage.SUFFIX, suffix)
                  .addHeader(SessionMessage.STATE, held)
                  .addHeader(SessionMessage.CAPABILITIES, String.valueOf(capabilities));
          if (level != null && level.isString()) {
            options.addHeader(SessionMessage.LEVEL, level.asString());
          }
          return hostNames
              .sendParams(host, given, options)
              .map(answer -> RawJson.of(answer.body()))
              .recover(failure -> Future.failedFuture(lost(failure, retry)));
        });
    ask.onCancel(
        () ->
            vertx
                .eventBus()
                .send(
                    Addresses.GATEWAY_SESSIONS + host,
                    Buffer.buffer(),
                    new DeliveryOptions()
                        .addHeader(SessionMessage.OP, SessionMessage.GONE)
                        .addHeader(SessionMessage.EXCHANGE, exchange)));
  }

  private static Throwable lost(Throwable failure, boolean retry) {
    return retry && McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
        ? McpErrors.invalidParams("\"requestState\" is not good any more; make the call anew")
        : failure;
  }

  private static boolean answers(RawJson capabilities) {
    return capabilities.length() > 2
        && (capabilities.member("elicitation") != null
            || capabilities.member("sampling") != null
            || capabilities.member("roots") != null);
  }

  private void forget(String callId, HttpReply reply) {
    calls.remove(callId);
    replies.remove(reply);
  }

  /** What a server tells of a call on the way. */
  void told(Message<JsonObject> message) {
    Call call = calls.get(String.valueOf(message.headers().get(Headers.CALL_ID)));
    String method = message.headers().get(Headers.METHOD);
    if (call == null || method == null) {
      return;
    }
    RawJson params = RawJson.of(message.body());
    if (method.equals(Methods.PROGRESS)) {
      if (call.token() == null) {
        return;
      }
      params = params.with(MetaKeys.PROGRESS_TOKEN, call.token());
    }
    call.reply().event(null, MessageWriter.notification(method, params));
  }
}
