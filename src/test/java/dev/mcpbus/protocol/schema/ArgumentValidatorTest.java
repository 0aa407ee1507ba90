package dev.mcpbus.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
    assertThat(wrong.message()).contains("Expected string");
    assertThat(violation("{\"n\":0}").path()).isEqualTo("/n");
  }

  @Test
  void a_missing_argument_is_a_violation_that_names_it() {
    Violation missing = violation("{}");
    assertThat(missing.path()).isEqualTo("/");
    assertThat(missing.message()).contains("required property \"n\"");
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
