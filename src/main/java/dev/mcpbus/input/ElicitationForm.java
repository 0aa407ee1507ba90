package dev.mcpbus.input;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import dev.mcpbus.protocol.schema.MendedSchema;
import dev.mcpbus.protocol.schema.SchemaReferences;
import dev.mcpbus.protocol.schema.WellFormedSchema;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The form of an elicitation: a flat object of simple values (MCP 2025-11-25 and 2026-07-28,
 * Elicitation, Requested Schema), also as pydantic writes it: an optional field as {@code anyOf} of
 * its type and null, an enumeration behind a reference. The person's client gets the server's own
 * text. Immutable.
 */
final class ElicitationForm {

  private static final Set<String> SIMPLE =
      Set.of("string", "number", "integer", "boolean", "array", "null");
  private static final int MAX_FIELDS = 256;

  private static final int MAX_DEPTH = 8;
  private static final int MAX_STEPS = 10_000;
  private static final List<String> COMBINED = List.of("allOf", "anyOf", "oneOf");

  private final Map<String, Object> defaults;
  private final ArgumentValidator validator;

  private ElicitationForm(Map<String, Object> defaults, ArgumentValidator validator) {
    this.defaults = defaults;
    this.validator = validator;
  }

  /**
   * @throws McpFailure {@code PROTOCOL_ERROR} if {@code schema} is not a form
   */
  static ElicitationForm of(JsonObject schema) {
    RawJson raw = RawJson.of(schema).without("$schema");
    String fault = "too large";
    if (raw.length() <= ArgumentValidator.MAX_SCHEMA_BYTES) {
      raw = MendedSchema.of(raw);
      fault = WellFormedSchema.fault(raw);
    }
    if (fault != null) {
      throw InputQuestion.refused("its form cannot be understood: " + fault);
    }
    JsonObject form = raw.toJsonObject();
    JsonObject properties = form.getJsonObject("properties", new JsonObject());
    if (properties.size() > MAX_FIELDS) {
      throw InputQuestion.refused("its form has more than " + MAX_FIELDS + " fields");
    }
    FieldReader reader = new FieldReader(form);
    Map<String, Object> defaults = new LinkedHashMap<>();
    for (Map.Entry<String, Object> property : properties) {
      if (!reader.isSimple(property.getValue(), 0)) {
        throw InputQuestion.refused("its form asks for more than simple values");
      }
      Object standard = reader.standard(property.getValue(), 0);
      if (standard != null) {
        defaults.put(property.getKey(), standard);
      }
    }
    return new ElicitationForm(defaults, ArgumentValidator.of(raw));
  }

  /** Reads fields as libraries write them: behind references, with null as an alternative. */
  private static final class FieldReader {
    private final JsonObject root;
    private int steps;

    FieldReader(JsonObject root) {
      this.root = root;
    }

    /** Whether the field takes no object. A field that says nothing of its type may take text. */
    boolean isSimple(@Nullable Object schema, int depth) {
      if (!(schema instanceof JsonObject field)) {
        return schema == null || Boolean.TRUE.equals(schema);
      }
      if (depth > MAX_DEPTH || ++steps > MAX_STEPS) {
        return false;
      }
      Object type = field.getValue("type");
      boolean simple =
          type instanceof JsonArray all
              ? all.stream().allMatch(one -> one != null && SIMPLE.contains(one))
              : type == null ? !field.containsKey("properties") : SIMPLE.contains(type);
      return simple && parts(field, COMBINED).allMatch(part -> isSimple(part, depth + 1));
    }

    /** The first default that is not null, null if there is none. */
    @Nullable Object standard(@Nullable Object schema, int depth) {
      if (!(schema instanceof JsonObject field) || depth > MAX_DEPTH || ++steps > MAX_STEPS) {
        return null;
      }
      if (field.containsKey("default")) {
        return field.getValue("default");
      }
      return parts(field, List.of("allOf"))
          .map(part -> standard(part, depth + 1))
          .filter(Objects::nonNull)
          .findFirst()
          .orElse(null);
    }

    private Stream<Object> parts(JsonObject field, List<String> words) {
      Stream<Object> all =
          words.stream()
              .map(field::getValue)
              .filter(JsonArray.class::isInstance)
              .flatMap(list -> ((JsonArray) list).stream());
      JsonObject target =
          field.getValue("$ref") instanceof String ref ? SchemaReferences.target(root, ref) : null;
      return target == null ? all : Stream.concat(Stream.of(target), all);
    }
  }

  /**
   * Adds the form's defaults for absent fields (SEP-1034) and validates the result.
   *
   * @throws McpFailure {@code INVALID_ARGUMENTS} with {@code path}, if the content does not fit the
   *     form
   */
  JsonObject fill(JsonObject content) {
    JsonObject filled = content.copy();
    defaults.forEach(
        (field, value) -> {
          if (!filled.containsKey(field)) {
            filled.put(field, value);
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
