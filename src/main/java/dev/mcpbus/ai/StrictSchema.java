package dev.mcpbus.ai;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A schema as OpenAI's strict mode takes it: each object closed, each property required, an
 * optional one may be null. {@link ModelArguments} takes such a null out of a call again. A schema
 * that cannot be closed without a loss, such as one of open objects, has none. One instance for a
 * schema.
 */
final class StrictSchema {

  /** The schema has no strict form. Stackless. */
  private static final class UnfitException extends Exception {
    private static final long serialVersionUID = 1;

    UnfitException(String at, String why) {
      super((at.isEmpty() ? "the schema" : at) + " " + why, null, false, false);
    }
  }

  private static final Set<String> FORMATS =
      Set.of("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid");

  private static final List<String> OPEN =
      List.of("patternProperties", "unevaluatedProperties", "prefixItems");

  private static final int MAX_DEPTH = 10;
  private static final int MAX_PROPERTIES = 5_000;
  private static final int MAX_VALUES = 1_000;

  private final JsonObject root;
  private int properties;
  private int values;

  private final Consumer<String> changes;

  private StrictSchema(JsonObject root, Consumer<String> changes) {
    this.root = root;
    this.changes = changes;
  }

  /**
   * The strict form of a schema of an object.
   *
   * @param changes gets each change that loses something, and the reason where there is no form
   * @return null if there is none
   */
  static @Nullable JsonObject of(JsonObject flat, Consumer<String> changes) {
    try {
      return new StrictSchema(flat, changes).schema(flat, "", 0);
    } catch (UnfitException e) {
      changes.accept("not strict: " + e.getMessage());
      return null;
    }
  }

  private JsonObject schema(@Nullable Object value, String at, int depth) throws UnfitException {
    if (!(value instanceof JsonObject own) || own.isEmpty()) {
      throw new UnfitException(at, "takes any value");
    }
    if (depth > MAX_DEPTH) {
      throw new UnfitException(at, "nests deeper than " + MAX_DEPTH);
    }
    JsonObject given = FunctionSchemas.withoutAllOf(root, own);
    for (String word : OPEN) {
      if (given.containsKey(word)) {
        throw new UnfitException(at, "has " + word);
      }
    }
    JsonObject out = new JsonObject();
    for (String word : given.fieldNames()) {
      Object one = given.getValue(word);
      switch (word) {
        case "properties", "required", "additionalProperties" -> {
          // with the object
        }
        case "$defs", "definitions" -> out.put(word, named(one, at + "/" + word, 0));
        case "items" -> out.put(word, schema(one, at + "/items", depth + 1));
        case "anyOf", "oneOf" -> out.put("anyOf", each(one, at, depth));
        case "enum" -> {
          values += one instanceof JsonArray all ? all.size() : 0;
          out.put(word, one);
        }
        case "format" -> {
          if (FORMATS.contains(one)) {
            out.put(word, one);
          } else {
            lose(at, word);
          }
        }
        default -> {
          if (FunctionSchemas.STRICT.contains(word)) {
            out.put(word, one);
          } else if (!word.equals("allOf")) {
            lose(at, word);
          }
        }
      }
    }
    if (out.containsKey("$ref") && out.size() > 1) { // which it takes alone
      JsonObject ref = new JsonObject().put("$ref", out.remove("$ref"));
      out.put("anyOf", new JsonArray().add(ref));
      out.fieldNames().retainAll(Set.of("anyOf", "description", "title", "$defs", "definitions"));
    }
    if (!out.containsKey("type") && (out.containsKey("enum") || out.containsKey("const"))) {
      String type = FunctionSchemas.type(given);
      if (type.isEmpty()) {
        throw new UnfitException(at, "has values of several types");
      }
      out.put("type", type);
      if (out.getValue("enum") instanceof JsonArray all && all.contains(null)) {
        nullable(out);
      }
    }
    if (isObject(given)) {
      close(given, out, at, depth);
    }
    boolean array = "array".equals(given.getValue("type"));
    if (array && !out.containsKey("items")) {
      throw new UnfitException(at, "has items of any kind");
    }
    if (List.of("type", "anyOf", "$ref").stream().noneMatch(out::containsKey)) {
      throw new UnfitException(at, "takes any value");
    }
    if (properties > MAX_PROPERTIES || values > MAX_VALUES) {
      throw new UnfitException(at, "is too large");
    }
    return out;
  }

  private void lose(String at, String word) {
    changes.accept((at.isEmpty() ? "the schema" : at) + " without " + word);
  }

  private static boolean isObject(JsonObject schema) {
    Object type = schema.getValue("type");
    return "object".equals(type)
        || schema.containsKey("properties")
        || (type instanceof JsonArray all && all.contains("object"));
  }

  private void close(JsonObject given, JsonObject out, String at, int depth) throws UnfitException {
    Object others = given.getValue("additionalProperties");
    boolean named = given.getValue("properties") instanceof JsonObject all && !all.isEmpty();
    if (others instanceof JsonObject || Boolean.TRUE.equals(others) || (!named && depth > 0)) {
      throw new UnfitException(at, "is an open object");
    }
    JsonObject members = named(given.getValue("properties"), at, depth);
    JsonArray required =
        given.getValue("required") instanceof JsonArray names ? names : new JsonArray();
    properties += members.size();
    members
        .fieldNames()
        .forEach(
            name -> {
              if (!required.contains(name)) {
                members.put(name, nullable(members.getJsonObject(name)));
              }
            });
    if (!out.containsKey("type")) {
      out.put("type", "object");
    }
    out.put("properties", members)
        .put("required", new JsonArray(List.copyOf(members.fieldNames())))
        .put("additionalProperties", false);
  }

  private JsonObject named(@Nullable Object schemas, String at, int depth) throws UnfitException {
    JsonObject out = new JsonObject();
    if (schemas instanceof JsonObject all) {
      for (String name : all.fieldNames()) {
        out.put(name, schema(all.getValue(name), at + "/" + name, depth + 1));
      }
    }
    return out;
  }

  private JsonArray each(@Nullable Object schemas, String at, int depth) throws UnfitException {
    JsonArray out = new JsonArray();
    if (schemas instanceof JsonArray all) {
      for (Object one : all) {
        out.add(schema(one, at, depth));
      }
    }
    return out;
  }

  /** The same schema, which takes null, too. */
  private static JsonObject nullable(JsonObject schema) {
    JsonObject none = new JsonObject().put("type", "null");
    if (schema.getValue("anyOf") instanceof JsonArray all) {
      return all.contains(none) ? schema : schema.put("anyOf", all.copy().add(none));
    }
    if (schema.containsKey("$ref") || schema.containsKey("const")) {
      return new JsonObject().put("anyOf", new JsonArray().add(schema).add(none));
    }
    Object type = schema.getValue("type");
    if (type instanceof String one && !one.equals("null")) {
      schema.put("type", new JsonArray().add(one).add("null"));
    } else if (type instanceof JsonArray all && !all.contains("null")) {
      schema.put("type", all.copy().add("null"));
    }
    if (schema.getValue("enum") instanceof JsonArray all && !all.contains(null)) {
      schema.put("enum", all.copy().addNull());
    }
    return schema;
  }
}
