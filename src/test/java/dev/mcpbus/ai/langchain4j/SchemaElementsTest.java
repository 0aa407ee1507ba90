package dev.mcpbus.ai.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.model.chat.request.json.JsonAnyOfSchema;
import dev.langchain4j.model.chat.request.json.JsonArraySchema;
import dev.langchain4j.model.chat.request.json.JsonEnumSchema;
import dev.langchain4j.model.chat.request.json.JsonNullSchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonReferenceSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import dev.langchain4j.model.chat.request.json.JsonStringSchema;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SchemaElementsTest {

  private static JsonSchemaElement property(String schema) {
    JsonObject top =
        new JsonObject().put("properties", new JsonObject().put("p", new JsonObject(schema)));
    return Objects.requireNonNull(SchemaElements.object(top).properties().get("p"));
  }

  @Test
  void a_schema_that_an_element_expresses_becomes_that_element() {
    assertThat(property("{\"type\": \"string\", \"description\": \"d\"}"))
        .isEqualTo(JsonStringSchema.builder().description("d").build());
    assertThat(property("{\"type\": \"string\", \"enum\": [\"a\", \"b\"]}"))
        .isEqualTo(JsonEnumSchema.builder().enumValues("a", "b").build());
    assertThat(property("{\"type\": \"null\"}")).isInstanceOf(JsonNullSchema.class);
    JsonArraySchema array =
        (JsonArraySchema) property("{\"type\": \"array\", \"items\": {\"type\": \"string\"}}");
    assertThat(array.items()).isInstanceOf(JsonStringSchema.class);
    JsonAnyOfSchema anyOf =
        (JsonAnyOfSchema) property("{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"null\"}]}");
    assertThat(anyOf.anyOf()).hasSize(2);
    JsonObjectSchema object =
        (JsonObjectSchema)
            property(
                """
                {"type": "object", "properties": {"x": {"type": "string"}},
                 "required": ["x"], "additionalProperties": false}
                """);
    assertThat(object.required()).containsExactly("x");
    assertThat(object.additionalProperties()).isFalse();
  }

  @Test
  void a_schema_that_no_element_expresses_stays_raw() {
    for (String schema :
        List.of(
            "{\"type\":\"string\",\"format\":\"date\"}",
            "{\"type\":\"integer\",\"minimum\":1,\"default\":5}",
            "{\"enum\":[1,2]}",
            "{\"type\":[\"string\",\"null\"]}",
            "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}",
            "{\"oneOf\":[{\"type\":\"string\"}]}",
            "{\"type\":\"array\",\"items\":true}",
            "{}")) {
      assertThat(property(schema))
          .as(schema)
          .isInstanceOfSatisfying(
              JsonRawSchema.class, raw -> assertThat(raw.schema()).isEqualTo(schema));
    }
  }

  @Test
  void references_lead_to_the_definitions_whatever_these_are_called() {
    JsonObjectSchema schema =
        SchemaElements.object(
            new JsonObject(
                """
                {"type": "object",
                 "definitions": {"node": {"type": "object", "properties": {
                    "next": {"$ref": "#/definitions/node"}}}},
                 "properties": {"root": {"$ref": "#/definitions/node"},
                    "all": {"type": "array", "minItems": 1,
                            "items": {"$ref": "#/definitions/node"}}}}
                """));
    assertThat(schema.definitions()).containsOnlyKeys("node");
    assertThat(schema.properties().get("root"))
        .isEqualTo(JsonReferenceSchema.builder().reference("node").build());
    assertThat(schema.properties().get("all"))
        .isInstanceOfSatisfying(
            JsonRawSchema.class,
            raw -> assertThat(raw.schema()).contains("\"$ref\":\"#/$defs/node\""));
  }

  @Test
  void a_schema_without_anything_is_an_object() {
    assertThat(SchemaElements.object(new JsonObject()).properties()).isEmpty();
  }
}
