package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.InboundSpan;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.dialect.HandshakeAnswers;
import dev.mcpbus.gateway.dialect.TaskForms;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.ListParams;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.gateway.request.RequestAudit;
import dev.mcpbus.gateway.request.RequestRouter;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests of the {@code discover} era (MCP 2026-07-28): each describes itself, and nothing is kept
 * of it but the open response. It makes the {@link GatewayRequest}, and {@link DiscoverCall} writes
 * the answer. Confined to the context of the HTTP verticle.
 */
final class DiscoverEndpoint {

  private static final String VERSION = ProtocolVersion.LATEST_DISCOVER.wire();

  private final Vertx vertx;
  private final RequestSender sender;
  private final Directory directory;
  private final HandshakeAnswers handshakes;
  private final OpenReplies replies;
  private final SessionHostNames hostNames;
  private final NamedRequests named;
  private final ClientHosts clients;
  private final String address;

  /** New in each endpoint, so that no client can derive the id of another client's call. */
  private final String callIds;

  private final @Nullable Telemetry telemetry;
  private final RequestRouter router;
  private final ListenStreams listeners;
  private final DiscoverTasks tasks;
  private final Map<String, DiscoverCall> calls = new HashMap<>();
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
      SessionHostNames hostNames,
      NamedRequests named) {
    this.vertx = vertx;
    this.sender = RequestSender.of(vertx);
    this.directory = directory;
    this.handshakes = new HandshakeAnswers(vertx, directory, serverInfo);
    this.replies = replies;
    this.hostNames = hostNames;
    this.named = named;
    this.clients = new ClientHosts(hostNames);
    this.address = Addresses.GATEWAY_CALLS + name;
    this.callIds = name + "-" + RandomNames.create(16) + "-";
    this.telemetry = Telemetry.of(vertx);
    this.router = new RequestRouter(vertx, directory, options.pageSize());
    this.tasks = new DiscoverTasks(hostNames, directory, router);
    this.listeners =
        new ListenStreams(vertx, directory, router, replies, tasks, hostNames, clients, address);
  }

  ListenStreams listeners() {
    return listeners;
  }

  /** The HTTP server closes: ends the streams. */
  void close() {
    listeners.close();
  }

  /** Cancels and answers the calls that are still in flight. */
  void giveUp() {
    for (DiscoverCall call : List.copyOf(calls.values())) {
      forget(call);
      call.cancel();
      call.fail(LostStreamAnswers.doorEnds());
    }
  }

  /**
   * One message of a client.
   *
   * @param meta {@code _meta} of its params; null if it has none
   */
  record ClientMessage(
      MultiMap headers,
      Principal principal,
      Envelope message,
      @Nullable RawJson meta,
      DirectoryView view,
      HttpReply reply) {}

  void handle(ClientMessage asked) {
    Envelope message = asked.message();
    HttpReply reply = asked.reply();
    RawJson id = message.id();
    if (message.kind() == Envelope.Kind.NOTIFICATION && !Methods.isKnown(message.method())) {
      notified(asked);
      return;
    }
    if (message.kind() != Envelope.Kind.REQUEST || id == null) {
      reply.status(202); // no notification that MCP defines has a meaning here
      return;
    }
    try {
      RequestHeaders.check(asked.headers(), message.method(), message.params(), asked.meta());
    } catch (McpFailure refused) {
      reply.refuse(400, id, refused);
      return;
    }
    switch (message.method()) {
      case Methods.DISCOVER -> discover(asked.view(), id, asked.meta(), reply);
      case Methods.LISTEN ->
          listeners.listen(asked.view(), asked.principal(), id, message.params(), reply);
      default -> {
        DiscoverCall call = call(asked, id);
        if (telemetry != null) {
          call.measureBy(telemetry, id, VERSION, asked.headers());
        }
        calls.put(call.request().callId(), call);
        replies.add(reply);
        reply.onGone(
            () -> {
              forget(call);
              call.cancel();
            });
        Audit audit = directory.audit();
        Future<RawJson> own = audit.precedesCalls() ? begun(call) : answered(call);
        (own == null ? router.route(call) : own)
            .map(found -> call.written(tasks.named(call, found)))
            .onComplete(
                answer -> {
                  RequestAudit.ended(audit, reply.source(), call, answer);
                  call.ended(answer);
                  forget(call);
                  reply.repeated(call.repeats());
                  if (answer.succeeded()) {
                    reply.answer(200, answer.result(), null);
                  } else {
                    call.fail(answer.cause());
                  }
                });
      }
    }
  }

  /** A notification that MCP does not define: 202 when its connection has it, or refuses it. */
  private void notified(ClientMessage asked) {
    HttpReply reply = asked.reply();
    try {
      RequestHeaders.checkNotification(asked.headers(), asked.message().method());
    } catch (McpFailure refused) {
      reply.refuse(400, null, refused);
      return;
    }
    DiscoverCall call = call(asked, RawJson.NULL);
    RequestAudit.begun(
            vertx, directory.audit(), reply.source(), call.request(), () -> router.notify(call))
        .onComplete(
            outcome -> {
              RequestAudit.ended(directory.audit(), reply.source(), call, outcome);
              reply.status(202);
            });
  }

  private void discover(DirectoryView view, RawJson id, @Nullable RawJson meta, HttpReply reply) {
    TelemetryOperation measured =
        telemetry == null
            ? null
            : telemetry.received(
                new InboundSpan(
                    "mcp", Methods.DISCOVER, id, VERSION, TraceContext.ofMeta(meta), null));
    directory
        .described(vertx, view)
        .onComplete(
            known -> {
              reply.answer(200, MessageWriter.result(id, handshakes.discover(view)), null);
              if (measured != null) {
                measured.succeeded(false);
              }
            });
  }

  /**
   * @param id of the JSON-RPC request; {@link RawJson#NULL} for a notification
   */
  private DiscoverCall call(ClientMessage asked, RawJson id) {
    Envelope message = asked.message();
    RawJson meta = asked.meta();
    RawJson capabilities = meta == null ? null : meta.member(MetaKeys.CLIENT_CAPABILITIES);
    GatewayRequest request =
        new GatewayRequest(
            Era.DISCOVER,
            asked.principal(),
            asked.view(),
            message.method(),
            message.params(),
            callIds + ++sequence,
            address,
            Headers.PASS,
            meta != null && meta.member(MetaKeys.PROGRESS_TOKEN) != null,
            meta != null && meta.member(MetaKeys.LOG_LEVEL) != null,
            message.method().equals(Methods.TOOLS_CALL) && TaskForms.isOffered(capabilities),
            GatewayRequest.trace(asked.headers(), meta),
            System.nanoTime(),
            asked.reply().origin());
    return new DiscoverCall(
        vertx, sender, directory, hostNames, clients, named, request, id, asked);
  }

  /** The answer, once the beginning of the call is in the audit log. */
  private Future<RawJson> begun(DiscoverCall call) {
    return RequestAudit.begun(
        vertx,
        directory.audit(),
        call.reply.source(),
        call.request(),
        () -> {
          Future<RawJson> own = answered(call);
          return own == null ? router.route(call) : own;
        });
  }

  /** A page of a list, or what is said of tasks; null for what the router answers. */
  private @Nullable Future<RawJson> answered(DiscoverCall call) {
    GatewayRequest request = call.request();
    if (Methods.isOfTasks(request.method())) {
      return tasks.route(call);
    }
    ListKind kind = ListKind.ofMethod(request.method());
    if (kind == null || !hasSessions(request.view()) || ListParams.goToServer(request)) {
      return null;
    }
    Future<RawJson> page = call.page(kind);
    return request.isAsIs() && request.params().member("cursor") != null
        ? page.recover(
            failure ->
                McpFailure.of(failure).isUpstream(JsonRpcError.INVALID_PARAMS)
                    ? router.listedByServer(call, kind)
                    : Future.failedFuture(failure))
        : page;
  }

  /** Whether a client may have a session of its own with a server of the view. */
  private boolean hasSessions(DirectoryView view) {
    for (DirectoryEntry server : directory.snapshot(view).servers()) {
      if (server.hasSessions() && view.includes(server.id().value())) {
        return true;
      }
    }
    return false;
  }

  private void forget(DiscoverCall call) {
    calls.remove(call.request().callId());
    call.forget();
    replies.remove(call.reply);
  }

  /** A connection or a session host reports progress or a log message of a call. */
  void reported(String callId, String method, RawJson params) {
    DiscoverCall call = calls.get(callId);
    if (call != null) {
      call.reported(method, params);
    } else {
      listeners.reported(callId, method, params);
    }
  }
}
