package dev.mcpbus.input;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.SchemaException;
import io.vertx.json.schema.Validator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The form of an elicitation: a flat object of simple values (MCP 2025-11-25 and 2026-07-28,
 * Elicitation, Requested Schema).
 */
final class Form {

  private static final Set<String> SIMPLE =
      Set.of("string", "number", "integer", "boolean", "array");
  private static final int MAX_FIELDS = 256;

  private final JsonObject properties;
  private final Validator validator;

  private Form(JsonObject properties, Validator validator) {
    this.properties = properties;
    this.validator = validator;
  }

  /**
   * @throws McpFailure {@code PROTOCOL_ERROR} where {@code schema} is no form
   */
  static Form of(JsonObject schema) {
    JsonObject properties =
        schema.getValue("properties") instanceof JsonObject object ? object : new JsonObject();
    if (properties.size() > MAX_FIELDS) {
      throw Question.refused("its form has more than " + MAX_FIELDS + " fields");
    }
    for (Map.Entry<String, Object> property : properties) {
      if (!(property.getValue() instanceof JsonObject field)
          || !(field.getValue("type") instanceof String type)
          || !SIMPLE.contains(type)) {
        throw Question.refused("its form asks for more than simple values");
      }
    }
    try {
      JsonSchemaOptions options =
          new JsonSchemaOptions()
              .setBaseUri("mcp://form")
              .setDraft(Draft.DRAFT202012)
              .setOutputFormat(OutputFormat.Basic);
      JsonObject own = schema.copy();
      own.remove("$schema");
      Validator validator = Validator.create(JsonSchema.of(own), options);
      validator.validate(new JsonObject());
      return new Form(properties, validator);
    } catch (SchemaException | ClassCastException | IllegalStateException e) {
      throw Question.refused("its form cannot be understood");
    }
  }

  /**
   * The content with the form's defaults for what is absent (SEP-1034).
   *
   * @throws McpFailure {@code INVALID_ARGUMENTS} with {@code path}, where it does not fit then
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
    OutputUnit result = validator.validate(filled);
    if (!Boolean.TRUE.equals(result.getValid())) {
      List<OutputUnit> errors = result.getErrors();
      OutputUnit last = errors == null || errors.isEmpty() ? null : errors.get(errors.size() - 1);
      throw invalid(
          "/content" + (last == null ? "" : last.getInstanceLocation().replaceFirst("^#", "")),
          last == null ? "does not fit the form" : String.valueOf(last.getError()));
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
