package dev.mcpbus.ai;

import dev.mcpbus.protocol.schema.MendedSchema;
import dev.mcpbus.protocol.schema.SchemaReferences;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A schema in the subset that Gemini's {@code Schema} has, which is also JSON Schema, and which the
 * models of Bedrock take: without references, with one type a schema, {@code anyOf} alone in its
 * schema, {@code enum} of strings, and {@code items} for each array. What it cannot express is
 * written into the description. A recursive schema is cut, so every value that fits may be written
 * but not every one is described. One instance for a schema.
 */
final class GeminiSchema {

  /** Of each type; Gemini refuses some of them at another one. */
  private static final Map<String, Set<String>> KEPT =
      Map.of(
          "array", Set.of("minItems", "maxItems"),
          "object", Set.of("minProperties", "maxProperties"),
          "string", Set.of("minLength", "maxLength", "pattern"),
          "number", Set.of("minimum", "maximum"),
          "integer", Set.of("minimum", "maximum"));

  /** Of each type; Gemini refuses others. */
  private static final Map<String, Set<String>> FORMATS =
      Map.of(
          "string", Set.of("date-time", "enum"),
          "number", Set.of("float", "double"),
          "integer", Set.of("int32", "int64"));

  /** Keywords that say something to a model and have no place but the description. */
  private static final List<String> TOLD =
      List.of(
          ("format exclusiveMinimum exclusiveMaximum multipleOf uniqueItems propertyNames"
                  + " patternProperties not contains contentEncoding contentMediaType")
              .split(" "));

  /** Keywords that go without a word: they restrict nothing that a model must know. */
  private static final Set<String> SILENT =
      Set.of("$schema", "$id", "$comment", "$defs", "definitions", "default", "examples");

  private static final int MAX_DEPTH = 16;
  private static final int MAX_NODES = 5_000;
  private static final int MAX_TOLD = 200;

  private final JsonObject root;
  private final Consumer<String> changes;
  private final Set<String> open = new LinkedHashSet<>();
  private int nodes;

  private GeminiSchema(JsonObject root, Consumer<String> changes) {
    this.root = root;
    this.changes = changes;
  }

  /**
   * The schema of the arguments: one of an object.
   *
   * @param changes gets each change, with the place in the schema
   */
  static JsonObject of(JsonObject schema, Consumer<String> changes) {
    JsonObject root = MendedSchema.forModels(schema, changes);
    JsonObject shaped = new GeminiSchema(root, changes).schema(FunctionSchemas.flat(root), "", 0);
    shaped.remove("anyOf");
    shaped.remove("nullable");
    return FunctionSchemas.object(shaped);
  }

  private JsonObject schema(@Nullable Object value, String at, int depth) {
    if (!(value instanceof JsonObject schema) || schema.isEmpty()) {
      return any();
    }
    if (depth > MAX_DEPTH || ++nodes > MAX_NODES) {
      changes.accept(place(at) + " is cut: it nests too deep or is too large");
      return new JsonObject().put("type", "object");
    }
    if (!(schema.getValue("$ref") instanceof String ref)) {
      return plain(FunctionSchemas.withoutAllOf(root, schema), at, depth);
    }
    if (open.contains(ref)) {
      changes.accept(place(at) + " is cut: it is recursive");
      return described(new JsonObject().put("type", "object"), schema);
    }
    JsonObject target = SchemaReferences.target(root, ref);
    if (target == null) {
      changes.accept(place(at) + ": " + ref + " leads nowhere");
      return described(any(), schema);
    }
    JsonObject beside = schema.copy();
    beside.remove("$ref");
    JsonObject merged = target.copy().mergeIn(beside);
    open.add(ref);
    JsonObject shaped = schema(merged, at, depth + 1);
    open.remove(ref);
    return shaped;
  }

