package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code resultType} is read along with the envelope. */
class ResultTypeTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|complete",
        "{\"content\":[]}|complete",
        "{\"resultType\":\"complete\"}|complete",
        "{\"content\":[{\"resultType\":\"inner\"}],\"resultType\":\"input_required\"}|input_required",
        "{\"a\":{\"resultType\":\"inner\"}}|complete",
        "{\"resultType\":\"task\",\"taskId\":\"1\"}|task",
        "{\"resultType\":5}|''",
        "{\"resultType\":null}|complete",
        "{\"result\\u0054ype\":\"task\"}|task"
      })
  void it_is_the_direct_member_and_complete_where_absent(String result, String type)
      throws Exception {
    byte[] bytes =
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + result + "}")
            .getBytes(StandardCharsets.UTF_8);
    Envelope envelope = Envelope.parse(bytes, 0, bytes.length, ParseLimits.DEFAULT);
    assertThat(envelope.resultType()).isEqualTo(type);
    assertThat(envelope.payload().toString()).isEqualTo(result);
  }
}
