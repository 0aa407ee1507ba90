package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** A tool of a list. */
@PublicApi
public final class McpTool extends JsonView {

  public McpTool(JsonObject json) {
    super(json);
  }

  public String name() {
    return text("name");
  }

  public @Nullable String title() {
    return textOrNull("title");
  }

  /** Empty if it has none. */
  public String description() {
    return text("description");
  }

  public JsonObject inputSchema() {
    return object("inputSchema");
  }

  /** Null if the tool does not say which structure its results have. */
  public @Nullable JsonObject outputSchema() {
    return json().containsKey("outputSchema") ? object("outputSchema") : null;
  }

  /** What the server says of the tool, such as {@code readOnlyHint}; empty if nothing. */
  public JsonObject annotations() {
    return object("annotations");
  }
}
