package dev.mcpbus.observability.metrics;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.protocol.Methods;
import io.micrometer.core.instrument.Tags;
import java.util.Set;

/**
 * The labels of one operation, as OpenTelemetry's conventions for MCP name them. A label without a
 * value is empty, which Prometheus reads as absent. Immutable.
 *
 * @param item the label of the tool or prompt; empty for none
 * @param errorType the code of a JSON-RPC error, {@code tool_error}, or the name of a {@code
 *     FailureCode}; empty for success
 * @param status the code of a JSON-RPC error; empty where there was none
 */
record OperationLabels(String method, String item, String errorType, String status) {

  static final String TOOL_ERROR = "tool_error";

  /** Stands for methods and errors that have no label of their own. */
  static final String OTHER = "_OTHER";

  /** Requests without an address: those that open a connection, and what it listens to. */
  private static final Set<String> WITHOUT =
      Set.of(Methods.INITIALIZE, Methods.DISCOVER, Methods.LISTEN);

  /** The label of a method: callers may send any text as one. */
  static String method(String method) {
    return ServerOperation.ofMethod(method) != null || WITHOUT.contains(method) ? method : OTHER;
  }

  /** The labels of a success, or of a tool's own failure. */
  static OperationLabels of(String method, String item, boolean toolError) {
    return new OperationLabels(method, item, toolError ? TOOL_ERROR : "", "");
  }

  /**
   * The labels of a failure.
   *
   * @param codes bounds the codes that a server may choose
   */
  static OperationLabels of(String method, String item, McpFailure failure, BoundedNames codes) {
    if (failure.code() != FailureCode.UPSTREAM_ERROR) {
      return new OperationLabels(method, item, failure.code().name(), "");
    }
    String code = codes.label(String.valueOf(failure.toJsonRpcError().getValue("code")));
    return new OperationLabels(method, item, code, code);
  }

  Tags tags() {
    boolean prompt = method.equals(Methods.PROMPTS_GET);
    boolean tool = method.equals(Methods.TOOLS_CALL);
    return Tags.of(
        "mcp.method.name",
        method,
        "gen_ai.tool.name",
        tool ? item : "",
        "gen_ai.prompt.name",
        prompt ? item : "",
        "gen_ai.operation.name",
        tool ? "execute_tool" : "",
        "error.type",
        errorType,
        "rpc.response.status_code",
        status);
  }
}
