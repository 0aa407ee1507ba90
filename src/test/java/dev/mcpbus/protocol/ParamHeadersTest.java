package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.protocol.ParamHeaders.InvalidSchemaException;
import dev.mcpbus.protocol.ParamHeaders.ParamHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code x-mcp-header}: which annotations hold, and which headers a call then has. */
class ParamHeadersTest {

  private static final String SCHEMA =
      "{\"type\":\"object\",\"properties\":{"
          + "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
          + "\"count\":{\"type\":\"integer\",\"x-mcp-header\":\"Count\"},"
          + "\"deep\":{\"type\":\"object\",\"properties\":{"
          + "\"on\":{\"type\":\"boolean\",\"x-mcp-header\":\"On\"}}},"
          + "\"query\":{\"type\":\"string\"}}}";

  private static ParamHeaders of(String schema) throws InvalidSchemaException {
    return ParamHeaders.of(RawJson.of(schema));
  }

  @Test
  void values_are_taken_from_the_exact_path() throws Exception {
    assertThat(
            of(SCHEMA)
                .values(
                    RawJson.of(
                        "{\"region\":\"s\u00fcd\",\"count\":-7,\"deep\":{\"on\":false},"
                            + "\"query\":\"x\",\"on\":true}")))
        .containsExactly(
            new ParamHeader("Mcp-Param-Region", "=?base64?c8O8ZA==?="),
            new ParamHeader("Mcp-Param-Count", "-7"),
            new ParamHeader("Mcp-Param-On", "false"));
  }

  @Test
  void absent_and_null_values_have_no_header() throws Exception {
    assertThat(of(SCHEMA).values(RawJson.of("{\"region\":null,\"deep\":{}}"))).isEmpty();
    assertThat(of(SCHEMA).values(null)).isEmpty();
  }

  @Test
  void integers_are_written_as_decimals() throws Exception {
    assertThat(of(SCHEMA).values(RawJson.of("{\"count\":1.0}")))
        .containsExactly(new ParamHeader("Mcp-Param-Count", "1"));
  }

  @Test
  void a_schema_without_annotations_mirrors_nothing() throws Exception {
    assertThat(of("{\"type\":\"object\"}").isEmpty()).isTrue();
    assertThat(ParamHeaders.of(null).isEmpty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"with blank\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"a:b\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"a\\r\\nb\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":5}}}",
        "{\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"object\",\"x-mcp-header\":\"A\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"array\",\"items\":"
            + "{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}",
        "{\"x-mcp-header\":\"A\",\"type\":\"string\"}",
        "{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}]}",
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},"
            + "\"b\":{\"type\":\"string\",\"x-mcp-header\":\"a\"}}}"
      })
  void an_annotation_that_breaks_the_rules_makes_the_schema_invalid(String schema) {
    assertThatThrownBy(() -> of(schema)).isInstanceOf(InvalidSchemaException.class);
  }
}
