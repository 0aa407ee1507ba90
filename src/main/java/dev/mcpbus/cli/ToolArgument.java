package dev.mcpbus.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One argument of a tool or field of a form, by its JSON Schema: turns a word of the command line
 * into a value of its type. Immutable.
 *
 * @param name of the argument
 * @param schema of its value; references within the tool's schema are resolved
 * @param required whether the tool needs it
 */
record ToolArgument(String name, JsonObject schema, boolean required) {

  private static final Pattern INTEGER = Pattern.compile("[+-]?\\d{1,100}");
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(\\d{1,100}(\\.\\d{1,100})?|\\.\\d{1,100})([eE][+-]?\\d{1,3})?");
  private static final int MAX_REFERENCES = 8;

  /** The properties of an object's schema, in its order. */
  static List<ToolArgument> of(JsonObject schema) {
    List<ToolArgument> arguments = new ArrayList<>();
    if (schema.getValue("properties") instanceof JsonObject properties) {
      JsonArray needed = ContentText.array(schema, "required");
      properties.forEach(
          property ->
              arguments.add(
                  new ToolArgument(
                      property.getKey(),
                      resolved(schema, property.getValue(), 0),
                      needed.contains(property.getKey()))));
    }
    return arguments;
  }

  /** Follows {@code $ref} into the same document. */
  private static JsonObject resolved(JsonObject document, @Nullable Object schema, int depth) {
    if (!(schema instanceof JsonObject own)) {
      return new JsonObject();
    }
    if (!(own.getValue("$ref") instanceof String reference)
        || !reference.startsWith("#/")
        || depth == MAX_REFERENCES) {
      return own;
    }
    Object at = document;
    for (String step : reference.substring(2).split("/", -1)) {
      at =
          at instanceof JsonObject json
              ? json.getValue(step.replace("~1", "/").replace("~0", "~"))
              : null;
    }
    return resolved(document, at, depth + 1);
  }

  /** The types that the schema allows; empty where it says nothing. */
  Set<String> types() {
    Set<String> types = new LinkedHashSet<>();
    collect(schema, types);
    return types;
  }

  private static void collect(JsonObject schema, Set<String> types) {
    if (schema.getValue("type") instanceof String type) {
      types.add(type);
    }
    ContentText.array(schema, "type").forEach(type -> types.add(String.valueOf(type)));
    for (String union : List.of("anyOf", "oneOf")) {
      ContentText.objects(schema, union).forEach(each -> collect(each, types));
    }
    if (types.isEmpty() && (schema.containsKey("enum") || schema.containsKey("const"))) {
      JsonArray values = ContentText.array(schema, "enum").copy();
      values.add(schema.getValue("const"));
      values.stream().filter(String.class::isInstance).forEach(text -> types.add("string"));
    }
  }

  /** For people: the types, or the values of an enumeration. */
  String typeName() {
    JsonArray values = ContentText.array(schema, "enum");
    if (!values.isEmpty()) {
      return String.join("|", values.stream().map(String::valueOf).toList());
    }
    Set<String> types = types();
    return types.isEmpty() ? "any" : String.join("|", types);
  }

  /** A value that a shell takes, as an example. */
  String example() {
    JsonArray values = ContentText.array(schema, "enum");
    if (!values.isEmpty()) {
      return String.valueOf(values.getValue(0));
    }
    for (String type : types()) {
      switch (type) {
        case "integer", "number" -> {
          return "1";
        }
        case "boolean" -> {
          return "true";
        }
        case "array" -> {
          return "'[]'";
        }
        case "object" -> {
          return "'{}'";
        }
        default -> {
          // another type of the union may have an example
        }
      }
    }
    return "TEXT";
  }

  /**
   * The value of a word, by the first type that it fits: text stays as it is only where no other
   * type fits.
   *
   * @throws CommandFailure that names the argument and its type
   */
  @Nullable Object value(String word) {
    Set<String> types = types();
    if (types.isEmpty()) {
      return literal(word);
    }
    for (String type : types) {
      Object value = type.equals("string") ? null : as(type, word);
      if (value != null) {
        return value;
      }
    }
    if (types.contains("null") && word.equals("null")) {
      return null;
    }
    if (types.contains("string")) {
      return word;
    }
    throw wrong(word);
  }

  private @Nullable Object as(String type, String word) {
    return switch (type) {
      case "integer" -> INTEGER.matcher(word).matches() ? integer(word) : null;
      case "number" -> NUMBER.matcher(word).matches() ? number(word) : null;
      case "boolean" ->
          (word.equals("true") || word.equals("false")) ? Boolean.valueOf(word) : null;
      case "array" -> json(word) instanceof JsonArray array ? array : null;
      case "object" -> json(word) instanceof JsonObject object ? object : null;
      default -> null;
    };
  }

  private static Object integer(String word) {
    BigInteger whole = new BigInteger(word.startsWith("+") ? word.substring(1) : word);
    return whole.bitLength() < 64 ? whole.longValue() : whole;
  }

  private static Object number(String word) {
    return INTEGER.matcher(word).matches() ? integer(word) : new BigDecimal(word);
  }

  /** Without a type: JSON where it is JSON that is no text, else the word. */
  private static @Nullable Object literal(String word) {
    if (word.equals("null")) {
      return null;
    }
    Object value = json(word);
    return value == null || value instanceof String ? word : value;
  }

  private static @Nullable Object json(String word) {
    try {
      return Json.decodeValue(word);
    } catch (DecodeException e) {
      return null;
    }
  }

  /** The elements of an argument that stands several times on the command line. */
  JsonArray values(List<String> words) {
    JsonArray array = new JsonArray();
    ToolArgument element =
        new ToolArgument(
            name,
            schema.getValue("items") instanceof JsonObject items ? items : new JsonObject(),
            false);
    words.forEach(word -> array.add(element.value(word)));
    return array;
  }

  private CommandFailure wrong(String word) {
    String json =
        types().contains("array") || types().contains("object") ? " as JSON, in quotes" : "";
    return CommandFailure.usage(
        "argument "
            + name
            + ": must be "
            + typeName().replace("|", " or ")
            + json
            + ", not \""
            + word
            + "\"");
  }
}
