package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import org.junit.jupiter.api.Test;

/** Which failures of a handshake are the server's refusal of the session. */
class SessionRefusalTest {

  private static boolean isRefusal(Reason reason, int status, long retryAfter) {
    return ConnectionFailures.isRefusal(
        new TransportException(reason, Reached.MAYBE, "in any words", retryAfter, null)
            .withHttpStatus(status)
            .withReached(Reached.NO));
  }

  @Test
  void an_answer_with_an_error_and_an_exit_are_refusals() {
    assertThat(
            ConnectionFailures.isRefusal(
                McpFailure.upstream(new JsonRpcError(-32600, "Server already initialized", null))))
        .isTrue();
    assertThat(isRefusal(Reason.UPSTREAM_EXITED, 0, -1)).isTrue();
    assertThat(isRefusal(Reason.PROTOCOL_ERROR, 400, -1)).isTrue();
    assertThat(isRefusal(Reason.PROTOCOL_ERROR, 409, -1)).isTrue();
    assertThat(isRefusal(Reason.UPSTREAM_RESET, 500, -1)).isTrue();
  }

  @Test
  void what_passes_is_none() {
    assertThat(isRefusal(Reason.UPSTREAM_RESET, 0, -1)).isFalse();
    for (int status : new int[] {502, 503, 504}) {
      assertThat(isRefusal(Reason.UPSTREAM_RESET, status, -1)).isFalse();
    }
    assertThat(isRefusal(Reason.UPSTREAM_RESET, 500, 1_000)).isFalse();
    assertThat(isRefusal(Reason.RATE_LIMITED, 429, -1)).isFalse();
    assertThat(isRefusal(Reason.CONNECT_FAILED, 404, -1)).isFalse();
    assertThat(isRefusal(Reason.OVERLOADED, 0, -1)).isFalse();
    assertThat(isRefusal(Reason.PROTOCOL_ERROR, 0, -1)).isFalse();
    assertThat(
            ConnectionFailures.isRefusal(
                McpFailure.notSent(FailureCode.HANDSHAKE_TIMEOUT, "no answer")))
        .isFalse();
  }
}
