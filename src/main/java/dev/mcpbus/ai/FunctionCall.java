package dev.mcpbus.ai;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A function call that a model requests. Immutable.
 *
 * @param id by which the model matches the result; null if the format has none
 * @param name routing name of the tool
 * @param arguments as the model wrote them: an object, a string that should hold one, or null
 */
record FunctionCall(@Nullable String id, String name, @Nullable Object arguments) {

  /**
   * The arguments as an object; empty if there are none.
   *
   * @throws McpFailure {@code INVALID_ARGUMENTS} if the model did not write a JSON object
   */
  JsonObject object() {
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
   * @throws McpFailure {@code INVALID_ARGUMENTS} if {@code text} is not a JSON object
   */
  static JsonObject parse(String text) {
    try {
      Object value = text.isBlank() ? null : Json.decodeValue(text);
      if (value == null || value instanceof JsonObject) {
        return value == null ? new JsonObject() : (JsonObject) value;
      }
    } catch (DecodeException e) {
      // falls through to the refusal below
    }
    throw invalid();
  }

  private static McpFailure invalid() {
    return McpFailure.notSent(
        FailureCode.INVALID_ARGUMENTS,
        "the arguments are not a JSON object; write {\"name\": ...}");
  }
}
