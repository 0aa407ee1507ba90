package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** A pattern of the URIs of resources, by RFC 6570. */
@PublicApi
public final class ResourceTemplate extends JsonView {

  public ResourceTemplate(JsonObject json) {
    super(json);
  }

  public String uriTemplate() {
    return text("uriTemplate");
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
