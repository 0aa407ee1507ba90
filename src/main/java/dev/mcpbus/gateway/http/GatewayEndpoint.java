package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.InvalidServers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.PublishedSession;
import dev.mcpbus.gateway.request.RequestAudit;
import dev.mcpbus.gateway.request.RequestRouter;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.internals.AcceptedTypes;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.McpHeaders;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Admission;
import dev.mcpbus.security.MountPath;
import dev.mcpbus.security.MountedHandler;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.RateLimiter.Place;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Takes the requests of MCP clients at one HTTP verticle: finds the view of the path, scans the
 * body, finds the era, and passes the parsed message to the endpoint of that era, which answers it.
 * It holds open responses and no other state of a client. Confined to the context of that verticle.
 */
public final class GatewayEndpoint implements MountedHandler {

  private static final long BEAT_MILLIS = 5_000;
  private static final long CHECK_MILLIS = 1_000;

  private static final String JSON = "application/json";
  private static final String EVENT_STREAM = "text/event-stream";

  /** Messages of one batch: each may be a call. */
  private static final int MAX_BATCH = 100;

  private final Vertx vertx;
  private final ByteBudget budget;
  private final Directory directory;
  private final DiscoverEndpoint discover;
  private final InitializeEndpoint initialize;
  private final SseEndpoint sse;
  private final OpenReplies replies;
  private final String name;
  private long beat = -1;
  private long check = -1;

  public GatewayEndpoint(
      Vertx vertx,
      Directory directory,
      GatewayOptions options,
      Implementation serverInfo,
      SessionHostNames hostNames,
      FairLimit<HttpReply> streams,
      NamedRequests named,
      ConcurrentMap<String, PublishedSession> sessions) {
    this.vertx = vertx;
    this.budget = ByteBudget.of(vertx);
    this.name = hostNames.name();
    this.directory = directory;
    this.replies = new OpenReplies(streams);
    this.discover =
        new DiscoverEndpoint(
            vertx, directory, options, serverInfo, replies, name, hostNames, named);
    this.initialize =
        new InitializeEndpoint(
            vertx,
            directory,
            new RequestRouter(vertx, directory, options.pageSize()),
            replies,
            name,
            hostNames,
            sessions);
    this.sse = new SseEndpoint(replies, name, hostNames, budget);
  }

  @Override
  public boolean owns(String path) {
    return MountPath.MCP.owns(path) || MountPath.SSE.owns(path);
  }

  @Override
  public Future<Void> open() {
    beat = vertx.setPeriodic(BEAT_MILLIS, now -> replies.beat());
    check = vertx.setPeriodic(CHECK_MILLIS, now -> replies.check());
    return Future.join(
            List.of(
                consume(Addresses.GATEWAY_CALLS + name, this::reported),
                consume(Addresses.GATEWAY_RESPONSES + name, initialize::reported),
                consume(sse.eventsAt(), sse::reported),
                consume(sse.postedAt(), sse::posted),
                local(Addresses.GATEWAY_LEFT, (Message<JsonObject> left) -> left(left.body())),
                local(Addresses.GATEWAY_CHANGED, changed -> discover.listeners().changed()),
                local(
                    Addresses.GATEWAY_UPDATED,
                    (Message<ServerNotice> updated) ->
                        discover.listeners().updated(updated.body()))))
        .mapEmpty();
  }

  /** A connection or a session host reports something that belongs to a call or to a stream. */
  private void reported(Message<Object> message) {
    String callId = String.valueOf(message.headers().get(Headers.CALL_ID));
    String method = message.headers().get(Headers.METHOD);
    if (method != null && !initialize.reportedOfCall(callId, method, message)) {
      discover.reported(callId, method, HostMessage.params(message));
    }
  }

  private void left(JsonObject node) {
    initialize.left(node.getString("node", ""));
    discover.listeners().left(node.getString("node", ""));
  }

  private <T> Future<Void> consume(String address, Handler<Message<T>> handler) {
    return vertx.eventBus().<T>consumer(address, handler).completion();
  }

  private <T> Future<Void> local(String address, Handler<Message<T>> handler) {
    return vertx.eventBus().<T>localConsumer(address, handler).completion();
  }

  @Override
  public void close() {
    vertx.cancelTimer(beat);
    vertx.cancelTimer(check);
    discover.close();
    sse.close();
    replies.close(sse::isBusy);
  }

  @Override
  public void giveUp() {
    discover.giveUp();
    initialize.giveUp();
    sse.giveUp();
    replies.giveUp();
  }

