package dev.mcpbus.observability.tracing;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.Printable;
import dev.mcpbus.protocol.TraceContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import org.jspecify.annotations.Nullable;

/**
 * One operation as a span. Used on the context of the component that began it.
 *
 * @param carried the context that messages within the span carry
 */
record SpanOperation(Span span, String method, @Nullable TraceContext carried)
    implements TelemetryOperation {

  private static final int MAX_TEXT = 256;
  private static final String ERROR_TYPE = "error.type";

  @Override
  public @Nullable TraceContext trace() {
    return carried;
  }

  @Override
  public void target(String server, @Nullable String item) {
    span.setAttribute("mcpbus.server", server);
    if (item != null) {
      named(item);
    }
  }

  /** The tool or prompt that a list of the server has: it may stand in the name of the span. */
  void named(String item) {
    String name = bounded(item);
    span.updateName(method + " " + name);
    item(name);
  }

  /** The tool or prompt as a caller has named it. */
  void item(String name) {
    if (method.equals(Methods.TOOLS_CALL)) {
      span.setAttribute("gen_ai.tool.name", bounded(name));
    } else if (method.equals(Methods.PROMPTS_GET)) {
      span.setAttribute("gen_ai.prompt.name", bounded(name));
    }
  }

  static String bounded(String text) {
    String printable =
        Printable.line(text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text);
    return printable.length() > MAX_TEXT ? printable.substring(0, MAX_TEXT) : printable;
  }

  @Override
  public void succeeded(boolean toolError) {
    if (toolError) {
      span.setAttribute(ERROR_TYPE, "tool_error");
      span.setStatus(StatusCode.ERROR);
    }
    span.end();
  }

  /** "The status description SHOULD match the JSONRPCError.message". */
  @Override
  public void failed(McpFailure failure) {
    if (failure.code() == FailureCode.UPSTREAM_ERROR) {
      String code = String.valueOf(failure.toJsonRpcError().getValue("code"));
      span.setAttribute(ERROR_TYPE, code);
      span.setAttribute("rpc.response.status_code", code);
    } else {
      span.setAttribute(ERROR_TYPE, failure.code().name());
    }
    span.setStatus(StatusCode.ERROR, bounded(String.valueOf(failure.getMessage())));
    span.end();
  }
}