  private JsonObject plain(JsonObject schema, String at, int depth) {
    List<JsonObject> forms = new ArrayList<>();
    boolean nullable = Boolean.TRUE.equals(schema.getValue("nullable"));
    String several = schema.containsKey("anyOf") ? "anyOf" : "oneOf";
    boolean isObject = schema.getValue("properties") instanceof JsonObject;
    if (schema.getValue(several) instanceof JsonArray all && !isObject) {
      for (Object one : all) {
        JsonObject form = schema(one, at + "/" + several, depth + 1);
        if ("null".equals(form.getValue("type"))) {
          nullable = true;
        } else if (!forms.contains(form)) {
          nullable |= Boolean.TRUE.equals(form.remove("nullable"));
          forms.add(form);
        }
      }
    } else if (schema.getValue("type") instanceof JsonArray types) {
      for (Object type : types) {
        if ("null".equals(type)) {
          nullable = true;
        } else {
          forms.add(typed(schema, String.valueOf(type), at, depth));
        }
      }
    } else {
      forms.add(typed(schema, FunctionSchemas.type(schema), at, depth));
    }
    if (several.equals("oneOf") && forms.size() > 1) {
      changes.accept(place(at) + ": oneOf is anyOf");
    }
    JsonObject shaped = united(schema, forms);
    if (nullable) {
      (shaped.getValue("anyOf") instanceof JsonArray all ? all : new JsonArray().add(shaped))
          .forEach(one -> ((JsonObject) one).put("nullable", true));
    }
    return shaped;
  }

  /** Gemini takes {@code anyOf} with no other keyword beside it. */
  private static JsonObject united(JsonObject schema, List<JsonObject> forms) {
    if (forms.isEmpty()) {
      return described(new JsonObject().put("type", "null"), schema);
    }
    if (forms.size() == 1) {
      return described(forms.get(0), schema);
    }
    JsonArray choice = new JsonArray();
    JsonArray words = new JsonArray();
    for (JsonObject form : forms) {
      choice.add(described(form, schema));
      if (form.getValue("enum") instanceof JsonArray values) {
        values.forEach(words::add);
      }
    }
    boolean constants = forms.stream().allMatch(form -> form.containsKey("enum") && isBare(form));
    return constants
        ? described(new JsonObject().put("type", "string").put("enum", words), schema)
        : new JsonObject().put("anyOf", choice);
  }

  private static boolean isBare(JsonObject form) {
    return form.fieldNames().stream()
        .allMatch(word -> Set.of("type", "enum", "title", "description").contains(word));
  }

  private JsonObject typed(JsonObject schema, String type, String at, int depth) {
    JsonObject out = new JsonObject();
    List<String> told = new ArrayList<>();
    if (!type.isEmpty()) {
      out.put("type", type);
    }
    Stream.concat(Stream.of("title", "description"), KEPT.getOrDefault(type, Set.of()).stream())
        .filter(word -> schema.getValue(word) != null)
        .forEach(word -> out.put(word, schema.getValue(word)));
    values(schema, type, out, told);
    if (type.equals("object")) {
      members(schema, at, depth, out);
      if (schema.getValue("additionalProperties") instanceof JsonObject others) {
        told.add("other members: " + cut(others.encode()));
      }
    }
    if (type.equals("array")) {
      items(schema, at, depth, out, told);
    }
    for (String word : TOLD) {
      Object value = schema.getValue(word);
      if (value == null) {
        continue;
      }
      if (word.equals("format") && FORMATS.getOrDefault(type, Set.of()).contains(value)) {
        out.put("format", value);
      } else {
        told.add(word + ": " + cut(String.valueOf(value)));
      }
    }
    report(schema, out, at);
    if (!told.isEmpty()) {
      String before = out.getValue("description") instanceof String text ? text + " " : "";
      out.put("description", before + "(" + String.join("; ", told) + ")");
    }
    if (out.fieldNames().stream().allMatch(Set.of("title", "description")::contains)) {
      return described(any(), out);
    }
    return out;
  }

