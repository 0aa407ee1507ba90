package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.Sensitive;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UpstreamErrorTest {

  private static final Redactor SECRET = Redactor.of(List.of(Sensitive.of("topsecret")));

  @Test
  void an_error_of_a_server_keeps_its_bytes() {
    RawJson error = RawJson.of("{\"message\":\"n\\u006f\", \"x\":1.0,\"code\":-1}");
    McpFailure failure = McpFailure.upstream(error, SECRET);
    assertThat(failure.upstream()).isEqualTo(error);
    assertThat(failure).hasMessage("no");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"code\":-1,\"message\":\"not topsecret\"}",
        "{\"code\":-1,\"message\":\"no\",\"data\":[{\"of\":\"t\\u006fpsecret\"}]}",
        "{\"code\":-1,\"message\":\"no\",\"unknown\":\"topsecret\"}"
      })
  void an_error_that_quotes_a_secret_does_not(String error) {
    McpFailure failure = McpFailure.upstream(RawJson.of(error), SECRET);
    assertThat(failure.upstream()).isNull();
    assertThat(failure.toJsonRpcError().encode()).doesNotContain("topsecret");
  }
}
