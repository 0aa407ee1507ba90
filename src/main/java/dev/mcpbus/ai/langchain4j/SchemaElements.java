package dev.mcpbus.ai.langchain4j;

import dev.langchain4j.model.chat.request.json.JsonAnyOfSchema;
import dev.langchain4j.model.chat.request.json.JsonArraySchema;
import dev.langchain4j.model.chat.request.json.JsonBooleanSchema;
import dev.langchain4j.model.chat.request.json.JsonEnumSchema;
import dev.langchain4j.model.chat.request.json.JsonIntegerSchema;
import dev.langchain4j.model.chat.request.json.JsonNullSchema;
import dev.langchain4j.model.chat.request.json.JsonNumberSchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonReferenceSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import dev.langchain4j.model.chat.request.json.JsonStringSchema;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts a JSON schema to LangChain4j's elements. A schema that an element expresses completely
 * becomes that element; any other schema stays raw JSON, so that no keyword is lost. Stateless.
 */
final class SchemaElements {

  private static final String DEFS = "#/$defs/";
  private static final String OLD_DEFS = "#/definitions/";

  private static final Set<String> OBJECT =
      Set.of(
          "type",
          "description",
          "properties",
          "required",
          "additionalProperties",
          "$defs",
          "definitions");

  private SchemaElements() {}

  /**
   * The top of a tool's schema. The framework requires an object element there, so other keywords
   * are dropped.
   */
  static JsonObjectSchema object(JsonObject schema) {
    JsonObject known = new JsonObject();
    OBJECT.stream()
        .filter(schema::containsKey)
        .forEach(key -> known.put(key, schema.getValue(key)));
    if (!(known.getValue("additionalProperties") instanceof Boolean)) {
      known.remove("additionalProperties");
    }
    return build(known);
  }

  private static JsonSchemaElement element(JsonObject schema) {
    Object type = schema.getValue("type");
    if (schema.getValue("$ref") instanceof String ref && has(schema, Set.of("$ref"))) {
      String name = definition(ref);
      return name == null ? raw(schema) : JsonReferenceSchema.builder().reference(name).build();
    }
    if (schema.getValue("anyOf") instanceof JsonArray choices
        && has(schema, Set.of("anyOf", "description"))
        && choices.stream().allMatch(JsonObject.class::isInstance)) {
      return anyOf(schema, choices);
    }
    if (schema.getValue("enum") instanceof JsonArray values
        && "string".equals(type)
        && has(schema, Set.of("type", "description", "enum"))
        && texts(values) != null) {
      return JsonEnumSchema.builder()
          .description(description(schema))
          .enumValues(texts(values))
          .build();
    }
    return type instanceof String word ? typed(word, schema) : raw(schema);
  }

  private static JsonSchemaElement typed(String type, JsonObject schema) {
    String description = description(schema);
    JsonSchemaElement plain =
        !has(schema, Set.of("type", "description"))
            ? null
            : switch (type) {
              case "string" -> JsonStringSchema.builder().description(description).build();
              case "integer" -> JsonIntegerSchema.builder().description(description).build();
              case "number" -> JsonNumberSchema.builder().description(description).build();
              case "boolean" -> JsonBooleanSchema.builder().description(description).build();
              case "null" -> new JsonNullSchema();
              default -> null;
            };
    if (plain != null) {
      return plain;
    }
    if (type.equals("array") && has(schema, Set.of("type", "description", "items"))) {
      JsonArraySchema.Builder array = JsonArraySchema.builder().description(description);
      Object items = schema.getValue("items");
      if (items == null) {
        return array.build();
      }
      return items instanceof JsonObject known ? array.items(element(known)).build() : raw(schema);
    }
    boolean closed =
        !schema.containsKey("additionalProperties")
            || schema.getValue("additionalProperties") instanceof Boolean;
    return type.equals("object") && has(schema, OBJECT) && closed ? build(schema) : raw(schema);
  }

  private static JsonObjectSchema build(JsonObject schema) {
    JsonObjectSchema.Builder object = JsonObjectSchema.builder().description(description(schema));
    elements(schema.getValue("properties")).forEach(object::addProperty);
    if (schema.getValue("required") instanceof JsonArray required) {
      object.required(required.stream().map(String::valueOf).toList());
    }
    if (schema.getValue("additionalProperties") instanceof Boolean open) {
      object.additionalProperties(open);
    }
    Map<String, JsonSchemaElement> definitions = new LinkedHashMap<>();
    definitions.putAll(elements(schema.getValue("definitions")));
    definitions.putAll(elements(schema.getValue("$defs")));
    return definitions.isEmpty() ? object.build() : object.definitions(definitions).build();
  }

  private static Map<String, JsonSchemaElement> elements(@Nullable Object schemas) {
    Map<String, JsonSchemaElement> elements = new LinkedHashMap<>();
    if (schemas instanceof JsonObject known) {
      for (String name : known.fieldNames()) {
        Object one = known.getValue(name);
        elements.put(
            name, one instanceof JsonObject schema ? element(schema) : raw(new JsonObject()));
      }
    }
    return elements;
  }

  private static JsonSchemaElement anyOf(JsonObject schema, JsonArray choices) {
    List<JsonSchemaElement> elements =
        choices.stream().map(one -> element((JsonObject) one)).toList();
    return JsonAnyOfSchema.builder().description(description(schema)).anyOf(elements).build();
  }

  private static boolean has(JsonObject schema, Set<String> only) {
    return only.containsAll(schema.fieldNames());
  }

  private static @Nullable String description(JsonObject schema) {
    return schema.getValue("description") instanceof String text ? text : null;
  }

  private static @Nullable List<String> texts(JsonArray values) {
    return values.stream().allMatch(String.class::isInstance)
        ? values.stream().map(String.class::cast).toList()
        : null;
  }

  private static @Nullable String definition(String ref) {
    String name =
        ref.startsWith(DEFS)
            ? ref.substring(DEFS.length())
            : ref.startsWith(OLD_DEFS) ? ref.substring(OLD_DEFS.length()) : null;
    return name == null || name.indexOf('/') >= 0 ? null : name;
  }

  /** Raw references point to {@code $defs}, where the definitions are after the conversion. */
  private static JsonRawSchema raw(JsonObject schema) {
    return JsonRawSchema.from(
        schema.encode().replace("\"$ref\":\"" + OLD_DEFS, "\"$ref\":\"" + DEFS));
  }
}
