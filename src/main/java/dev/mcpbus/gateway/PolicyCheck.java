package dev.mcpbus.gateway;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.MethodAddress;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.OperationTable;
import dev.mcpbus.security.Rights;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** Whether something may leave for a server. What is denied is as absent as what never was. */
final class PolicyCheck {

  static final String UNKNOWN_TOOL = "Unknown tool: ";

  private PolicyCheck() {}

  /**
   * What there is against sending {@code params} to the address of a server.
   *
   * @param params as they leave, by the server's own names
   * @return null where the client may
   */
  static @Nullable McpFailure against(
      GatewayRequest request, String server, String suffix, RawJson params) {
    Rights rights = request.view().rights();
    MethodAddress address = MethodAddress.ofSuffix(suffix);
    boolean may =
        address == null
            ? rights.permits(Operation.unknown(server))
            : rights.isUnbounded()
                || rights.permits(OperationTable.of(server, address.method(), params));
    return may ? null : absent(request);
  }

  /** Whether the client may hear of changes of a resource, by its server's own URI. */
  static boolean maySubscribe(DirectoryView view, String server, String own) {
    return view.rights().permits(OperationTable.about(server, Methods.RESOURCES_SUBSCRIBE, own));
  }

  private static McpFailure absent(GatewayRequest request) {
    return switch (request.method()) {
      case Methods.TOOLS_CALL ->
          named(ListKind.TOOLS, RequestRouter.text(request.params(), "name"));
      case Methods.PROMPTS_GET ->
          named(ListKind.PROMPTS, RequestRouter.text(request.params(), "name"));
      case Methods.RESOURCES_READ -> resource(request, RequestRouter.text(request.params(), "uri"));
      case Methods.COMPLETE -> McpErrors.invalidParams("Unknown reference");
      default -> TaskForms.absent();
    };
  }

  /** There is no tool or prompt of that name. */
  static McpFailure named(ListKind kind, String name) {
    return McpErrors.invalidParams(
        (kind == ListKind.TOOLS ? UNKNOWN_TOOL : "Unknown prompt: ") + McpErrors.shown(name));
  }

  static McpFailure resource(GatewayRequest request, String uri) {
    return McpErrors.rpc(
        request.isModern() ? JsonRpcError.INVALID_PARAMS : JsonRpcError.RESOURCE_NOT_FOUND,
        "Resource not found: " + McpErrors.shown(uri),
        new JsonObject().put("uri", uri));
  }
}
