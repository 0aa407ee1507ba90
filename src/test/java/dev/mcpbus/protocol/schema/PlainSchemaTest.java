package dev.mcpbus.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainSchemaTest {

  private static final String SCHEMA =
      """
      {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
       "properties": {
         "text": {"type": "string", "description": "what to say"},
         "times": {"type": "integer", "default": 1},
         "ratio": {"type": "number"},
         "loud": {"type": "boolean"},
         "mode": {"enum": ["a", "b"]},
         "tags": {"type": "array", "items": {"type": "string"}},
         "point": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
         "nothing": {"type": "null"}},
       "required": ["text"], "additionalProperties": false}
      """;

  private static PlainSchema schema() {
    return Objects.requireNonNull(PlainSchema.of(new JsonObject(SCHEMA)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'text': 'hi'}",
        "{'text': '', 'times': 3, 'ratio': 1.5, 'loud': true, 'mode': 'b'}",
        "{'text': 'hi', 'ratio': 2, 'times': 99999999999999999999}",
        "{'text': 'hi', 'tags': [], 'point': {'x': 1, 'y': [1, {}]}}",
        "{'text': 'hi', 'tags': ['a', 'b'], 'nothing': null}"
      })
  void accepts_what_the_general_validator_accepts(String arguments) {
    JsonObject json = new JsonObject(arguments.replace('\'', '"'));
    assertThat(schema().accepts(json)).isTrue();
    assertThat(ArgumentValidator.of(RawJson.of(SCHEMA)).check(json)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'text': 1}",
        "{'text': null}",
        "{'text': 'hi', 'times': 1.5}",
        "{'text': 'hi', 'times': '1'}",
        "{'text': 'hi', 'ratio': true}",
        "{'text': 'hi', 'loud': 'true'}",
        "{'text': 'hi', 'mode': 'c'}",
        "{'text': 'hi', 'tags': 'a'}",
        "{'text': 'hi', 'tags': ['a', 1]}",
        "{'text': 'hi', 'point': {}}",
        "{'text': 'hi', 'point': {'x': '1'}}",
        "{'text': 'hi', 'nothing': 0}",
        "{'text': 'hi', 'other': 1}"
      })
  void never_accepts_what_the_general_validator_refuses(String arguments) {
    JsonObject json = new JsonObject(arguments.replace('\'', '"'));
    assertThat(schema().accepts(json)).isFalse();
    assertThat(ArgumentValidator.of(RawJson.of(SCHEMA)).check(json)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type': ['string', 'null']}",
        "{'type': 'text'}",
        "{'type': 'string', 'minLength': 1}",
        "{'$ref': '#/x'}",
        "{'anyOf': [{'type': 'string'}]}",
        "{'enum': ['a', 1]}",
        "{'required': ['a', 'a']}",
        "{'properties': {'a': true}}",
        "{'items': {'pattern': 'x'}}",
        "{'additionalProperties': {'type': 'string'}}"
      })
  void leaves_every_other_schema_to_the_general_validator(String schema) {
    assertThat(PlainSchema.of(new JsonObject(schema.replace('\'', '"')))).isNull();
  }

  @Test
  void an_empty_schema_accepts_everything() {
    PlainSchema any = Objects.requireNonNull(PlainSchema.of(new JsonObject()));
    assertThat(any.accepts(new JsonObject().put("a", 1))).isTrue();
  }
}
