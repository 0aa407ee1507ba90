package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Words of a shell become values of the types in a tool's input schema. */
class ArgumentWordsTest {

  private static final JsonObject SCHEMA =
      new JsonObject(
          """
          {"type": "object", "required": ["text"],
           "properties": {
             "text": {"type": "string"},
             "count": {"type": "integer"},
             "ratio": {"type": "number"},
             "deep": {"type": "boolean"},
             "tags": {"type": "array", "items": {"type": "string"}},
             "sizes": {"type": "array", "items": {"$ref": "#/$defs/size"}},
             "where": {"type": "object"},
             "level": {"enum": ["low", "high"]},
             "maybe": {"type": ["integer", "null"]},
             "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
             "free": {}},
           "$defs": {"size": {"type": "integer"}}}
          """);

  private static JsonObject typed(String... words) {
    return ArgumentWords.typed("it", List.of(words), ToolArgument.of(SCHEMA), false);
  }

  @Test
  void each_word_has_the_type_of_its_argument() {
    JsonObject typed =
        typed(
            "text=5",
            "count=5",
            "ratio=2.5",
            "deep=true",
            "where={\"a\": 1}",
            "level=high",
            "maybe=null");
    assertThat(typed.getValue("text")).isEqualTo("5");
    assertThat(typed.getValue("count")).isEqualTo(5L);
    assertThat(typed.getDouble("ratio")).isEqualTo(2.5);
    assertThat(typed.getValue("deep")).isEqualTo(true);
    assertThat(typed.getJsonObject("where").getInteger("a")).isEqualTo(1);
    assertThat(typed.getString("level")).isEqualTo("high");
    assertThat(typed.containsKey("maybe")).isTrue();
    assertThat(typed.getValue("maybe")).isNull();
  }

  @Test
  void a_value_may_hold_an_equals_sign_and_be_empty() {
    assertThat(typed("text=a=b").getString("text")).isEqualTo("a=b");
    assertThat(typed("text=").getString("text")).isEmpty();
  }

  @Test
  void an_array_is_json_or_one_word_for_each_element() {
    assertThat(typed("tags=[\"a\",\"b\"]").getValue("tags"))
        .isEqualTo(new JsonArray("[\"a\",\"b\"]"));
    assertThat(typed("tags=1", "tags=b").getValue("tags"))
        .isEqualTo(new JsonArray("[\"1\",\"b\"]"));
    assertThat(typed("tags=a").getValue("tags")).isEqualTo(new JsonArray("[\"a\"]"));
    assertThat(typed("sizes=1", "sizes=2").getJsonArray("sizes").getLong(1)).isEqualTo(2);
  }

  @Test
  void of_several_types_the_first_that_fits_counts_and_text_last() {
    assertThat(typed("either=7").getValue("either")).isEqualTo(7L);
    assertThat(typed("either=seven").getValue("either")).isEqualTo("seven");
    assertThat(typed("free=7").getValue("free")).isEqualTo(7);
    assertThat(typed("free=seven").getValue("free")).isEqualTo("seven");
  }

  @Test
  void whole_numbers_keep_every_digit() {
    assertThat(typed("count=12345678901234567890").getValue("count"))
        .isEqualTo(new BigInteger("12345678901234567890"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "count=five|argument count: must be integer, not \"five\"",
        "count=5.5|argument count: must be integer",
        "deep=yes|argument deep: must be boolean",
        "where=x|argument where: must be object as JSON, in quotes",
        "nope=1|no argument \"nope\"; it has text, count",
        "novalue|must be key=value",
        "=x|must be key=value",
        "maybe=x|argument maybe: must be integer or null"
      })
  void a_wrong_word_is_an_error_that_names_the_argument(String word, String text) {
    assertThatThrownBy(() -> typed(word)).hasMessageContaining(text);
  }

  @Test
  void a_plain_argument_stands_once() {
    assertThatThrownBy(() -> typed("text=a", "text=b")).hasMessageContaining("text stands twice");
  }

  @Test
  void a_document_that_is_no_object_is_refused_with_line_and_column() {
    assertThatThrownBy(() -> ArgumentWords.object("{\n \"a\": oops}", "args.json"))
        .hasMessageContaining("args.json must hold one JSON object")
        .hasMessageContaining("line 2");
    assertThatThrownBy(() -> ArgumentWords.object("[1]", "-"))
        .hasMessageContaining("must hold one JSON object");
  }

  @Test
  void the_help_of_a_tool_shows_types_and_an_example() {
    ServerTool tool = new ServerTool("s", "t", new JsonObject().put("inputSchema", SCHEMA));
    assertThat(tool.example()).isEqualTo("s.t text=TEXT");
    assertThat(tool.arguments()).extracting(ToolArgument::typeName).contains("low|high", "any");
    assertThat(ArgumentWords.split(List.of("a=1", "a=2")))
        .isEqualTo(Map.of("a", List.of("1", "2")));
  }
}
