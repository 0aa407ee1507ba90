package dev.mcpbus.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.transport.TransportException.Reason;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InboundParserTest {

  private static final ParseLimits SMALL = new ParseLimits(100, 4, 5);

  @Test
  void a_message_is_parsed() throws TransportException {
    assertThat(InboundParser.parse(bytes("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}"), SMALL).method())
        .isEqualTo("x");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "hello | PROTOCOL_ERROR",
        "[] | PROTOCOL_ERROR",
        "{\"jsonrpc\":\"2.0\"} | PROTOCOL_ERROR",
        "{\"a\":[[[[[[]]]]]]} | LIMIT_EXCEEDED",
        "{\"a\":1234567890} | LIMIT_EXCEEDED"
      })
  void what_is_no_message_has_a_reason(String text, Reason reason) {
    assertReason(text, reason);
  }

  @Test
  void too_many_bytes_are_over_the_limit() {
    assertReason("{\"a\":\"" + "x".repeat(100) + "\"}", Reason.LIMIT_EXCEEDED);
  }

  private static void assertReason(String text, Reason reason) {
    assertThatThrownBy(() -> InboundParser.parse(bytes(text), SMALL))
        .isInstanceOfSatisfying(
            TransportException.class, failure -> assertThat(failure.reason()).isEqualTo(reason));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
