package dev.mcpbus.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentValidatorTest {

  private static final String SCHEMA =
      "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1},"
          + "\"in\":{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\"}}}},"
          + "\"required\":[\"n\"]}";

  private static @Nullable Violation check(String schema, String arguments) {
    return ArgumentValidator.of(RawJson.of(schema)).check(new JsonObject(arguments));
  }

  private static Violation violation(String arguments) {
    return Objects.requireNonNull(check(SCHEMA, arguments));
  }

  @Test
  void arguments_that_fit_are_no_violation() {
    assertThat(check(SCHEMA, "{\"n\":1,\"in\":{\"s\":\"\"},\"more\":null}")).isNull();
  }

  @Test
  void the_violation_names_the_deepest_place() {
    Violation wrong = violation("{\"n\":1,\"in\":{\"s\":5}}");
    assertThat(wrong.path()).isEqualTo("/in/s");
    assertThat(wrong.message()).isEqualTo("must be string, not number");
    assertThat(violation("{\"n\":0}").path()).isEqualTo("/n");
  }

  @Test
  void a_missing_argument_is_a_violation_that_names_it() {
    Violation missing = violation("{}");
    assertThat(missing.path()).isEqualTo("/");
    assertThat(missing.message()).isEqualTo("\"n\" is missing");
  }

  /** The texts do not depend on whether the object is closed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"n\":0}|/n: 0 is less than 1",
        "{\"n\":\"x\"}|/n: must be integer, not string",
        "{\"n\":1,\"s\":\"z\"}|/s: must be one of [\"a\",\"b\"]",
        "{\"n\":1,\"s\":3}|/s: must be string, not number",
        "{\"n\":1,\"l\":[]}|/l: has too few items: 0 in place of 1",
        "{\"n\":1,\"l\":[\"abc\"]}|/l/0: is too long: 3 in place of 2",
        "{\"n\":1,\"l\":[\"a\",\"a\"]}|/l: has the same item twice, at indexes 0 and 1",
        "{\"n\":1,\"p\":\"y\"}|/p: does not match the schema's pattern",
        "{\"n\":1,\"f\":\"y\"}|/f: is not of the format \"date\"",
        "{\"n\":1,\"c\":4}|/c: must be 3",
        "{\"n\":1,\"u\":4}|/u: must be string, null, not number",
        "{\"n\":1,\"o\":true}|/o: must be string, not boolean, or must be number, not boolean",
        "{\"m\":1}|/m: \"m\" is no member that the schema knows; \"n\" is missing",
        "{\"n\":1,\"z\":2}|/z: \"z\" is no member that the schema knows",
        "{\"n\":1,\"in\":{}}|/in: \"q\" is missing"
      })
  void a_violation_of_a_closed_schema_says_what_is_wrong(String arguments, String expected) {
    String closed =
        """
        {"type":"object","required":["n"],"additionalProperties":false,"properties":{
          "n":{"type":"integer","minimum":1},"s":{"type":"string","enum":["a","b"]},
          "l":{"items":{"maxLength":2},"minItems":1,"uniqueItems":true},"p":{"pattern":"^x"},
          "f":{"format":"date"},"c":{"const":3},"u":{"type":["string","null"]},
          "o":{"anyOf":[{"type":"string"},{"type":"number"}]},
          "in":{"required":["q"]}}}
        """;
    Violation violation = Objects.requireNonNull(check(closed, arguments));
    assertThat(violation.path() + ": " + violation.message()).isEqualTo(expected);
  }

  @Test
  void both_dialects_are_understood() {
    String tuple = "\"properties\":{\"a\":{\"items\":[{\"type\":\"string\"}]}}}";
    String draft7 = "{\"$schema\":\"http://json-schema.org/draft-07/schema#\"," + tuple;
    assertThat(check(draft7, "{\"a\":[1]}")).isNotNull();
    assertThat(check(draft7, "{\"a\":[\"x\",1]}")).isNull();
    String newer = "{\"properties\":{\"a\":{\"prefixItems\":[{\"type\":\"string\"}]}}}";
    assertThat(check(newer, "{\"a\":[1]}")).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "\"text\"",
        "{\"$ref\":\"http://127.0.0.1:1/elsewhere\"}",
        "{\"properties\":{\"a\":{\"$ref\":\"file:///etc/passwd\"}}}",
        "{\"pattern\":\"(\",\"properties\":{\"a\":{\"pattern\":\"(\"}}}"
      })
  void a_schema_that_cannot_be_used_checks_nothing(String schema) {
    assertThat(check(schema, "{\"b\":1}")).isNull();
  }

  @Test
  void no_schema_and_one_that_is_too_big_check_nothing() {
    assertThat(ArgumentValidator.of(null).check(new JsonObject())).isNull();
    String big =
        "{\"required\":[\"n\"],\"description\":\""
            + "x".repeat(ArgumentValidator.MAX_SCHEMA_BYTES)
            + "\"}";
    assertThat(check(big, "{}")).isNull();
  }
}