  private void report(JsonObject schema, JsonObject out, String at) {
    List<String> gone = new ArrayList<>();
    for (String word : schema.fieldNames()) {
      boolean union = word.equals("type") || word.equals("anyOf") || word.equals("oneOf");
      if (!out.containsKey(word) && !union && !SILENT.contains(word)) {
        gone.add(word);
      }
    }
    if (!gone.isEmpty()) {
      changes.accept(place(at) + " without " + String.join(", ", gone));
    }
  }

  /** Gemini takes an enumeration of strings that are not empty. */
  private static void values(JsonObject schema, String type, JsonObject out, List<String> told) {
    JsonArray all =
        schema.containsKey("const")
            ? new JsonArray().add(schema.getValue("const"))
            : schema.getValue("enum") instanceof JsonArray values ? values : new JsonArray();
    JsonArray words = new JsonArray();
    boolean strings = type.isEmpty() || type.equals("string");
    for (Object one : all) {
      if (strings && one instanceof String text && !text.isEmpty()) {
        words.add(text);
      } else if (one != null) {
        strings = false;
      } else {
        out.put("nullable", true);
      }
    }
    if (strings && !words.isEmpty()) {
      out.put("type", "string").put("enum", words);
    } else if (!all.isEmpty()) {
      told.add("one of: " + cut(all.encode()));
    }
  }

  private void members(JsonObject schema, String at, int depth, JsonObject out) {
    if (!(schema.getValue("properties") instanceof JsonObject properties)) {
      return;
    }
    JsonObject shaped = new JsonObject();
    properties.forEach(
        property ->
            shaped.put(
                property.getKey(),
                schema(property.getValue(), at + "/" + property.getKey(), depth + 1)));
    out.put("properties", shaped);
    JsonArray required = new JsonArray();
    if (schema.getValue("required") instanceof JsonArray names) {
      names.stream()
          .filter(name -> name instanceof String text && shaped.containsKey(text))
          .forEach(required::add);
    }
    if (!required.isEmpty()) {
      out.put("required", required);
    }
  }

  private void items(JsonObject schema, String at, int depth, JsonObject out, List<String> told) {
    Object items =
        schema.getValue("prefixItems") instanceof JsonArray first
            ? first
            : schema.getValue("items");
    if (!(items instanceof JsonArray places)) {
      out.put("items", schema(items, at + "/items", depth + 1));
      return;
    }
    JsonObject union = new JsonObject().put("anyOf", places);
    out.put("items", places.isEmpty() ? any() : schema(union, at + "/items", depth + 1));
    told.add("the items in this order: " + cut(places.encode()));
  }

  /** Any value; Gemini wants a type. */
  private static JsonObject any() {
    JsonArray all = new JsonArray();
    for (String type : List.of("string", "number", "boolean", "object")) {
      all.add(new JsonObject().put("type", type));
    }
    JsonObject text = new JsonObject().put("type", "string");
    return new JsonObject()
        .put("anyOf", all.add(new JsonObject().put("type", "array").put("items", text)));
  }

  /** The schema with the title and the description of where it stands. */
  private static JsonObject described(JsonObject schema, JsonObject by) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (String word : List.of("title", "description")) {
      if (by.getValue(word) instanceof String text && !text.isBlank()) {
        texts.put(word, text);
      }
    }
    JsonArray forms =
        schema.getValue("anyOf") instanceof JsonArray all ? all : new JsonArray().add(schema);
    for (Object one : forms) {
      JsonObject target = (JsonObject) one;
      texts.forEach(
          (word, text) -> {
            if (!target.containsKey(word)) {
              target.put(word, text);
            }
          });
    }
    return schema;
  }

  private static String place(String at) {
    return at.isEmpty() ? "the schema" : at;
  }

  private static String cut(String text) {
    return text.length() > MAX_TOLD ? text.substring(0, MAX_TOLD) + "..." : text;
  }
}
