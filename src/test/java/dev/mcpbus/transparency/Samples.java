package dev.mcpbus.transparency;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** Values that fit a JSON schema, as far as tools and forms of real servers need it. */
final class Samples {

  private Samples() {}

  /** The required members of an object, each with an example, a default or a plain value. */
  static JsonObject of(@Nullable JsonObject schema) {
    JsonObject all = new JsonObject();
    if (schema == null) {
      return all;
    }
    JsonObject properties = schema.getJsonObject("properties", new JsonObject());
    for (Object name : schema.getJsonArray("required", new JsonArray())) {
      all.put((String) name, value(properties.getJsonObject((String) name, new JsonObject())));
    }
    return all;
  }

  private static Object value(JsonObject schema) {
    for (String list : new String[] {"examples", "enum"}) {
      JsonArray values = schema.getJsonArray(list);
      if (values != null && !values.isEmpty()) {
        return values.getValue(0);
      }
    }
    if (schema.containsKey("default")) {
      return schema.getValue("default");
    }
    if (schema.containsKey("const")) {
      return schema.getValue("const");
    }
    Object type = schema.getValue("type");
    return switch (type instanceof JsonArray types ? types.getString(0) : String.valueOf(type)) {
      case "number", "integer" -> schema.getValue("minimum", 1);
      case "boolean" -> true;
      case "array" ->
          schema.getInteger("minItems", 0) == 0
              ? new JsonArray()
              : new JsonArray().add(value(schema.getJsonObject("items", new JsonObject())));
      case "object" -> of(schema);
      default -> "email".equals(schema.getString("format")) ? "a@example.com" : "sample";
    };
  }
}
