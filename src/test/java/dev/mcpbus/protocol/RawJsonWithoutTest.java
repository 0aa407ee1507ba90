package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RawJsonWithoutTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "{\"x\":1}|{}",
        "{ \"x\" : 1 }|{ }",
        "{\"x\":1,\"b\":2}|{\"b\":2}",
        "{\"a\":0 , \"x\" : \"1,}\" }|{\"a\":0 }",
        "{\"a\":0,\"x\":{\"x\":[1]}, \"b\":1.0}|{\"a\":0, \"b\":1.0}",
        "{\"a\":{\"x\":1}}|{\"a\":{\"x\":1}}",
        "{\"\\u0078\":1,\"b\":2}|{\"b\":2}",
        "{\"b\":\"x\"}|{\"b\":\"x\"}",
        "{}|{}"
      })
  void only_the_member_goes(String before, String after) {
    RawJson inside = RawJson.of("[" + before + "]");
    RawJson value = RawJson.slice(inside.array(), 1, inside.length() - 2);

    assertThat(value.without("x").toString()).isEqualTo(after);
  }

  @Test
  void a_key_with_quotes_in_it_goes_whole() {
    assertThat(RawJson.of("{\"a\\\\\\\"b\":1,\"c\":2}").without("a\\\"b").toString())
        .isEqualTo("{\"c\":2}");
  }

  @Test
  void only_an_object_has_members() {
    assertThatThrownBy(() -> RawJson.NULL.without("x")).isInstanceOf(IllegalStateException.class);
  }
}
