package dev.mcpbus.ai;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes null out of the arguments of a call where the tool's own schema does not take it and the
 * member is optional: models write null for what they leave out, and strict modes make them. All
 * other values stay; the server gets what its schema describes. Stateless.
 */
final class AbsentArguments {

  private static final int MAX_DEPTH = 32;

  private AbsentArguments() {}

  /** Whether null stands anywhere in the value. */
  static boolean hasNull(@Nullable Object value) {
    if (value instanceof JsonObject object) {
      return object.stream().anyMatch(one -> hasNull(one.getValue()));
    }
    return value instanceof JsonArray array
        ? array.stream().anyMatch(AbsentArguments::hasNull)
        : value == null;
  }

  /** A copy of the arguments without such nulls. */
  static JsonObject removed(JsonObject arguments, JsonObject schema) {
    JsonObject copy = arguments.copy();
    remove(copy, FunctionSchemas.flat(schema), schema, 0);
    return copy;
  }

  private static void remove(
      @Nullable Object value, @Nullable Object schema, JsonObject root, int depth) {
    if (depth > MAX_DEPTH || !(FunctionSchemas.resolved(root, schema) instanceof JsonObject own)) {
      return;
    }
    JsonObject known = FunctionSchemas.withoutAllOf(root, own);
    if (value instanceof JsonArray array) {
      array.forEach(one -> remove(one, known.getValue("items"), root, depth + 1));
    }
    if (!(value instanceof JsonObject object)) {
      return;
    }
    for (String union : List.of("anyOf", "oneOf")) {
      if (known.getValue(union) instanceof JsonArray all) {
        List<?> objects =
            all.stream()
                .filter(
                    one ->
                        FunctionSchemas.resolved(root, one) instanceof JsonObject form
                            && form.containsKey("properties"))
                .toList();
        if (objects.size() == 1) { // otherwise it is not known which one is meant
          remove(value, objects.get(0), root, depth + 1);
        }
      }
    }
    if (!(known.getValue("properties") instanceof JsonObject properties)) {
      return;
    }
    for (String name : List.copyOf(object.fieldNames())) {
      if (!properties.containsKey(name)) {
        continue;
      }
      Object property = properties.getValue(name);
      boolean required =
          known.getValue("required") instanceof JsonArray names && names.contains(name);
      if (object.getValue(name) != null) {
        remove(object.getValue(name), property, root, depth + 1);
      } else if (!required && !takesNull(property, root, 0)) {
        object.remove(name);
      }
    }
  }

  private static boolean takesNull(@Nullable Object schema, JsonObject root, int depth) {
    if (!(FunctionSchemas.resolved(root, schema) instanceof JsonObject own) || depth > MAX_DEPTH) {
      return !Boolean.FALSE.equals(schema);
    }
    JsonObject known = FunctionSchemas.withoutAllOf(root, own);
    if (Boolean.TRUE.equals(known.getValue("nullable"))) {
      return true;
    }
    if (known.getValue("enum") instanceof JsonArray values && !values.contains(null)) {
      return false;
    }
    if (known.containsKey("const") && known.getValue("const") != null) {
      return false;
    }
    for (String union : List.of("anyOf", "oneOf")) {
      if (known.getValue(union) instanceof JsonArray all
          && all.stream().noneMatch(one -> takesNull(one, root, depth + 1))) {
        return false;
      }
    }
    Object type = known.getValue("type");
    return type == null
        || type.equals("null")
        || (type instanceof JsonArray all && all.contains("null"));
  }
}
