package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** A prompt of a list. */
@PublicApi
public final class McpPrompt extends JsonView {

  public McpPrompt(JsonObject json) {
    super(json);
  }

  public String name() {
    return text("name");
  }

  /** Empty if it has none. */
  public String description() {
    return text("description");
  }

  /** {@code name}, {@code description}, {@code required} of each argument. */
  public List<JsonObject> arguments() {
    return list("arguments", argument -> argument);
  }
}
