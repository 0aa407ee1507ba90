package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.policy.RecordedCalls;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.Audit.Decision;
import dev.mcpbus.security.OperationTable;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.RefusalCode;
import dev.mcpbus.security.RequestSource;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the requests of MCP clients to the audit log. Any thread may call. */
public final class RequestAudit {

  private static final Logger LOG = LoggerFactory.getLogger(RequestAudit.class);

  /** Members of params that say what a request is about. */
  private static final List<String> NAMES = List.of("name", "uri", "taskId");

  private RequestAudit() {}

  /** A path of the gateway that does not exist, or that the principal may not use. */
  public static void refused(Audit audit, HttpServerRequest request, Principal principal) {
    audit.refused(request, principal, RefusalCode.UNKNOWN_CONNECTION);
  }

  /**
   * Lets a request go on once its beginning is in the audit log, where {@code auth.audit.onFailure}
   * is {@code refuse}; elsewhere at once. The line has the name that the client uses.
   *
   * @return as {@link RecordedCalls#after}
   */
  public static <T> Future<T> begun(
      Vertx vertx,
      Audit audit,
      RequestSource source,
      GatewayRequest request,
      Supplier<Future<T>> go) {
    return RecordedCalls.after(
        audit,
        () ->
            audit.begin(
                vertx,
                source,
                request.principal(),
                request.method(),
                word(request.method()),
                request.view().server() ? request.view().name() : null,
                named(request.params())),
        go);
  }

  private static @Nullable String named(RawJson params) {
    for (String member : NAMES) {
      RawJson value = params.member(member);
      if (value != null && value.isString()) {
        return value.asString();
      }
    }
    return null;
  }

  /** A request has its outcome. A defect of the log itself keeps no answer from the client. */
  public static void ended(
      Audit audit, RequestSource source, GatewayCall call, AsyncResult<?> outcome) {
    if (!audit.isOn()) {
      return;
    }
    try {
      line(audit, source, call, outcome);
    } catch (RuntimeException defect) {
      LOG.error("gateway: the outcome of a request is missing in the audit log", defect);
    }
  }

  private static void line(
      Audit audit, RequestSource source, GatewayCall call, AsyncResult<?> outcome) {
    GatewayRequest request = call.request();
    audit.line(
        source,
        request.principal(),
        request.method(),
        word(request.method()),
        call.server(),
        call.item(),
        call.isDenied() ? Decision.DENY : Decision.ALLOW,
        code(call, outcome),
        call.repeats(),
        request.since());
  }

  /** The failure of a denied request looks like an unknown name; the log says what happened. */
  private static String code(GatewayCall call, AsyncResult<?> outcome) {
    if (call.isDenied()) {
      return RefusalCode.DENIED.name();
    }
    return outcome.succeeded() ? "OK" : McpFailure.of(outcome.cause()).code().name();
  }

  private static String word(String method) {
    Action action = OperationTable.action(method);
    return (action == null ? Action.CALL : action).word();
  }
}
