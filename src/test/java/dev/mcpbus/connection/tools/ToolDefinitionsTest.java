package dev.mcpbus.connection.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolDefinitionsTest {

  private static final String ECHO = "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}";

  /** {@code printf '{"inputSchema":{"type":"object"},"name":"echo"}' | sha256sum}. */
  private static final String ECHO_HASH =
      "sha256-a85008edb2a361a39358ef9a40ccff45a3a4938fd90bb7d55450a050284e4723";

  static ToolDefinitions of(String... tools) {
    return ToolDefinitions.of(RawJson.of("{\"tools\":[" + String.join(",", tools) + "]}"));
  }

  private static String hash(String tool) {
    return of(tool).byName().values().iterator().next().hash();
  }

  @Test
  void the_hash_is_what_anybody_computes_from_the_canonical_text() {
    assertThat(hash(ECHO)).isEqualTo(ECHO_HASH);
    assertThat(of().hash())
        .as("of no text at all")
        .isEqualTo("sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ \"inputSchema\" : { \"type\" : \"object\" } , \"name\" : \"echo\" }",
        "{\"name\":\"\\u0065cho\",\"inputSchema\":{\"type\":\"object\"}}",
        "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"},\"icons\":[{\"src\":\"x\"}]}",
        "{\"_meta\":{\"t\":17},\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}"
      })
  void how_it_is_written_and_how_it_looks_makes_no_difference(String tool) {
    assertThat(hash(tool)).isEqualTo(ECHO_HASH);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"},\"title\":\"E\"}",
        "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"},\"description\":\"\"}",
        "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{}}",
        "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":{}}",
        "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"},\"unheardOf\":null}",
        "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\",\"minimum\":0.1}}",
        "{\"name\":\"Echo\",\"inputSchema\":{\"type\":\"object\"}}"
      })
  void every_other_member_makes_one(String tool) {
    assertThat(hash(tool)).isNotEqualTo(ECHO_HASH);
  }

  @Test
  void the_order_of_the_list_makes_no_difference_and_a_second_definition_does() {
    String other = "{\"name\":\"other\"}";
    String again = "{\"name\":\"echo\",\"description\":\"me too\"}";
    assertThat(of(ECHO, other).hash()).isEqualTo(of(other, ECHO).hash());
    assertThat(of(ECHO, other).hash()).isNotEqualTo(of(ECHO).hash());
    assertThat(of(ECHO, again).hash()).isNotEqualTo(of(ECHO).hash());
    assertThat(of(ECHO, again, again).hash()).isNotEqualTo(of(ECHO, again).hash());
    assertThat(of(ECHO, "{\"nameless\":1}", "7").hash()).isEqualTo(of(ECHO).hash());
  }

  private static JsonArray differences(String before, String after) {
    return DefinitionDifferences.of(before, after);
  }

  private static JsonObject one(String path, @Nullable Object before, @Nullable Object after) {
    return new JsonObject().put("path", path).put("before", before).put("after", after);
  }

  @Test
  void differences_name_the_path_and_both_values() {
    assertThat(
            differences(
                "{\"a\":{\"b/c\":[1,2],\"d\":\"x\"},\"gone\":true}",
                "{\"a\":{\"b/c\":[1,3],\"d\":\"y\"},\"new\":{\"k\":1}}"))
        .containsExactly(
            one("/a/b~1c/1", "2", "3"),
            one("/a/d", "x", "y"),
            one("/gone", "true", null),
            one("/new", null, "{\"k\":1}"));
  }

  @Test
  void what_a_server_writes_is_bounded_and_shown_as_one_visible_line() {
    String bidi = "{\"description\":\"" + "a\u202Eb\u200Bc\\n\\u001b[31m" + "\"}";
    assertThat(differences("{\"description\":\"x\"}", bidi))
        .containsExactly(one("/description", "x", "a\\u202eb\\u200bc\\u000a\\u001b[31m"));
    assertThat(DefinitionDifferences.shown("tag \uDB40\uDC41 and \uD83D\uDE00", 99))
        .isEqualTo("tag \\udb40\\udc41 and \uD83D\uDE00");
    JsonArray cut = differences("\"x\"", "\"" + "y".repeat(5_000) + "\"");
    assertThat(cut.encode()).hasSizeLessThan(400).contains("(5000 characters)");

    StringBuilder many = new StringBuilder("{\"m0\":0");
    for (int i = 1; i < 1_000; i++) {
      many.append(",\"m").append(i).append("\":").append(i);
    }
    JsonArray first = differences("{}", many.append('}').toString());
    assertThat(first).hasSize(21);
    assertThat(first.getJsonObject(20)).isEqualTo(new JsonObject().put("more", 980));

    assertThat(differences("{}", "\"" + "z".repeat(100_000) + "\"")).hasSize(1);
  }

  @Test
  void what_the_decoder_does_not_see_or_refuses_is_shown_as_a_whole() {
    assertThat(differences("9007199254740993.5", "9007199254740993.25")).hasSize(1);
    String deep = "[".repeat(5_000) + "]".repeat(5_000);
    assertThat(differences("[]", deep)).singleElement().satisfies(d -> assertThat(d).isNotNull());
  }
}
