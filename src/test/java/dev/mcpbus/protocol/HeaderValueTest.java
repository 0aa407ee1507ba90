package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values as headers carry them; the examples are those of the specification. */
class HeaderValueTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "us-west1|us-west1",
        "us west 1|us west 1",
        "''|''",
        "Hello, \u4e16\u754c|=?base64?SGVsbG8sIOS4lueVjA==?=",
        "' padded '|=?base64?IHBhZGRlZCA=?=",
        "'line1\nline2'|=?base64?bGluZTEKbGluZTI=?=",
        "'\tindented'|=?base64?CWluZGVudGVk?=",
        "'in\tside'|'in\tside'",
        "=?base64?literal?=|=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
        "=?base64?open|=?base64?open",
        "'\u007f'|=?base64?fw==?="
      })
  void a_value_is_plain_or_encoded(String text, String header) {
    assertThat(HeaderValue.encode(text)).isEqualTo(header);
  }
}
