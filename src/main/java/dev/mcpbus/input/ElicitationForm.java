package dev.mcpbus.input;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import dev.mcpbus.protocol.schema.WellFormedSchema;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Set;

/**
 * The form of an elicitation: a flat object of simple values (MCP 2025-11-25 and 2026-07-28,
 * Elicitation, Requested Schema). Immutable.
 */
final class ElicitationForm {

  private static final Set<String> SIMPLE =
      Set.of("string", "number", "integer", "boolean", "array");
  private static final int MAX_FIELDS = 256;

  private final JsonObject properties;
  private final ArgumentValidator validator;

  private ElicitationForm(JsonObject properties, ArgumentValidator validator) {
    this.properties = properties;
    this.validator = validator;
  }

  /**
   * @throws McpFailure {@code PROTOCOL_ERROR} if {@code schema} is not a form
   */
  static ElicitationForm of(JsonObject schema) {
    JsonObject properties =
        schema.getValue("properties") instanceof JsonObject object ? object : new JsonObject();
    if (properties.size() > MAX_FIELDS) {
      throw InputQuestion.refused("its form has more than " + MAX_FIELDS + " fields");
    }
    for (Map.Entry<String, Object> property : properties) {
      if (!(property.getValue() instanceof JsonObject field)
          || !(field.getValue("type") instanceof String type)
          || !SIMPLE.contains(type)) {
        throw InputQuestion.refused("its form asks for more than simple values");
      }
    }
    JsonObject own = schema.copy();
    own.remove("$schema");
    RawJson raw = RawJson.of(own);
    String fault =
        raw.length() > ArgumentValidator.MAX_SCHEMA_BYTES
            ? "too large"
            : WellFormedSchema.fault(raw);
    if (fault != null) {
      throw InputQuestion.refused("its form cannot be understood: " + fault);
    }
    return new ElicitationForm(properties, ArgumentValidator.of(raw));
  }

  /**
   * Adds the form's defaults for absent fields (SEP-1034) and validates the result.
   *
   * @throws McpFailure {@code INVALID_ARGUMENTS} with {@code path}, if the content does not fit the
   *     form
   */
  JsonObject fill(JsonObject content) {
    JsonObject filled = content.copy();
    properties.forEach(
        property -> {
          Object value = ((JsonObject) property.getValue()).getValue("default");
          if (value != null && !filled.containsKey(property.getKey())) {
            filled.put(property.getKey(), value);
          }
        });
    Violation wrong = validator.check(filled, ArgumentValidator.SMALL_EFFORT, () -> false);
    if (wrong != null) {
      throw invalid("/content" + (wrong.path().equals("/") ? "" : wrong.path()), wrong.message());
    }
    return filled;
  }

  static McpFailure invalid(String path, String message) {
    return new McpFailure(
        FailureCode.INVALID_ARGUMENTS,
        McpFailure.Sent.NO,
        "the answer's " + path + ": " + message,
        -1,
        new JsonObject().put("path", path));
  }
}
