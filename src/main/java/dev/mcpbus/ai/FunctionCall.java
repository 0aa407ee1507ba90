package dev.mcpbus.ai;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What a model asks for.
 *
 * @param id by which the model finds the answer; null where its form has none
 * @param name routing name of the tool
 * @param arguments as the model wrote them: an object, a text that should be one, or null
 */
public record FunctionCall(@Nullable String id, String name, @Nullable Object arguments) {

  /**
   * The arguments as an object; none is an empty one.
   *
   * @throws McpFailure {@code INVALID_ARGUMENTS} where the model wrote no JSON object
   */
  public JsonObject object() {
    if (arguments == null) {
      return new JsonObject();
    }
    if (arguments instanceof JsonObject object) {
      return object;
    }
    if (arguments instanceof String text) {
      return parse(text);
    }
    throw invalid();
  }

  /**
   * @throws McpFailure {@code INVALID_ARGUMENTS}
   */
  static JsonObject parse(String text) {
    if (text.isBlank()) {
      return new JsonObject();
    }
    try {
      return new JsonObject(text);
    } catch (DecodeException | ClassCastException e) {
      throw invalid();
    }
  }

  private static McpFailure invalid() {
    return McpFailure.notSent(
        FailureCode.INVALID_ARGUMENTS,
        "the arguments are not a JSON object; write {\"name\": ...}");
  }
}
