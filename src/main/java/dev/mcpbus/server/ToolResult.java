package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Builds the usual results of a tool. A tool may also return any other {@code CallToolResult}. */
@PublicApi
public final class ToolResult {

  private ToolResult() {}

  /** A result with one text. */
  public static JsonObject text(String text) {
    return new JsonObject()
        .put(
            "content", new JsonArray().add(new JsonObject().put("type", "text").put("text", text)));
  }

  /**
   * A result with structured content, and the same as text for clients that do not read structured
   * content.
   */
  public static JsonObject structured(JsonObject content) {
    return text(content.encode()).put("structuredContent", content);
  }

  /** A result of a tool that ran and failed; the model that called it reads {@code message}. */
  public static JsonObject error(String message) {
    return text(message).put("isError", true);
  }
}
