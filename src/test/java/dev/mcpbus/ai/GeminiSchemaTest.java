package dev.mcpbus.ai;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Schemas in the subset of Gemini. */
class GeminiSchemaTest {

  private static final Set<String> WORDS =
      Set.of(
          "type",
          "format",
          "title",
          "description",
          "nullable",
          "enum",
          "maxItems",
          "minItems",
          "properties",
          "required",
          "minProperties",
          "maxProperties",
          "minLength",
          "maxLength",
          "pattern",
          "anyOf",
          "items",
          "minimum",
          "maximum");

  private final List<String> changes = new ArrayList<>();

  private JsonObject shaped(JsonObject schema) {
    JsonObject before = schema.copy();
    JsonObject shaped = GeminiSchema.of(schema, changes::add);
    assertThat(schema).as("the tool's own schema").isEqualTo(before);
    check(shaped, "");
    return shaped;
  }

  private JsonObject property(String schema) {
    return shaped(
            new JsonObject(
                "{\"type\":\"object\",\"properties\":{\"p\":"
                    + schema
                    + "},\"$defs\":{\"P\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"}}},"
                    + "\"Tree\":{\"type\":\"object\",\"properties\":{\"kids\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/Tree\"}}}}}}"))
        .getJsonObject("properties")
        .getJsonObject("p");
  }

  /** What Gemini's reference of its Schema says. */
  private static void check(JsonObject schema, String at) {
    assertThat(WORDS).as(at).containsAll(schema.fieldNames());
    if (schema.getValue("anyOf") instanceof JsonArray all) {
      assertThat(schema.fieldNames()).as(at).containsExactly("anyOf");
      all.forEach(one -> check((JsonObject) one, at + "|"));
      return;
    }
    assertThat(schema.getValue("type")).as(at).isInstanceOf(String.class);
    if (schema.getValue("enum") instanceof JsonArray all) {
      assertThat(all).as(at).isNotEmpty().allMatch(one -> one instanceof String s && !s.isEmpty());
      assertThat(schema.getString("type")).isEqualTo("string");
    }
    if (schema.getString("type").equals("array")) {
      check(schema.getJsonObject("items"), at + "[]");
    }
    JsonObject properties = schema.getJsonObject("properties", new JsonObject());
    properties.forEach(one -> check((JsonObject) one.getValue(), at + "/" + one.getKey()));
    assertThat(properties.fieldNames())
        .as(at)
        .containsAll(
            schema.getJsonArray("required", new JsonArray()).stream()
                .map(String::valueOf)
                .toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '\0',
      value = {
        "{\"type\":\"string\",\"format\":\"date-time\",\"default\":\"x\"}~{\"type\":\"string\",\"format\":\"date-time\"}",
        "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}],\"default\":null,\"title\":\"L\"}~{\"type\":\"integer\",\"title\":\"L\",\"nullable\":true}",
        "{\"type\":[\"string\",\"null\"]}~{\"type\":\"string\",\"nullable\":true}",
        "{\"type\":[\"string\",\"integer\"]}~{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}",
        "{\"const\":\"a\"}~{\"type\":\"string\",\"enum\":[\"a\"]}",
        "{\"const\":5}~{\"type\":\"integer\",\"description\":\"(one of: [5])\"}",
        "{\"enum\":[1,2]}~{\"type\":\"integer\",\"description\":\"(one of: [1,2])\"}",
        "{\"enum\":[\"a\",null,\"\"]}~{\"type\":\"string\",\"nullable\":true,\"description\":\"(one of: [\\\"a\\\",null,\\\"\\\"])\"}",
        "{\"enum\":[\"a\",null]}~{\"type\":\"string\",\"enum\":[\"a\"],\"nullable\":true}",
        "{\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"},{\"const\":\"b\"}]}~{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}",
        "{\"$ref\":\"#/$defs/P\",\"description\":\"d\"}~{\"type\":\"object\",\"description\":\"d\",\"properties\":{\"n\":{\"type\":\"string\"}}}",
        "{\"allOf\":[{\"$ref\":\"#/$defs/P\"}],\"default\":{}}~{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"}}}",
        "{\"anyOf\":[{\"$ref\":\"#/$defs/P\"},{\"type\":\"string\"},{\"type\":\"null\"}]}~{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"}},\"nullable\":true},{\"type\":\"string\",\"nullable\":true}]}",
        "{\"type\":\"number\",\"exclusiveMinimum\":0,\"multipleOf\":2}~{\"type\":\"number\",\"description\":\"(exclusiveMinimum: 0; multipleOf: 2)\"}",
        "{\"type\":\"string\",\"format\":\"email\",\"description\":\"d\"}~{\"type\":\"string\",\"description\":\"d (format: email)\"}",
        "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"gone\"]}~{\"type\":\"object\"}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"boolean\"}},\"anyOf\":[{\"required\":[\"a\"]}]}~{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"boolean\"}}}",
        "{\"type\":\"array\",\"items\":[{\"type\":\"string\"}]}~{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"(the items in this order: [{\\\"type\\\":\\\"string\\\"}])\"}",
        "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":[\"object\",\"null\"],\"properties\":{\"v\":{\"type\":\"string\"}}}}~{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"string\"}},\"nullable\":true},\"nullable\":true}",
      })
  void a_schema_says_the_same_in_the_subset(String given, String expected) {
    assertThat(property(given)).isEqualTo(new JsonObject(expected));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '\0',
      value = {
        "{}",
        "true",
        "{\"description\":\"anything\"}",
        "{\"type\":\"array\"}",
        "{\"type\":\"array\",\"items\":true,\"prefixItems\":[]}",
        "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"},{\"type\":\"null\"}]}}}",
        "{\"$ref\":\"#/$defs/Tree\"}",
        "{\"$ref\":\"#/$defs/None\"}",
        "{\"$ref\":\"https://example.com/x\"}",
        "{\"not\":{\"type\":\"string\"},\"if\":{},\"then\":{}}",
        "{\"type\":\"null\"}",
        "{\"anyOf\":[{\"type\":\"null\"}]}",
        "{\"enum\":[1,\"a\",true]}",
        "{\"patternProperties\":{\"^x\":{}},\"propertyNames\":{\"pattern\":\"x\"}}",
        "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}",
        "{\"anyOf\":[{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]},{\"type\":\"boolean\"}]}",
        "{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"}},\"required\":[\"id\"]},{\"type\":\"string\"}]}",
      })
  void whatever_a_schema_has_gemini_takes_it(String given) {
    property(given); // checks it
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '\0',
      value = {
        "{\"type\":\"string\",\"properties\":{},\"required\":[],\"items\":{},\"minimum\":1}~{\"type\":\"string\"}",
        "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"pattern\":\"a\",\"minItems\":\"1\"}~{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1}",
        "{\"type\":\"unknown\",\"title\":5,\"enum\":[\"a\"],\"description\":[\"d\"]}~{\"type\":\"string\",\"enum\":[\"a\"]}",
        "{\"type\":\"string\",\"pattern\":\"^(?!x)\"}~{\"type\":\"string\",\"description\":\"(pattern: ^(?!x))\"}",
      })
  void a_keyword_stands_where_its_type_has_it(String given, String expected) {
    assertThat(property(given)).isEqualTo(new JsonObject(expected));
  }

  @Test
  void what_is_cut_or_left_out_is_reported() {
    property("{\"$ref\":\"#/$defs/Tree\"}");
    assertThat(changes).anyMatch(one -> one.contains("recursive"));
    property("{\"type\":\"number\",\"multipleOf\":2}");
    assertThat(changes).contains("/p without multipleOf");
  }

  @Test
  void a_schema_that_grows_by_its_references_has_an_end() {
    JsonObject defs = new JsonObject();
    for (int i = 0; i < 30; i++) {
      JsonObject both = new JsonObject();
      for (String name : List.of("a", "b", "c")) {
        both.put(name, new JsonObject().put("$ref", "#/$defs/d" + (i + 1)));
      }
      defs.put("d" + i, new JsonObject().put("type", "object").put("properties", both));
    }
    defs.put("d30", new JsonObject().put("type", "string"));
    JsonObject root =
        new JsonObject()
            .put("type", "object")
            .put("$defs", defs)
            .put(
                "properties",
                new JsonObject().put("p", new JsonObject().put("$ref", "#/$defs/d0")));
    assertThat(shaped(root).encode().length()).isLessThan(1_000_000);
    assertThat(changes).anyMatch(one -> one.contains("is cut"));
  }

  // ---- nulls of a call

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '\0',
      value = {
        "{\"o\":null,\"r\":null,\"n\":null,\"x\":null}~{\"r\":null,\"n\":null,\"x\":null}",
        "{\"deep\":{\"o\":null,\"k\":1}}~{\"deep\":{\"k\":1}}",
        "{\"list\":[{\"o\":null},null]}~{\"list\":[{},null]}",
        "{\"ref\":{\"o\":null,\"any\":null}}~{\"ref\":{\"any\":null}}",
        "{\"maybe\":{\"o\":null}}~{\"maybe\":{}}",
        "{\"words\":null,\"both\":null}~{\"both\":null}",
      })
  void a_null_that_the_tool_does_not_take_is_left_out_where_the_member_is_optional(
      String given, String expected) {
    JsonObject schema =
        new JsonObject(
            """
            {"type": "object", "required": ["r"], "$defs": {"R": {"type": "object",
               "properties": {"o": {"type": "string"}, "any": {}}}},
             "properties": {"o": {"type": "string"}, "r": {"type": "string"},
               "n": {"type": ["string", "null"]},
               "deep": {"type": "object", "properties": {"o": {"type": "integer"}}},
               "list": {"type": "array", "items": {"properties": {"o": {"type": "integer"}}}},
               "ref": {"$ref": "#/$defs/R"},
               "maybe": {"anyOf": [{"$ref": "#/$defs/R"}, {"type": "null"}]},
               "words": {"enum": ["a"]}, "both": {"enum": ["a", null]}}}
            """);
    assertThat(ModelArguments.forServer(new JsonObject(given), schema))
        .isEqualTo(new JsonObject(expected));
  }
}
