package dev.mcpbus.observability.metrics;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
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

  private static final Set<String> METHODS =
      Set.of(
          Methods.INITIALIZE,
          Methods.DISCOVER,
          Methods.LISTEN,
          Methods.PING,
          Methods.TOOLS_LIST,
          Methods.TOOLS_CALL,
          Methods.RESOURCES_LIST,
          Methods.RESOURCES_TEMPLATES,
          Methods.RESOURCES_READ,
          Methods.RESOURCES_SUBSCRIBE,
          Methods.DIRECTORY_READ,
          Methods.SKILLS_LIST,
          Methods.SKILLS_GET,
          Methods.RESOURCES_UNSUBSCRIBE,
          Methods.PROMPTS_LIST,
          Methods.PROMPTS_GET,
          Methods.COMPLETE,
          Methods.SET_LEVEL,
          Methods.TASKS_GET,
          Methods.TASKS_CANCEL,
          Methods.TASKS_UPDATE,
          Methods.TASKS_RESULT,
          Methods.TASKS_LIST);

  /** The label of a method: callers may send any text as one. */
  static String method(String method) {
    return METHODS.contains(method) ? method : OTHER;
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
