package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** A server's question to a person. */
@PublicApi
public final class ElicitationRequest extends JsonView {

  public ElicitationRequest(JsonObject params) {
    super(params);
  }

  /** For the person. */
  public String message() {
    return text("message");
  }

  /** The form of the answer, a flat object schema; empty for a question with a URL. */
  public JsonObject schema() {
    return object("requestedSchema");
  }

  /** The page that the person should open; null for a question with a form. */
  public @Nullable String url() {
    return textOrNull("url");
  }
}
