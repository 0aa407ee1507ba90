package dev.mcpbus.protocol.schema;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A simple schema, as most tools have: types, members, enumerations of strings. It only accepts a
 * value quickly; a value that it does not accept goes to the general validator, which decides and
 * explains. Immutable after {@link #of}.
 */
final class PlainSchema {

  /** Keywords without a constraint. */
  private static final Set<String> ANNOTATIONS =
      Set.of("$schema", "$comment", "title", "description", "default", "examples", "deprecated");

  /** The values of {@code type}. */
  static final Set<String> TYPES =
      Set.of("object", "array", "string", "integer", "number", "boolean", "null");

  private @Nullable String type;
  private @Nullable PlainSchema items;
  private @Nullable Set<Object> values;
  private final Map<String, PlainSchema> properties = new HashMap<>();
  private final Set<String> required = new HashSet<>();
  private boolean closed;

  private PlainSchema() {}

  /** Null if the schema has a keyword that this class does not support. */
  static @Nullable PlainSchema of(@Nullable Object schema) {
    if (!(schema instanceof JsonObject json)) {
      return null;
    }
    PlainSchema plain = new PlainSchema();
    for (String word : json.fieldNames()) {
      if (!ANNOTATIONS.contains(word) && !plain.addKeyword(word, json.getValue(word))) {
        return null;
      }
    }
    return plain;
  }

  private boolean addKeyword(String word, @Nullable Object value) {
    return switch (word) {
      case "type" -> {
        type = value instanceof String text && TYPES.contains(text) ? text : null;
        yield type != null;
      }
      case "enum" -> {
        Set<Object> allowed = new HashSet<>();
        values = allowed;
        yield addStrings(value, allowed);
      }
      case "required" -> addStrings(value, required);
      case "properties" -> value instanceof JsonObject json && addProperties(json);
      case "items" -> {
        items = of(value);
        yield items != null;
      }
      case "additionalProperties" -> {
        closed = Boolean.FALSE.equals(value);
        yield value instanceof Boolean;
      }
      default -> false;
    };
  }

  private boolean addProperties(JsonObject json) {
    for (String name : json.fieldNames()) {
      PlainSchema property = of(json.getValue(name));
      if (property == null) {
        return false;
      }
      properties.put(name, property);
    }
    return true;
  }

  /** False if {@code value} is not an array of distinct strings. */
  private static boolean addStrings(@Nullable Object value, Set<? super String> into) {
    if (!(value instanceof JsonArray array)) {
      return false;
    }
    for (Object element : array) {
      if (!(element instanceof String text) || !into.add(text)) {
        return false;
      }
    }
    return true;
  }

  /** True if {@code value} certainly fits. */
  boolean accepts(@Nullable Object value) {
    if (values != null && !values.contains(value)) {
      return false;
    }
    Map<?, ?> members = members(value);
    if (members != null) {
      return (type == null || type.equals("object")) && acceptsMembers(members);
    }
    List<?> elements = elements(value);
    if (elements != null) {
      return (type == null || type.equals("array")) && acceptsElements(elements);
    }
    return type == null ? isScalar(value) : type.equals(scalarType(value)) || isWhole(value);
  }

  private boolean acceptsMembers(Map<?, ?> members) {
    for (String name : required) {
      if (!members.containsKey(name)) {
        return false;
      }
    }
    for (Map.Entry<?, ?> member : members.entrySet()) {
      PlainSchema property = properties.get(member.getKey());
      if (property == null ? closed : !property.accepts(member.getValue())) {
        return false;
      }
    }
    return true;
  }

  private boolean acceptsElements(List<?> elements) {
    PlainSchema each = items;
    return each == null || elements.stream().allMatch(each::accepts);
  }

  private static @Nullable Map<?, ?> members(@Nullable Object value) {
    return value instanceof JsonObject json
        ? json.getMap()
        : value instanceof Map<?, ?> map ? map : null;
  }

  private static @Nullable List<?> elements(@Nullable Object value) {
    return value instanceof JsonArray json
        ? json.getList()
        : value instanceof List<?> list ? list : null;
  }

  private static boolean isScalar(@Nullable Object value) {
    return scalarType(value) != null;
  }

  /** The narrowest type; null for values whose Java type is not one of JSON. */
  private static @Nullable String scalarType(@Nullable Object value) {
    if (value == null) {
      return "null";
    } else if (value instanceof String) {
      return "string";
    } else if (value instanceof Boolean) {
      return "boolean";
    } else if (isInteger(value)) {
      return "integer";
    }
    return value instanceof Double || value instanceof Float ? "number" : null;
  }

  private static boolean isInteger(@Nullable Object value) {
    return value instanceof Integer || value instanceof Long || value instanceof BigInteger;
  }

  /** An integer is also a number. */
  private boolean isWhole(@Nullable Object value) {
    return "number".equals(type) && isInteger(value);
  }
}
