package dev.mcpbus.protocol.schema;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.WellFormedSchema.KeywordType;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Mends a schema where its meaning is plain: a keyword with null says nothing; {@code []} in place
 * of named schemas is an empty object of PHP; {@code "required": "a"} names one member; {@code
 * "int"} and {@code "OBJECT"} are types under other names; {@code required} among the properties
 * belongs beside them. What stays wrong is found by {@link WellFormedSchema}. Stateless.
 */
public final class MendedSchema {

  /** The names of types in Python, Go and Google's schemas, in lower case. */
  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("int", "integer"),
          Map.entry("int32", "integer"),
          Map.entry("int64", "integer"),
          Map.entry("long", "integer"),
          Map.entry("float", "number"),
          Map.entry("float64", "number"),
          Map.entry("double", "number"),
          Map.entry("decimal", "number"),
          Map.entry("str", "string"),
          Map.entry("text", "string"),
          Map.entry("bool", "boolean"),
          Map.entry("list", "array"),
          Map.entry("dict", "object"),
          Map.entry("map", "object"),
          Map.entry("none", "null"));

  private MendedSchema() {}

  /**
   * The schema with all that can be mended.
   *
   * @param schema a JSON object
   * @throws io.vertx.core.json.DecodeException if it cannot be decoded
   */
  public static RawJson of(RawJson schema) {
    try {
      return RawJson.of(new JsonObject(mended(schema.toJsonObject().getMap())));
    } catch (StackOverflowError e) {
      return schema; // which WellFormedSchema refuses
    }
  }

  private static Map<String, Object> mended(Map<?, ?> schema) {
    Map<String, Object> out = new LinkedHashMap<>();
    schema.forEach(
        (name, value) -> {
          String word = String.valueOf(name);
          KeywordType kind = WellFormedSchema.WORDS.get(word);
          Object inner = SchemaReferences.unwrap(value);
          Object fixed = kind == null ? value : word(kind, inner);
          if (kind == null || fixed != null) {
            out.put(word, fixed);
          }
        });
    hoistRequired(out);
    return out;
  }

  /** Null for what says nothing. */
  private static @Nullable Object word(KeywordType kind, Object value) {
    if (RawJson.NULL.equals(value)) {
      return null;
    }
    return switch (kind) {
      case SCHEMA -> schema(value);
      case SCHEMAS -> schemas(value);
      case SCHEMA_OR_SCHEMAS -> value instanceof List<?> ? schemas(value) : schema(value);
      case NAMED_SCHEMAS, NAMED_SCHEMAS_OR_STRINGS -> named(value);
      case STRINGS -> strings(value);
      case TYPE -> type(value);
      default -> value;
    };
  }

  private static Object schema(Object value) {
    return value instanceof Map<?, ?> map ? mended(map) : value;
  }

  /** One of several schemas: null says nothing. */
  private static Object oneOf(Object value) {
    return RawJson.NULL.equals(value) ? Map.of() : schema(value);
  }

  private static Object schemas(Object value) {
    if (!(value instanceof List<?> list)) {
      return value;
    }
    List<Object> all = new ArrayList<>();
    list.forEach(one -> all.add(oneOf(SchemaReferences.unwrap(one))));
    return all;
  }

  private static @Nullable Object named(Object value) {
    if (value instanceof List<?> list && list.isEmpty()) {
      return null;
    }
    if (!(value instanceof Map<?, ?> map)) {
      return value;
    }
    Map<String, Object> all = new LinkedHashMap<>();
    map.forEach(
        (name, one) -> {
          all.put(String.valueOf(name), oneOf(SchemaReferences.unwrap(one)));
        });
    return all;
  }

  private static @Nullable Object strings(Object value) {
    if (value instanceof String one) {
      return List.of(one);
    }
    return value instanceof List<?> list
        ? list.stream().filter(String.class::isInstance).toList()
        : null;
  }

  private static Object type(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(one -> one == null ? "null" : type(one)).distinct().toList();
    }
    if (!(value instanceof String text) || PlainSchema.TYPES.contains(text)) {
      return value;
    }
    String lower = text.toLowerCase(Locale.ROOT);
    return PlainSchema.TYPES.contains(lower) ? lower : TYPES.getOrDefault(lower, text);
  }

  /** A list named {@code required} is no property. */
  private static void hoistRequired(Map<String, Object> schema) {
    if (schema.get("properties") instanceof Map<?, ?> properties
        && properties.get("required") instanceof List<?> required) {
      Map<Object, Object> rest = new LinkedHashMap<>(properties);
      rest.remove("required");
      schema.put("properties", rest);
      schema.putIfAbsent("required", strings(required));
    }
  }
}
