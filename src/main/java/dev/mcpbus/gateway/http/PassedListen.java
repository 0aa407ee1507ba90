package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A {@code subscriptions/listen} of one client at the server of its endpoint, for the words of the
 * client's filter that mcpbus does not know, such as those of an extension. The server gets it as a
 * request of that client; what it then tells goes to the client alone. Confined to the context of
 * the HTTP verticle.
 */
final class PassedListen {

  static final String FILTER = "notifications";
  static final String RESOURCES = "resourceSubscriptions";
  static final String TASKS = "taskIds";

  private static final long PATIENCE_SECONDS = 5;
  private static final Set<String> KNOWN = known();

  private final Vertx vertx;
  private final ConnectionId server;
  private final String callId;
  private final boolean unbounded;
  private final Promise<RawJson> acknowledged = Promise.promise();
  private boolean over;

  private PassedListen(Vertx vertx, ConnectionId server, String callId, boolean unbounded) {
    this.vertx = vertx;
    this.server = server;
    this.callId = callId;
    this.unbounded = unbounded;
  }

  private static Set<String> known() {
    Set<String> words = new HashSet<>(Set.of(RESOURCES, TASKS));
    for (ListKind kind : ListKind.values()) {
      words.add(kind.filter);
    }
    return Set.copyOf(words);
  }

  /**
   * Sends the request, if the filter has such words and the server gets them: its endpoint passes
   * what MCP does not define, the policies allow it, and it speaks the {@code discover} era.
   *
   * @param callId by which the connection names it; no other request has it
   * @param reports the address for what the server tells
   * @param ended gets the server's answer, if it comes after the acknowledgement
   * @return null where there is nothing to send
   */
  static @Nullable PassedListen send(
      Vertx vertx,
      @Nullable DirectoryEntry server,
      DirectoryView view,
      Principal principal,
      RawJson params,
      String callId,
      String reports,
      Handler<AsyncResult<RawJson>> ended) {
    RawJson filter = params.member(FILTER);
    RawJson rest = filter == null ? RawJson.EMPTY_OBJECT : filter.without(KNOWN);
    if (rest.members().isEmpty()
        || server == null
        || !server.up()
        || !server.isDiscover()
        || !view.server()
        || !view.mayPass(view.name(), Methods.LISTEN, rest)) {
      return null;
    }
    PassedListen listen = new PassedListen(vertx, server.id(), callId, view.rights().isUnbounded());
    DeliveryOptions options =
        CallHeaders.of(callId, CallDeadline.STREAM, CallDeadline.Layer.CALLER)
            .setCodecName(Codecs.SHARED)
            .addHeader(Headers.INPUT, Headers.PASS)
            .addHeader(Headers.NOTICES, reports);
    RawJson body =
        RawJson.EMPTY_OBJECT
            .with("method", RawJson.string(Methods.LISTEN))
            .with("params", params.with(FILTER, rest));
    RequestSender.of(vertx)
        .<Buffer>request(
            server.id(),
            Addresses.of(server.id(), Addresses.REQUEST),
            body.toBuffer(),
            GatewayRequest.requester(principal).addTo(options))
        .map(answer -> RawJson.of(answer.body()))
        .onComplete(answer -> listen.answered(answer, ended));
    return listen;
  }

  private void answered(AsyncResult<RawJson> answer, Handler<AsyncResult<RawJson>> ended) {
    boolean first =
        answer.succeeded()
            ? acknowledged.tryComplete(RawJson.EMPTY_OBJECT)
            : acknowledged.tryFail(answer.cause());
    if (!first && !over) {
      over = true;
      ended.handle(answer);
    }
  }

  /**
   * The params of the server's acknowledgement; empty where it has no streams, or does not
   * acknowledge this one in time. Fails with the error by which the server refuses it.
   */
  Future<RawJson> acknowledged() {
    return acknowledged
        .future()
        .timeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .recover(
            failure -> {
              close();
              return failure instanceof McpFailure known
                      && known.code() == FailureCode.UPSTREAM_ERROR
                      && !known.isUpstream(JsonRpcError.METHOD_NOT_FOUND)
                  ? Future.failedFuture(known)
                  : Future.succeededFuture(RawJson.EMPTY_OBJECT);
            });
  }

  /**
   * The server tells something.
   *
   * @return true where the client gets it. What MCP defines may name what its policies deny
   */
  boolean told(String method, RawJson params) {
    if (method.equals(Methods.ACKNOWLEDGED)) {
      acknowledged.tryComplete(params);
      return false;
    }
    return !over && (!Methods.isKnown(method) || (unbounded && isShared(method)));
  }

  /** Whether a notification of MCP is no client's own: tasks and questions are. */
  private static boolean isShared(String method) {
    return method.equals(Methods.RESOURCE_UPDATED)
        || method.equals(Methods.MESSAGE)
        || !ListKind.announcedBy(method).isEmpty();
  }

  /** The words that the server has agreed to, beside those that mcpbus has. */
  static RawJson agreed(RawJson acknowledgement, RawJson ours) {
    RawJson all = ours;
    RawJson theirs = acknowledgement.member(FILTER);
    if (theirs != null && theirs.isObject()) {
      for (var one : theirs.without(KNOWN).members().entrySet()) {
        all = all.with(one.getKey(), one.getValue());
      }
    }
    return acknowledgement.with(FILTER, all);
  }

  /** Ends it at the server. Idempotent. */
  void close() {
    if (!over) {
      over = true;
      CallCancellation.publish(vertx, server, callId);
    }
  }
}
