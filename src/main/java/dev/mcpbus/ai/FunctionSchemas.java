package dev.mcpbus.ai;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;

/** Adapts schemas to the requirements of the vendors. Stateless; returns changed copies. */
final class FunctionSchemas {

  /** OpenAI and Anthropic refuse these beside {@code "type": "object"} at the top. */
  private static final List<String> NOT_AT_TOP =
      List.of("anyOf", "oneOf", "allOf", "not", "enum", "if", "then", "else");

  /** The keywords that OpenAI's strict mode accepts. */
  private static final Set<String> STRICT =
      Set.of(
          "type",
          "properties",
          "required",
          "additionalProperties",
          "items",
          "enum",
          "const",
          "anyOf",
          "$ref",
          "$defs",
          "definitions",
          "description",
          "title",
          "pattern",
          "format",
          "multipleOf",
          "minimum",
          "maximum",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "minItems",
          "maxItems");

  private FunctionSchemas() {}

  /** An object schema with {@code properties}, without keywords about the schema itself. */
  static JsonObject object(JsonObject schema) {
    JsonObject out = schema.copy();
    out.remove("$schema");
    out.remove("$id");
    out.put("type", "object");
    if (!(out.getValue("properties") instanceof JsonObject)) {
      out.put("properties", new JsonObject());
    }
    return out;
  }

  /**
   * As {@link #object}, without combinations at the top. This allows more arguments; the server
   * still checks them with its full schema.
   */
  static JsonObject flat(JsonObject schema) {
    JsonObject out = object(schema);
    NOT_AT_TOP.forEach(out::remove);
    return out;
  }

  /** Whether OpenAI's strict mode accepts the schema unchanged. */
  static boolean isStrict(JsonObject schema) {
    if (!STRICT.containsAll(schema.fieldNames())) {
      return false;
    }
    boolean object = "object".equals(schema.getValue("type")) || schema.containsKey("properties");
    return (!object || isClosed(schema))
        && all(schema.getValue("properties"))
        && all(schema.getValue("$defs"))
        && all(schema.getValue("definitions"))
        && one(schema.getValue("items"))
        && each(schema.getValue("anyOf"));
  }

  private static boolean isClosed(JsonObject schema) {
    JsonObject properties =
        schema.getValue("properties") instanceof JsonObject known ? known : new JsonObject();
    JsonArray required =
        schema.getValue("required") instanceof JsonArray known ? known : new JsonArray();
    return Boolean.FALSE.equals(schema.getValue("additionalProperties"))
        && properties.fieldNames().stream().allMatch(required::contains);
  }

  private static boolean all(Object schemas) {
    return !(schemas instanceof JsonObject known)
        || known.fieldNames().stream().allMatch(name -> one(known.getValue(name)));
  }

  private static boolean each(Object schemas) {
    return !(schemas instanceof JsonArray known) || known.stream().allMatch(FunctionSchemas::one);
  }

  private static boolean one(Object schema) {
    return schema instanceof JsonObject known ? isStrict(known) : schema == null;
  }
}
