package dev.mcpbus.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JsonViewTest {

  private static ToolCallResult result(String json) {
    return new ToolCallResult(Buffer.buffer(json));
  }

  @Test
  void a_result_has_each_kind_of_block() {
    ToolCallResult result =
        result(
            """
            {"content": [
              {"type": "text", "text": "one"},
              {"type": "image", "data": "aGk=", "mimeType": "image/png"},
              {"type": "audio", "data": "aG8=", "mimeType": "audio/wav"},
              {"type": "resource", "resource": {"uri": "file:///a", "text": "two", "mimeType": "text/x"}},
              {"type": "resource", "resource": {"uri": "file:///b", "blob": "aGE="}},
              {"type": "resource_link", "uri": "file:///c", "name": "c"},
              {"type": "new", "text": 1}],
             "isError": true, "_meta": {"m": 1}}
            """);

    assertThat(result.text()).isEqualTo("one\ntwo");
    assertThat(result.isError()).isTrue();
    assertThat(result.meta()).isEqualTo(new JsonObject().put("m", 1));
    assertThat(result.content())
        .extracting(ContentBlock::type)
        .containsExactly("text", "image", "audio", "resource", "resource", "resource_link", "new");
    ContentBlock image = result.content().get(1);
    assertThat(new String(image.data(), StandardCharsets.UTF_8)).isEqualTo("hi");
    assertThat(image.mimeType()).isEqualTo("image/png");
    assertThat(result.content().get(3).mimeType()).isEqualTo("text/x");
    assertThat(requireNonNull(result.content().get(3).resource()).uri()).isEqualTo("file:///a");
    assertThat(result.content().get(4).data()).asString().isEqualTo("ha");
    assertThat(result.content().get(4).text()).isNull();
    assertThat(requireNonNull(result.content().get(5).link()).name()).isEqualTo("c");
    assertThat(result.content().get(0).link()).isNull();
  }

  @Test
  void structured_content_is_any_json_value() {
    assertThat(result("{\"structuredContent\":{\"a\":1}}").structured())
        .isEqualTo(new JsonObject().put("a", 1));
    assertThat(result("{\"structuredContent\":[1,2]}").structured())
        .isEqualTo(new JsonArray().add(1).add(2));
    assertThat(result("{\"structuredContent\":42}").structured()).isEqualTo(42);
    assertThat(result("{}").structured()).isNull();
    assertThat(result("{}").text()).isEmpty();
  }

  @Test
  void bytes_stay_as_they_came() {
    String written = "{\"z\":1.50e3,\"a\":{\"n\":1e2},\"content\":[]}";

    ToolCallResult result = result(written);

    assertThat(result.json().fieldNames()).containsExactly("z", "a", "content");
    assertThat(result).hasToString(written);
    assertThat(result.toBuffer()).hasToString(written);
    assertThat(result).isEqualTo(new ToolCallResult(result.json().copy()));
    assertThat(result).hasSameHashCodeAs(new ToolCallResult(result.json().copy()));
  }

  @Test
  void what_has_not_the_form_of_mcp_is_a_protocol_error_without_its_text() {
    assertThatThrownBy(() -> result("[\"s3cret\"]")).satisfies(JsonViewTest::isProtocolError);
    assertThatThrownBy(() -> result("{\"s3cret\"").json()).satisfies(JsonViewTest::isProtocolError);
    assertThatThrownBy(() -> result("{\"content\":\"s3cret\"}").content())
        .satisfies(JsonViewTest::isProtocolError);
    assertThatThrownBy(() -> result("{\"content\":[\"s3cret\"]}").text())
        .satisfies(JsonViewTest::isProtocolError);
  }

  private static void isProtocolError(Throwable thrown) {
    assertThat(((McpFailure) thrown).code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
    assertThat(thrown.getMessage()).contains("ToolCallResult").doesNotContain("s3cret");
  }

  @Test
  void lists_prompts_and_completions_have_what_mcp_defines() {
    ListResult<McpTool> tools =
        new ListResult<>(
            Buffer.buffer(
                """
                {"tools": [{"name": "a", "title": "A", "inputSchema": {"type": "object"},
                  "outputSchema": {}, "annotations": {"readOnlyHint": true}}, {"name": "b"}],
                 "nextCursor": "2"}
                """),
            "tools",
            McpTool::new);
    PromptResult prompt =
        new PromptResult(
            new JsonObject(
                """
                {"description": "d", "messages": [
                  {"role": "user", "content": {"type": "text", "text": "hi"}}]}
                """));
    Completion completion =
        new Completion(new JsonObject("{\"completion\":{\"values\":[\"main\"],\"hasMore\":true}}"));

    McpTool tool = tools.items().get(0);
    assertThat(tool.title()).isEqualTo("A");
    assertThat(tool.description()).isEmpty();
    assertThat(tool.outputSchema()).isEqualTo(new JsonObject());
    assertThat(tool.annotations().getBoolean("readOnlyHint")).isTrue();
    assertThat(tools).extracting(McpTool::name).containsExactly("a", "b");
    assertThat(tools.stream().map(McpTool::outputSchema).toList().get(1)).isNull();
    assertThat(tools.nextCursor()).isEqualTo("2");
    assertThat(prompt.description()).isEqualTo("d");
    assertThat(prompt.messages().get(0).role()).isEqualTo("user");
    assertThat(prompt.messages().get(0).content().text()).isEqualTo("hi");
    assertThat(completion.values()).containsExactly("main");
    assertThat(completion.hasMore()).isTrue();
  }
}
