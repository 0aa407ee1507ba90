package dev.mcpbus.protocol;

import io.vertx.core.http.HttpHeaders;
import java.util.Map;

/** The HTTP headers of MCP (Streamable HTTP), in lower case, as HTTP/2 requires. */
public final class McpHeaders {

  /** The session of a request; {@code initialize} era only. */
  public static final CharSequence SESSION_ID = HttpHeaders.createOptimized("mcp-session-id");

  public static final CharSequence PROTOCOL_VERSION =
      HttpHeaders.createOptimized("mcp-protocol-version");

  /** Repeats {@code method} of the body; 2026-07-28 only. */
  public static final CharSequence METHOD = HttpHeaders.createOptimized("mcp-method");

  /** Repeats the member of the params that {@link #NAMED_BY} names; 2026-07-28 only. */
  public static final CharSequence NAME = HttpHeaders.createOptimized("mcp-name");

  /** The member of the params that {@link #NAME} repeats, by method. */
  public static final Map<String, String> NAMED_BY =
      Map.of(
          Methods.TOOLS_CALL, "name",
          Methods.PROMPTS_GET, "name",
          Methods.RESOURCES_READ, "uri",
          Methods.TASKS_GET, "taskId",
          Methods.TASKS_UPDATE, "taskId",
          Methods.TASKS_CANCEL, "taskId");

  private McpHeaders() {}
}
