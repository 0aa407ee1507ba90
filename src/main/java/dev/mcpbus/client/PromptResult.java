package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** The messages of a prompt. */
@PublicApi
public final class PromptResult extends JsonView {

  /**
   * One message.
   *
   * @param role {@code user} or {@code assistant}
   */
  public record PromptMessage(String role, ContentBlock content) {}

  public PromptResult(JsonObject json) {
    super(json);
  }

  PromptResult(Buffer json) {
    super(json);
  }

  /** Empty if it has none. */
  public String description() {
    return text("description");
  }

  public List<PromptMessage> messages() {
    return list(
        "messages",
        one ->
            new PromptMessage(
                String.valueOf(one.getValue("role")),
                new ContentBlock(
                    one.getValue("content") instanceof JsonObject block
                        ? block
                        : new JsonObject())));
  }
}
