package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** A resource of a list, or to which a block of a result leads. */
@PublicApi
public final class McpResource extends JsonView {

  public McpResource(JsonObject json) {
    super(json);
  }

  public String uri() {
    return text("uri");
  }

  public String name() {
    return text("name");
  }

  /** Empty if it has none. */
  public String description() {
    return text("description");
  }

  public @Nullable String mimeType() {
    return textOrNull("mimeType");
  }
}