  @Override
  public void handle(HttpServerRequest request, Admission admission, Buffer body) {
    Principal principal = admission.principal();
    AcceptedTypes accepted = AcceptedTypes.of(request.headers());
    HttpReply reply = new HttpReply(request, accepted.accepts(EVENT_STREAM), admission, budget);
    if (accepted.weight(EVENT_STREAM) > accepted.weight(JSON)) {
      reply.preferStream();
    }
    try {
      String path = String.valueOf(request.path());
      boolean isSse = MountPath.SSE.owns(path);
      int root = (isSse ? MountPath.SSE : MountPath.MCP).root().length();
      String written = path.length() <= root + 1 ? "" : path.substring(root + 1);
      CallerFacts caller = directory.caller(vertx, principal, request.headers());
      DirectoryView named =
          directory.view(written, principal, caller); // also one named as no server
      String place = named == null ? place(written) : written;
      DirectoryView view = named == null ? directory.view(place, principal, caller) : named;
      if (view == null) {
        awaitView(request, admission, body, place, reply);
      } else if (isSse) {
        sse(request, principal, body, view, reply);
      } else if (request.method().equals(HttpMethod.POST)) {
        post(request, admission, body, view, reply);
      } else {
        session(request, principal, view, reply);
      }
    } catch (RuntimeException e) {
      reply.refuse(500, null, McpErrors.of(e));
    }
  }

