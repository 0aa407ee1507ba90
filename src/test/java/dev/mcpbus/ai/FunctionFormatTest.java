package dev.mcpbus.ai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ToolName;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FunctionFormatTest {

  private static final JsonObject SCHEMA =
      new JsonObject(
          """
          {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
           "properties": {"city": {"type": "string", "minLength": 1}}, "required": ["city"],
           "anyOf": [{"required": ["city"]}]}
          """);

  private static final ModelTool WEATHER = tool("get", SCHEMA);

  private static final ToolOutput IMAGE =
      ToolOutput.of(
          new JsonObject(
              """
              {"content": [{"type": "text", "text": "Look:"},
                           {"type": "image", "mimeType": "image/png", "data": "AAAA"}]}
              """));

  private static final ToolOutput FAILED =
      ToolOutput.of(
          new JsonObject(
              """
              {"isError": true, "content": [{"type": "text", "text": "no such city"},
                           {"type": "image", "mimeType": "image/png", "data": "AAAA"}]}
              """));

  private static ModelTool tool(String name, JsonObject schema) {
    return new ModelTool(
        "weather__" + name,
        new ToolName("weather", name),
        new JsonObject().put("name", name).put("description", "The weather."),
        schema);
  }

  private static JsonObject json(String text) {
    return new JsonObject(text);
  }

  private static JsonObject first(FunctionFormat form, ModelTool tool, boolean strict) {
    return ((JsonArray) form.tools(List.of(tool), new FunctionOptions(strict, false)))
        .getJsonObject(0);
  }

  private static final String FLAT =
      """
      {"type": "object", "properties": {"city": {"type": "string", "minLength": 1}},
       "required": ["city"]}
      """;

  @Test
  void openai_takes_nested_functions_without_combinations_at_the_top() {
    assertThat(first(FunctionFormat.OPENAI, WEATHER, false))
        .isEqualTo(
            json(
                """
                {"type": "function", "function": {"name": "weather__get",
                 "description": "The weather.", "parameters": %s}}
                """
                    .formatted(FLAT)));
    assertThat(SCHEMA.containsKey("anyOf")).as("the definition itself is untouched").isTrue();
  }

  @Test
  void openai_responses_takes_flat_functions_that_say_whether_they_are_strict() {
    assertThat(first(FunctionFormat.OPENAI_RESPONSES, WEATHER, false))
        .isEqualTo(
            json(
                """
                {"type": "function", "name": "weather__get", "description": "The weather.",
                 "parameters": %s, "strict": false}
                """
                    .formatted(FLAT)));
  }

  @Test
  void a_schema_that_is_strict_already_is_sent_as_it_is() {
    JsonObject closed =
        json(
            """
            {"type": "object", "properties": {"at": {"type": "object",
               "properties": {"x": {"type": "number"}}, "required": ["x"],
               "additionalProperties": false}},
             "required": ["at"], "additionalProperties": false}
            """);
    JsonObject function =
        first(FunctionFormat.OPENAI, tool("a", closed), true).getJsonObject("function");
    assertThat(function.getBoolean("strict")).isTrue();
    assertThat(function.getJsonObject("parameters")).isEqualTo(closed);
    assertThat(
            first(FunctionFormat.OPENAI_RESPONSES, tool("a", closed), false).getBoolean("strict"))
        .isFalse();
  }

  @Test
  void for_strict_every_object_is_closed_and_what_is_optional_may_be_null() {
    JsonObject open =
        json(
            """
            {"type": "object", "required": ["a"], "$defs": {"P": {"properties": {"x": {"const": 1}}}},
             "properties": {"a": {"type": "string", "minLength": 1, "default": "x"},
               "b": {"type": "integer"}, "c": {"enum": ["x", "y"]}, "d": {"$ref": "#/$defs/P"},
               "e": {"oneOf": [{"type": "string"}, {"type": "boolean"}]},
               "f": {"allOf": [{"type": "array", "items": {"type": ["string", "null"]}}]},
               "g": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": null}}}
            """);
    FunctionOptions options = new FunctionOptions(true, false);
    JsonObject function =
        ((JsonArray) FunctionFormat.OPENAI.tools(List.of(tool("a", open)), options))
            .getJsonObject(0)
            .getJsonObject("function");
    assertThat(function.getBoolean("strict")).isTrue();
    assertThat(function.getJsonObject("parameters"))
        .isEqualTo(
            json(
                """
                {"type": "object", "additionalProperties": false,
                 "required": ["a", "b", "c", "d", "e", "f", "g"],
                 "$defs": {"P": {"type": "object", "additionalProperties": false, "required": ["x"],
                   "properties": {"x": {"anyOf": [{"type": "integer", "const": 1}, {"type": "null"}]}}}},
                 "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]},
                   "c": {"type": ["string", "null"], "enum": ["x", "y", null]},
                   "d": {"anyOf": [{"$ref": "#/$defs/P"}, {"type": "null"}]},
                   "e": {"anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "null"}]},
                   "f": {"type": ["array", "null"], "items": {"type": ["string", "null"]}},
                   "g": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}
                """));
    assertThat(options.shaped().getJsonArray("weather__a").stream().map(String::valueOf))
        .contains("/a without minLength", "/a without default");
  }

  private static JsonObject property(FunctionFormat form, boolean strict, String schema) {
    JsonObject tool =
        first(
            form,
            tool(
                "a",
                json(
                    "{\"type\": \"object\", \"required\": [\"p\"], \"properties\": {\"p\": "
                        + schema
                        + "}, \"$defs\": {\"E\": {\"type\": \"string\"}}}")),
            strict);
    return (form == FunctionFormat.OPENAI
            ? tool.getJsonObject("function").getJsonObject("parameters")
            : form == FunctionFormat.BEDROCK
                ? tool.getJsonObject("toolSpec").getJsonObject("inputSchema").getJsonObject("json")
                : tool.getJsonObject("input_schema"))
        .getJsonObject("properties")
        .getJsonObject("p");
  }

  @Test
  void a_reference_stands_alone_for_strict() {
    assertThat(
            property(
                FunctionFormat.OPENAI,
                true,
                "{\"$ref\": \"#/$defs/E\", \"description\": \"d\", \"default\": \"x\"}"))
        .isEqualTo(json("{\"anyOf\": [{\"$ref\": \"#/$defs/E\"}], \"description\": \"d\"}"));
    assertThat(property(FunctionFormat.OPENAI, true, "{\"enum\": [1, 2]}"))
        .isEqualTo(json("{\"type\": \"integer\", \"enum\": [1, 2]}"));
  }

  /** One keyword of another draft, or of none, and the vendors refuse the whole request. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '\0',
      value = {
        "{\"type\":\"array\",\"items\":[{\"type\":\"str\"}],\"additionalItems\":false}~{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}",
        "{\"type\":\"array\",\"items\":[]}~{\"type\":\"array\",\"items\":{}}",
        "{\"type\":\"number\",\"minimum\":1,\"exclusiveMinimum\":true,\"maximum\":2,\"exclusiveMaximum\":false}~{\"type\":\"number\",\"exclusiveMinimum\":1,\"maximum\":2}",
        "{\"type\":\"string\",\"examples\":\"x\",\"title\":null,\"description\":5,\"format\":[],\"readOnly\":\"no\",\"$schema\":\"x\",\"enum\":[]}~{\"type\":\"string\"}",
        "{\"type\":\"any\",\"required\":true,\"additionalProperties\":\"no\"}~{}",
        "{\"type\":\"object\",\"properties\":{\"a\":{},\"type\":\"object\"},\"required\":[\"a\",\"a\"]}~{\"type\":\"object\",\"properties\":{\"a\":{},\"type\":{\"type\":\"object\"}},\"required\":[\"a\"]}",
        "{\"type\":\"string\",\"description\":\"d\",\"pattern\":\"^[a[]{}]+$\"}~{\"type\":\"string\",\"description\":\"d (pattern: ^[a[]{}]+$)\"}",
        "{\"$ref\":\"#/components/schemas/X\",\"title\":\"X\"}~{\"title\":\"X\"}",
        "{\"$ref\":\"https://example.com/x\"}~{}",
      })
  void vendors_get_json_schema_as_they_read_it(String given, String expected) {
    for (FunctionFormat form : List.of(FunctionFormat.OPENAI, FunctionFormat.ANTHROPIC)) {
      assertThat(property(form, false, given)).isEqualTo(json(expected));
    }
  }

  @Test
  void bedrock_gets_no_definitions_and_no_reference() {
    assertThat(property(FunctionFormat.BEDROCK, false, "{\"$ref\": \"#/$defs/E\"}"))
        .isEqualTo(json("{\"type\": \"string\"}"));
    JsonObject closed =
        first(
                FunctionFormat.BEDROCK,
                tool("a", json("{\"type\": \"object\", \"additionalProperties\": false}")),
                false)
            .getJsonObject("toolSpec")
            .getJsonObject("inputSchema")
            .getJsonObject("json");
    assertThat(closed).isEqualTo(json("{\"type\": \"object\", \"properties\": {}}"));
  }

  @Test
  void an_argument_has_a_name_that_the_vendor_takes_and_its_own_at_the_server() {
    JsonObject odd =
        json(
            """
            {"type": "object", "required": ["StartTime<"], "properties": {
              "StartTime<": {"type": "string"}, "StartTime>": {"description": "to"}, "plain": {}}}
            """);
    JsonObject shown =
        first(FunctionFormat.ANTHROPIC, tool("a", odd), false).getJsonObject("input_schema");
    List<String> names = List.copyOf(shown.getJsonObject("properties").fieldNames());
    assertThat(names).hasSize(3).allMatch(name -> name.matches("[a-zA-Z0-9_.-]{1,64}"));
    assertThat(shown.getJsonArray("required")).containsExactly(names.get(0));
    assertThat(shown.getJsonObject("properties").getJsonObject(names.get(1)))
        .isEqualTo(json("{\"description\": \"StartTime>: to\"}"));
    JsonObject given = new JsonObject().put(names.get(0), "a").put(names.get(1), 1).put("plain", 2);
    assertThat(ModelArguments.mayDiffer(given)).isTrue();
    assertThat(ModelArguments.forServer(given, odd))
        .isEqualTo(json("{\"StartTime<\": \"a\", \"StartTime>\": 1, \"plain\": 2}"));
    assertThat(ModelArguments.mayDiffer(json("{\"plain\": 2}"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\": \"object\"}",
        "{}",
        "{\"type\": \"array\"}",
        "{\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"string\"}}, \"additionalProperties\": true}",
        "{\"type\": \"object\", \"patternProperties\": {\"x\": {}}}",
        "{\"type\": \"array\", \"prefixItems\": [{\"type\": \"string\"}]}",
        "{\"enum\": [1, \"a\"]}",
      })
  void a_schema_that_cannot_be_closed_is_not_strict_and_says_why(String property) {
    FunctionOptions options = new FunctionOptions(true, false);
    JsonObject schema =
        new JsonObject()
            .put("type", "object")
            .put("properties", new JsonObject().put("p", new JsonObject(property)));
    JsonObject entry =
        ((JsonArray) FunctionFormat.OPENAI_RESPONSES.tools(List.of(tool("a", schema)), options))
            .getJsonObject(0);
    assertThat(entry.getBoolean("strict")).isFalse();
    assertThat(options.shaped().getJsonArray("weather__a").getString(0)).startsWith("not strict: ");
  }

  @Test
  void anthropic_takes_an_input_schema() {
    assertThat(first(FunctionFormat.ANTHROPIC, WEATHER, false))
        .isEqualTo(
            json(
                """
                {"name": "weather__get", "description": "The weather.", "input_schema": %s}
                """
                    .formatted(FLAT)));
  }

  @Test
  void gemini_takes_a_schema_of_one_object() {
    JsonObject declaration =
        first(FunctionFormat.GEMINI, WEATHER, false)
            .getJsonArray("functionDeclarations")
            .getJsonObject(0);
    assertThat(declaration.getString("name")).isEqualTo("weather__get");
    assertThat(declaration.getJsonObject("parametersJsonSchema")).isEqualTo(json(FLAT));
  }

  @Test
  void a_tool_without_parameters_still_has_properties() {
    JsonObject bare = first(FunctionFormat.ANTHROPIC, tool("a", new JsonObject()), false);
    assertThat(bare.getJsonObject("input_schema"))
        .isEqualTo(json("{\"type\": \"object\", \"properties\": {}}"));
  }

  @Test
  void the_ai_sdk_takes_a_set_by_name_with_the_server_on_every_tool() {
    Object tools = FunctionFormat.AI_SDK.tools(List.of(WEATHER), new FunctionOptions(false, false));
    JsonObject one = ((JsonObject) tools).getJsonObject("weather__get");
    assertThat(one.getString("_serverId")).isEqualTo("weather");
    assertThat(one.getJsonObject("inputSchema").getJsonObject("properties")).isNotEmpty();
  }

  @Test
  void server_ids_are_added_only_on_request() {
    FunctionOptions marked = new FunctionOptions(false, true);
    for (FunctionFormat form : FunctionFormat.values()) {
      assertThat(form.tools(List.of(WEATHER), marked).toString())
          .as(form.word())
          .contains("\"_serverId\":\"weather\"");
    }
    assertThat(
            FunctionFormat.OPENAI
                .tools(List.of(WEATHER), new FunctionOptions(false, false))
                .toString())
        .doesNotContain("_serverId");
  }

  @Test
  void openai_calls_bring_arguments_as_text_and_get_a_text() {
    FunctionCall call =
        FunctionFormat.OPENAI.call(
            json(
                """
                {"id": "c1", "type": "function",
                 "function": {"name": "weather__get", "arguments": "{\\"city\\":\\"Ulm\\"}"}}
                """));
    assertThat(call.name()).isEqualTo("weather__get");
    assertThat(call.object()).isEqualTo(json("{\"city\": \"Ulm\"}"));
    assertThat(FunctionFormat.OPENAI.result(call, IMAGE))
        .isEqualTo(
            json(
                """
                {"role": "tool", "tool_call_id": "c1",
                 "content": "Look:\\n[image, image/png, 3 bytes]"}
                """));
  }

  @Test
  void openai_responses_get_images() {
    FunctionCall call =
        FunctionFormat.OPENAI_RESPONSES.call(
            json(
                """
                {"type": "function_call", "call_id": "c1", "name": "x__y", "arguments": ""}
                """));
    assertThat(call.object()).isEmpty();
    assertThat(FunctionFormat.OPENAI_RESPONSES.result(call, IMAGE))
        .isEqualTo(
            json(
                """
                {"type": "function_call_output", "call_id": "c1", "output": [
                 {"type": "input_text", "text": "Look:"},
                 {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]}
                """));
    assertThat(FunctionFormat.OPENAI_RESPONSES.result(call, FAILED).getValue("output"))
        .isInstanceOf(JsonArray.class);
  }

  @Test
  void anthropic_results_are_blocks_and_errors_are_text_alone() {
    FunctionCall call =
        FunctionFormat.ANTHROPIC.call(
            json(
                """
                {"type": "tool_use", "id": "t1", "name": "x__y", "input": {"a": 1}}
                """));
    assertThat(call.object()).isEqualTo(json("{\"a\": 1}"));
    assertThat(FunctionFormat.ANTHROPIC.result(call, IMAGE))
        .isEqualTo(
            json(
                """
                {"type": "tool_result", "tool_use_id": "t1", "content": [
                 {"type": "text", "text": "Look:"},
                 {"type": "image", "source":
                  {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]}
                """));
    assertThat(FunctionFormat.ANTHROPIC.result(call, FAILED))
        .isEqualTo(
            json(
                """
                {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [
                 {"type": "text", "text": "no such city"},
                 {"type": "text", "text": "[image, image/png, 3 bytes]"}]}
                """));
    ToolOutput silent =
        ToolOutput.of(json("{\"content\": [{\"type\": \"text\", \"text\": \"\"}]}"));
    assertThat(FunctionFormat.ANTHROPIC.result(call, silent).containsKey("content")).isFalse();
  }

  @Test
  void bedrock_wants_tool_specs_with_a_plain_top_and_answers_in_blocks() {
    JsonObject spec = first(FunctionFormat.BEDROCK, WEATHER, false).getJsonObject("toolSpec");
    assertThat(spec)
        .isEqualTo(
            json(
                """
                {"name": "weather__get", "description": "The weather.",
                 "inputSchema": {"json": %s}}
                """
                    .formatted(FLAT)));
    FunctionCall call =
        FunctionFormat.BEDROCK.call(
            json(
                "{\"toolUse\": {\"toolUseId\": \"t\", \"name\": \"x__y\", \"input\": {\"a\": 1}}}"));
    assertThat(call.object()).isEqualTo(json("{\"a\": 1}"));
    assertThat(FunctionFormat.BEDROCK.result(call, IMAGE))
        .isEqualTo(
            json(
                """
                {"toolResult": {"toolUseId": "t", "status": "success", "content": [
                 {"text": "Look:"},
                 {"image": {"format": "png", "source": {"bytes": "AAAA"}}}]}}
                """));
    assertThat(
            FunctionFormat.BEDROCK
                .result(call, FAILED)
                .getJsonObject("toolResult")
                .getString("status"))
        .isEqualTo("error");
    ToolOutput silent = ToolOutput.of(json("{\"content\": []}"));
    assertThat(FunctionFormat.BEDROCK.result(call, silent).encode()).contains("(no output)");
  }

  @Test
  void alternatives_at_the_top_become_one_object_of_all_their_properties() {
    JsonObject union =
        json(
            """
            {"anyOf": [{"$ref": "#/$defs/A"},
              {"type": "object", "properties": {"id": {}, "b": {"type": "array"}},
               "required": ["id", "b"]}],
             "$defs": {"A": {"type": "object", "properties": {"id": {"type": "string"}},
               "required": ["id"]}}}
            """);
    JsonObject shaped =
        first(FunctionFormat.ANTHROPIC, tool("a", union), false).getJsonObject("input_schema");
    assertThat(shaped.getString("type")).isEqualTo("object");
    assertThat(shaped.containsKey("anyOf")).isFalse();
    assertThat(shaped.getJsonArray("required")).containsExactly("id");
    assertThat(shaped.getJsonObject("properties"))
        .isEqualTo(
            json(
                """
                {"id": {"type": "string"}, "b": {"type": "array", "items": {}}}
                """));
    JsonObject referred =
        json(
            """
            {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object",
              "properties": {"x": {"type": "string"}}}}}
            """);
    assertThat(
            first(FunctionFormat.ANTHROPIC, tool("a", referred), false)
                .getJsonObject("input_schema")
                .getJsonObject("properties")
                .containsKey("x"))
        .isTrue();
  }

  @Test
  void gemini_results_are_objects_with_output_or_error() {
    FunctionCall call =
        FunctionFormat.GEMINI.call(
            json("{\"functionCall\": {\"id\": \"g1\", \"name\": \"x__y\", \"args\": {\"a\": 1}}}"));
    ToolOutput structured =
        ToolOutput.of(
            json(
                """
                {"content": [{"type": "text", "text": "{ \\"t\\": 3 }"}],
                 "structuredContent": {"t": 3}}
                """));
    assertThat(FunctionFormat.GEMINI.result(call, structured))
        .isEqualTo(
            json(
                """
                {"functionResponse": {"id": "g1", "name": "x__y",
                 "response": {"output": {"t": 3}}}}
                """));
    assertThat(FunctionFormat.GEMINI.result(call, FAILED).toString())
        .contains("\"error\":\"no such");
    assertThat(FunctionFormat.GEMINI.result(call, IMAGE).toString())
        .contains("\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AAAA\"}");
    JsonObject bare =
        FunctionFormat.GEMINI.result(
            FunctionFormat.GEMINI.call(json("{\"name\": \"x__y\"}")), IMAGE);
    assertThat(bare.getJsonObject("functionResponse").containsKey("id")).isFalse();
  }

  @Test
  void ai_sdk_results_say_what_kind_of_output_they_are() {
    FunctionCall call =
        FunctionFormat.AI_SDK.call(
            json(
                """
                {"type": "tool-call", "toolCallId": "v1", "toolName": "x__y", "input": {}}
                """));
    assertThat(FunctionFormat.AI_SDK.result(call, FAILED).getJsonObject("output").getString("type"))
        .isEqualTo("error-text");
    JsonObject image = FunctionFormat.AI_SDK.result(call, IMAGE).getJsonObject("output");
    assertThat(image.getString("type")).isEqualTo("content");
    assertThat(image.getJsonArray("value").getJsonObject(1).getString("mediaType"))
        .isEqualTo("image/png");
  }

  @Test
  void a_call_of_another_form_is_refused_with_the_form_that_was_expected() {
    for (FunctionFormat form : FunctionFormat.values()) {
      assertThatThrownBy(() -> form.call(json("{\"nome\": 1}")))
          .as(form.word())
          .isInstanceOfSatisfying(
              McpFailure.class,
              failure -> {
                assertThat(failure.code()).isEqualTo(FailureCode.BAD_REQUEST);
                assertThat(failure).hasMessageContaining("expected {");
              });
    }
    assertThatThrownBy(() -> FunctionFormat.of("mistral"))
        .hasMessageContaining("openai-responses, anthropic, gemini, bedrock, ai-sdk");
  }

  @Test
  void arguments_that_are_null_or_nothing_are_none() {
    for (Object none : new Object[] {null, "", " ", "null"}) {
      assertThat(new FunctionCall("1", "x__y", none).object()).isEmpty();
    }
  }

  @Test
  void arguments_that_are_no_object_are_the_models_mistake() {
    for (Object wrong : new Object[] {"[1]", "not json", 5, new JsonArray()}) {
      assertThatThrownBy(() -> new FunctionCall("1", "x__y", wrong).object())
          .isInstanceOfSatisfying(
              McpFailure.class,
              failure -> assertThat(failure.code()).isEqualTo(FailureCode.INVALID_ARGUMENTS));
    }
  }

  @Test
  void no_content_of_a_tool_is_dropped() {
    ToolOutput output =
        ToolOutput.of(
            json(
                """
                {"content": [
                  {"type": "resource", "resource": {"uri": "a://b", "text": "inside"}},
                  {"type": "resource", "resource": {"uri": "a://c", "blob": "AAAA"}},
                  {"type": "resource_link", "uri": "a://d", "name": "deed"},
                  {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
                  {"type": "hologram", "depth": 3}],
                 "structuredContent": {"t": 3}, "_meta": {"k": "v"}}
                """));
    assertThat(output.text())
        .isEqualTo(
            """
            inside
            [resource a://c, application/octet-stream, 3 bytes]
            [resource a://d deed]
            [audio, audio/wav, 3 bytes]
            {"type":"hologram","depth":3}
            {"t":3}\
            """);
    assertThat(output.meta()).isEqualTo(json("{\"k\": \"v\"}"));
    assertThat(output.hasImages()).isFalse();
  }
}
