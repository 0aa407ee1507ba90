package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.Audit.Decision;
import dev.mcpbus.security.OperationTable;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.RefusalCode;
import dev.mcpbus.security.RequestSource;
import io.vertx.core.AsyncResult;
import io.vertx.core.http.HttpServerRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the outcomes of the requests of MCP clients to the audit log. Any thread may call. */
public final class RequestAudit {

  private static final Logger LOG = LoggerFactory.getLogger(RequestAudit.class);

  private RequestAudit() {}

  /** A path of the gateway that does not exist, or that the principal may not use. */
  public static void refused(Audit audit, HttpServerRequest request, Principal principal) {
    audit.refused(request, principal, RefusalCode.UNKNOWN_CONNECTION);
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