  /** The id of a server or view that a path names; also by a name as written, with its slashes. */
  private static String place(String path) {
    try {
      return ConnectionId.problem(path) == null
          ? path
          : ConnectionId.named(URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8))
              .map(ConnectionId::value)
              .orElse(path);
    } catch (IllegalArgumentException wrong) {
      return path;
    }
  }

  /** Just after the start of the node its servers are not known yet. */
  private void awaitView(
      HttpServerRequest request, Admission admission, Buffer body, String place, HttpReply reply) {
    directory
        .ready(vertx)
        .onComplete(
            known -> {
              if (directory.view(place, admission.principal()) != null) {
                handle(request, admission, body);
                return;
              }
              RequestAudit.refused(directory.audit(), request, admission.principal());
              McpFailure leftOut =
                  admission.rights().sees(place) ? InvalidServers.of(vertx).failure(place) : null;
              reply.refuse(
                  404,
                  null,
                  McpErrors.invalidRequest(
                      leftOut == null
                          ? "there is no server and no view '"
                              + McpErrors.shown(place)
                              + "'; /mcp has all servers, GET /api/servers lists them"
                          : String.valueOf(leftOut.getMessage())));
            });
  }

  /** GET and DELETE of a session; the {@code discover} era has POST alone. */
  private void session(
      HttpServerRequest request, Principal principal, DirectoryView view, HttpReply reply) {
    boolean named = request.headers().get(McpHeaders.SESSION_ID) != null;
    if (named && request.method().equals(HttpMethod.GET)) {
      if (!reply.mayStream()) {
        notAcceptable(reply, EVENT_STREAM);
        return;
      }
      initialize.stream(request.headers(), principal, view, reply);
    } else if (named && request.method().equals(HttpMethod.DELETE)) {
      initialize.delete(request.headers(), principal, view, reply);
    } else {
      reply.header("Allow", "POST");
      reply.refuse(405, null, McpErrors.invalidRequest("use POST; GET and DELETE want a session"));
    }
  }

  /** HTTP+SSE, the transport of 2024-11-05. */
  private void sse(
      HttpServerRequest request,
      Principal principal,
      Buffer body,
      DirectoryView view,
      HttpReply reply) {
    if (request.method().equals(HttpMethod.POST)) {
      if (isJson(request.headers(), reply)) {
        sse.post(sessionId(request), principal, view, body, reply);
      }
    } else if (!request.method().equals(HttpMethod.GET)) {
      reply.header("Allow", "GET, POST");
      reply.refuse(405, null, McpErrors.invalidRequest("use GET or POST"));
    } else if (reply.mayStream()) {
      sse.stream(String.valueOf(request.path()), principal, view, reply);
    } else {
      notAcceptable(reply, EVENT_STREAM);
    }
  }

  private static void notAcceptable(HttpReply reply, String wanted) {
    reply.refuse(406, null, McpErrors.invalidRequest("Not Acceptable: accept " + wanted));
  }

  /** The session id of the query: null if there is none, empty if the query is not valid. */
  private static @Nullable String sessionId(HttpServerRequest request) {
    try {
      return request.getParam("sessionId");
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /** A message of a client: parses it, finds the era, and hands it to the endpoint of the era. */
  private void post(
      HttpServerRequest request,
      Admission admission,
      Buffer body,
      DirectoryView view,
      HttpReply reply) {
    MultiMap headers = request.headers();
    Principal principal = admission.principal();
    if (!reply.mayStream() && !AcceptedTypes.of(headers).accepts(JSON)) {
      notAcceptable(reply, JSON + " and " + EVENT_STREAM);
      return;
    }
    if (!isJson(headers, reply)) {
      return;
    }
    RawJson raw = RawJson.of(body); // no other component has this buffer
    if (Envelope.isBatch(raw.array(), raw.offset(), raw.length()) && mayBatch(headers)) {
      batch(request, admission, raw, view, reply);
      return;
    }
    Envelope message = parsed(raw, reply);
    if (message == null) {
      return;
    }
    boolean answer = message.kind().isAnswer();
    RawJson meta = answer ? null : message.params().member("_meta");
    meta = meta == null ? null : meta.indexed();
    boolean begins = !answer && message.method().equals(Methods.INITIALIZE);
    String version = headers.get(McpHeaders.PROTOCOL_VERSION);
    if (!answer && RequestHeaders.describes(headers, meta)) {
      discover.handle(
          new DiscoverEndpoint.ClientMessage(headers, principal, message, meta, view, reply));
    } else if (version != null && !begins && ProtocolVersion.ofWire(version).isEmpty()) {
      reply.refuse(400, message.id(), McpErrors.unsupportedVersion(version));
    } else if (begins) {
      initialize.initialize(principal, message, view, reply);
    } else if (headers.get(McpHeaders.SESSION_ID) != null) {
      initialize.post(headers, principal, message, view, reply);
    } else {
      reply.refuse(
          400,
          message.id(),
          McpErrors.invalidRequest(
              "Bad Request: Mcp-Session-Id is missing; begin with initialize, or describe the"
                  + " request in _meta and headers (MCP 2026-07-28)"));
    }
  }

  /** The one scan of the body in the gateway; null if the client has got an error. */
  private static @Nullable Envelope parsed(RawJson raw, HttpReply reply) {
    try {
      Envelope message =
          Envelope.parse(raw.array(), raw.offset(), raw.length(), HostMessage.LIMITS);
      if (message.kind() == Envelope.Kind.REQUEST) {
        reply.answers(message);
      }
      return message;
    } catch (ProtocolException e) {
      refuse(reply, e);
      return null;
    }
  }

  private static void refuse(HttpReply reply, ProtocolException fault) {
    int code =
        switch (fault.reason()) {
          case BATCH, DUPLICATE_KEY, NOT_JSON_RPC -> JsonRpcError.INVALID_REQUEST;
          default -> JsonRpcError.PARSE_ERROR;
        };
    reply.refuse(400, null, McpErrors.rpc(code, String.valueOf(fault.getMessage())));
  }

  // ---- batches

  /**
   * A session without a version in its headers may be one of 2025-03-26, which has no such header.
   */
  private static boolean mayBatch(MultiMap headers) {
    String version = headers.get(McpHeaders.PROTOCOL_VERSION);
    return headers.get(McpHeaders.SESSION_ID) != null
        && (version == null || ProtocolVersion.hasBatches(version));
  }

  /** The messages of a batch: each goes its own way, and counts as a request of its caller. */
  private void batch(
      HttpServerRequest request,
      Admission admission,
      RawJson raw,
      DirectoryView view,
      HttpReply reply) {
    List<Envelope> messages;
    try {
      messages = Envelope.batch(raw.array(), raw.offset(), raw.length(), HostMessage.LIMITS, true);
    } catch (ProtocolException e) {
      refuse(reply, e);
      return;
    }
    boolean begins =
        messages.stream()
            .anyMatch(one -> !one.kind().isAnswer() && one.method().equals(Methods.INITIALIZE));
    if (begins || messages.size() > MAX_BATCH) {
      reply.refuse(
          400,
          null,
          McpErrors.invalidRequest(
              begins
                  ? "initialize must not be part of a batch"
                  : "more than " + MAX_BATCH + " messages in a batch"));
      return;
    }
    replies.add(reply);
    List<BatchedReply> parts =
        BatchedReply.of(
            reply,
            request,
            reply.mayStream(),
            admission,
            budget,
            messages.size(),
            () -> replies.remove(reply));
    for (int i = 0; i < parts.size(); i++) {
      if (messages.get(i).kind() == Envelope.Kind.REQUEST) {
        parts.get(i).answers(messages.get(i));
      }
      post(request.headers(), admission, messages.get(i), view, parts.get(i), i == 0);
    }
  }

  private static McpFailure limited(long retryMillis) {
    return new McpFailure(
        FailureCode.RATE_LIMITED,
        McpFailure.Sent.NO,
        "more messages than you are allowed; try again in " + retryMillis + " ms",
        retryMillis,
        null);
  }

  /**
   * @param counted whether the HTTP request has taken the message's place in the caller's limits
   */
  private void post(
      MultiMap headers,
      Admission admission,
      Envelope message,
      DirectoryView view,
      BatchedReply reply,
      boolean counted) {
    if (counted) {
      initialize.post(headers, admission.principal(), message, view, reply);
      return;
    }
    Place place = admission.message();
    if (place.isFree()) {
      reply.onEnded(place.end());
      initialize.post(headers, admission.principal(), message, view, reply);
    } else if (message.kind() == Envelope.Kind.REQUEST) {
      reply.refuse(429, message.id(), limited(place.retryMillis()));
    } else {
      reply.status(202);
    }
  }

  /** Whether the body is JSON by its type; if not, the client gets an error. */
  private static boolean isJson(MultiMap headers, HttpReply reply) {
    String type = String.valueOf(headers.get(HttpHeaders.CONTENT_TYPE)).toLowerCase(Locale.ROOT);
    if (!type.startsWith("application/json")) {
      reply.refuse(415, null, McpErrors.invalidRequest("Content-Type must be application/json"));
      return false;
    }
    return true;
  }
}
