package dev.mcpbus.ai;

import dev.mcpbus.protocol.schema.MendedSchema;
import dev.mcpbus.protocol.schema.SchemaReferences;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Adapts schemas to the requirements of the vendors. Stateless; returns changed copies. */
final class FunctionSchemas {

  /** OpenAI and Anthropic refuse these beside {@code "type": "object"} at the top. */
  private static final List<String> NOT_AT_TOP =
      List.of("anyOf", "oneOf", "allOf", "not", "enum", "if", "then", "else");

  private static final int MAX_REFERENCES = 8;

  /** The keywords that OpenAI's strict mode accepts. */
  static final Set<String> STRICT =
      Set.of(
          ("type properties required additionalProperties items enum const anyOf $ref $defs"
                  + " definitions description title pattern format multipleOf minimum maximum"
                  + " exclusiveMinimum exclusiveMaximum minItems maxItems")
              .split(" "));

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
   * As {@link #object}, without combinations at the top: the properties of all alternatives, and
   * what each of them requires. This allows more arguments; the server still checks them with its
   * full schema.
   */
  static JsonObject flat(JsonObject schema) {
    JsonObject top = schema;
    for (int i = 0; i < MAX_REFERENCES && top.getValue("$ref") instanceof String ref; i++) {
      JsonObject target = SchemaReferences.target(schema, ref);
      JsonObject beside = top.copy();
      beside.remove("$ref");
      top = target == null ? beside : target.copy().mergeIn(beside);
    }
    JsonObject out = object(withoutAllOf(schema, top));
    for (String word : List.of("anyOf", "oneOf")) {
      if (out.getValue(word) instanceof JsonArray alternatives) {
        unite(schema, out, alternatives);
      }
    }
    NOT_AT_TOP.forEach(out::remove);
    return out;
  }

  private static void unite(JsonObject root, JsonObject out, JsonArray alternatives) {
    JsonObject properties = out.getJsonObject("properties");
    Set<Object> common = null;
    for (Object one : alternatives) {
      if (!(resolved(root, one) instanceof JsonObject form)) {
        continue;
      }
      if (form.getValue("properties") instanceof JsonObject more) {
        more.forEach(
            property -> properties.getMap().putIfAbsent(property.getKey(), property.getValue()));
      }
      Set<Object> required = new LinkedHashSet<>(list(form, "required"));
      if (common == null) {
        common = required;
      } else {
        common.retainAll(required);
      }
    }
    if (common != null && !common.isEmpty()) {
      Set<Object> all = new LinkedHashSet<>(list(out, "required"));
      all.addAll(common);
      out.put("required", new JsonArray(List.copyOf(all)));
    }
  }

  private static List<?> list(JsonObject schema, String word) {
    return schema.getValue(word) instanceof JsonArray all ? all.getList() : List.of();
  }

  /** The schema behind a reference into the same document; the value itself if it is none. */
  static @Nullable Object resolved(JsonObject root, @Nullable Object schema) {
    Object found = schema;
    for (int i = 0; i < MAX_REFERENCES; i++) {
      if (!(found instanceof JsonObject one) || !(one.getValue("$ref") instanceof String ref)) {
        return found;
      }
      found = SchemaReferences.target(root, ref);
    }
    return null;
  }

  /** The schema with the members of its {@code allOf}: the first value of a keyword counts. */
  static JsonObject withoutAllOf(JsonObject root, JsonObject schema) {
    if (!(schema.getValue("allOf") instanceof JsonArray parts)) {
      return schema;
    }
    JsonObject out = schema.copy();
    out.remove("allOf");
    for (Object part : parts) {
      if (!(resolved(root, part) instanceof JsonObject more)) {
        continue;
      }
      JsonObject copy = more.copy();
      for (String word : copy.fieldNames()) {
        Object own = out.getValue(word);
        Object other = copy.getValue(word);
        if (own == null) {
          out.put(word, other);
        } else if (own instanceof JsonObject all && other instanceof JsonObject others) {
          others.forEach(one -> all.getMap().putIfAbsent(one.getKey(), one.getValue()));
        } else if (word.equals("required")
            && own instanceof JsonArray
            && other instanceof JsonArray) {
          Set<Object> names = new LinkedHashSet<>(list(out, word));
          names.addAll(list(copy, word));
          out.put(word, new JsonArray(List.copyOf(names)));
        }
      }
    }
    return out;
  }

  /** The one type that a schema states or clearly means; empty if there is none. */
  static String type(JsonObject schema) {
    if (schema.getValue("type") instanceof String type) {
      return type;
    }
    if (schema.containsKey("properties")) {
      return "object";
    }
    if (schema.containsKey("items") || schema.containsKey("prefixItems")) {
      return "array";
    }
    List<?> values =
        schema.containsKey("const")
            ? Collections.singletonList(schema.getValue("const"))
            : list(schema, "enum");
    Set<String> types = new LinkedHashSet<>();
    values.forEach(value -> types.add(typeOf(value)));
    if (types.size() > 1) {
      types.remove("null");
    }
    return types.size() == 1 ? types.iterator().next() : "";
  }

  private static String typeOf(@Nullable Object value) {
    if (value == null) {
      return "null";
    }
    if (value instanceof String) {
      return "string";
    }
    if (value instanceof Boolean) {
      return "boolean";
    }
    if (value instanceof Integer || value instanceof Long || value instanceof BigInteger) {
      return "integer";
    }
    return value instanceof Number ? "number" : "";
  }

  /**
   * As {@link #flat(JsonObject)}, in the JSON Schema that the vendors read.
   *
   * @param changes gets each change
   */
  static JsonObject flat(JsonObject schema, Consumer<String> changes) {
    String gone = String.join(", ", NOT_AT_TOP.stream().filter(schema::containsKey).toList());
    if (!gone.isEmpty()) {
      changes.accept("the schema without " + gone + " at its top");
    }
    return flat(MendedSchema.forModels(schema, changes));
  }
}
