package dev.mcpbus.gateway;

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

/** Writes what became of the requests of MCP clients into the audit log. Safe on every thread. */
final class RequestAudit {

  private RequestAudit() {}

  /** A path of the gateway that is not there, or that the principal may not enter. */
  static void refused(Audit audit, HttpServerRequest request, Principal principal) {
    audit.refused(request, principal, RefusalCode.UNKNOWN_CONNECTION);
  }

  static void ended(
      Audit audit,
      RequestSource source,
      Principal principal,
      GatewayRequest gatewayRequest,
      AsyncResult<?> outcome) {
    if (!audit.isOn()) {
      return;
    }
    audit.line(
        source,
        principal,
        gatewayRequest.method(),
        word(gatewayRequest.method()),
        gatewayRequest.server(),
        gatewayRequest.item(),
        gatewayRequest.isDenied() ? Decision.DENY : Decision.ALLOW,
        code(gatewayRequest, outcome),
        gatewayRequest.since());
  }

  /** What a client is denied it hears of as its server would say it: that is not what happened. */
  private static String code(GatewayRequest gatewayRequest, AsyncResult<?> outcome) {
    if (gatewayRequest.isDenied()) {
      return RefusalCode.DENIED.name();
    }
    return outcome.succeeded() ? "OK" : McpFailure.of(outcome.cause()).code().name();
  }

  private static String word(String method) {
    Action action = OperationTable.action(method);
    return (action == null ? Action.CALL : action).word();
  }
}
