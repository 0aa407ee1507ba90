package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.policy.PolicyFilter;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.Rights;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/**
 * The tools as functions of a model's API, limited to the tools that the caller may use. The
 * service of {@code mcp.tools.functions} takes the list of these tools in the member {@code only}:
 * a function that is denied gets the answer of a function that does not exist. Used on the bridge's
 * context.
 */
record FunctionCalls(BridgeCalls calls, PolicyGate gate) {

  /** All tools of the caller as functions. */
  Future<Buffer> list(RoutingContext ctx, RawJson request) {
    Rights rights = AdmittedRequests.of(ctx).rights();
    return gate.call(
        ctx,
        Operation.NOTHING,
        () ->
            rights.isUnbounded()
                ? sendList(ctx, request)
                : calls
                    .sendLocal(ctx, Addresses.ALL_TOOLS_LIST, null, RawJson.EMPTY_OBJECT)
                    .map(all -> PolicyFilter.toolNames(PolicyFilter.visible(all, null, rights)))
                    .compose(tools -> sendList(ctx, only(request, tools))));
  }

  private Future<Buffer> sendList(RoutingContext ctx, RawJson request) {
    return calls.sendLocal(ctx, Addresses.ALL_TOOLS_FUNCTIONS, null, request);
  }

  /** One function call of a model, decided on as the call of the tool that its name stands for. */
  Future<Buffer> call(RoutingContext ctx, RawJson request) {
    return calls
        .askService(
            Addresses.ALL_TOOLS_FUNCTIONS_ROUTE, request.toJsonObject(), BridgeCalls.ASK_TIMEOUT)
        .transform(
            route -> {
              if (route.succeeded()) {
                return call(ctx, request, route.result());
              }
              McpFailure failure = McpFailure.of(route.cause());
              return failure.code() == FailureCode.UNKNOWN_TOOL
                  ? call(ctx, request, null)
                  : gate.call(
                      ctx, Operation.own(Action.CALL, ""), () -> Future.failedFuture(failure));
            });
  }

  /**
   * @param route {@code {server, tool}}; null for a function that does not exist
   */
  private Future<Buffer> call(RoutingContext ctx, RawJson request, @Nullable JsonObject route) {
    JsonArray only = new JsonArray();
    Operation wanted = Operation.nameless(Action.CALL, "");
    if (route != null) {
      ToolName tool = new ToolName(route.getString("server"), route.getString("tool"));
      wanted = Operation.of(Action.CALL, tool.server(), tool.tool());
      only.add(tool.toString());
    }
    if (AdmittedRequests.of(ctx).rights().permits(wanted)) {
      return gate.call(ctx, wanted, () -> sendCall(ctx, only(request, only)));
    }
    gate.denied(ctx, wanted, FailureCode.UNKNOWN_TOOL);
    return sendCall(ctx, only(request, new JsonArray()));
  }

  private Future<Buffer> sendCall(RoutingContext ctx, RawJson request) {
    return calls.sendLocal(
        ctx, Addresses.ALL_TOOLS_FUNCTIONS_CALL, Addresses.ALL_TOOLS_FUNCTIONS_CANCEL, request);
  }

  private static RawJson only(RawJson request, JsonArray tools) {
    return request.with("only", RawJson.of(tools.encode()));
  }
}
