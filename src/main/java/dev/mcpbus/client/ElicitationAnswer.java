package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;

/** The answer to a server's question. */
@PublicApi
public final class ElicitationAnswer extends JsonView {

  public ElicitationAnswer(JsonObject result) {
    super(result);
  }

  /**
   * The person has answered.
   *
   * @param content the values of the form; empty for a question with a URL
   */
  public static ElicitationAnswer accept(JsonObject content) {
    JsonObject result = new JsonObject().put("action", "accept");
    return new ElicitationAnswer(content.isEmpty() ? result : result.put("content", content));
  }

  /** The person has refused to answer. */
  public static ElicitationAnswer decline() {
    return new ElicitationAnswer(new JsonObject().put("action", "decline"));
  }

  /** The person has neither answered nor refused, such as by closing the window. */
  public static ElicitationAnswer cancel() {
    return new ElicitationAnswer(new JsonObject().put("action", "cancel"));
  }
}
