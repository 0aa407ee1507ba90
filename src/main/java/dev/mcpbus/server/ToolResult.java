package dev.mcpbus.server;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** The usual results of a tool; any other {@code CallToolResult} is as welcome. */
public final class ToolResult {

  private ToolResult() {}

  /** One text. */
  public static JsonObject text(String text) {
    return new JsonObject()
        .put(
            "content", new JsonArray().add(new JsonObject().put("type", "text").put("text", text)));
  }

  /** Structured content, and the same as text for clients that do not read it. */
  public static JsonObject structured(JsonObject content) {
    return text(content.encode()).put("structuredContent", content);
  }

  /** The tool ran and failed: {@code message} is for the model that called it. */
  public static JsonObject error(String message) {
    return text(message).put("isError", true);
  }
}
