package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ConnectionFailuresTest {

  private static TransportException transport(Reason reason) {
    return new TransportException(reason, TransportException.Reached.MAYBE, "why", 250, null);
  }

  @Test
  void a_program_that_ends_without_an_answer_may_be_no_server() {
    TransportException end =
        new TransportException(
            TransportException.Reason.UPSTREAM_EXITED,
            TransportException.Reached.MAYBE,
            "ls: exit code 0");
    assertThat(ConnectionFailures.inHandshake(end))
        .hasMessage(
            "ls: exit code 0: it ended before it answered. Is it an MCP server for stdio, and does"
                + " it need an argument for that?");
  }

  @ParameterizedTest
  @EnumSource(Reason.class)
  void every_reason_of_a_transport_has_its_code(Reason reason) {
    McpFailure failure = ConnectionFailures.of(transport(reason));
    assertThat(failure.code().name())
        .isEqualTo(reason == Reason.SESSION_LOST ? "UNAVAILABLE" : reason.name());
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.MAYBE);
    assertThat(failure.retryAfterMillis()).isEqualTo(250);
    assertThat(failure).hasMessage("why");
  }

  @Test
  void what_was_not_sent_stays_not_sent() {
    TransportException refused =
        new TransportException(Reason.OVERLOADED, TransportException.Reached.NO, "full");
    assertThat(ConnectionFailures.of(refused).sent()).isEqualTo(McpFailure.Sent.NO);
  }

  @ParameterizedTest
  @CsvSource({
    "UPSTREAM_EXITED, HANDSHAKE_FAILED",
    "UPSTREAM_RESET, HANDSHAKE_FAILED",
    "PROTOCOL_ERROR, HANDSHAKE_FAILED",
    "SESSION_LOST, HANDSHAKE_FAILED",
    "START_FAILED, START_FAILED",
    "CONNECT_FAILED, CONNECT_FAILED",
    "AUTH_REQUIRED, AUTH_REQUIRED",
    "TLS_ERROR, TLS_ERROR"
  })
  void before_a_session_is_ready_nothing_of_a_caller_was_sent(Reason reason, FailureCode code) {
    McpFailure failure = ConnectionFailures.inHandshake(transport(reason));
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  @Test
  void a_handshake_that_times_out_or_is_refused_says_so() {
    McpFailure late = McpFailure.maybeSent(FailureCode.CALL_TIMEOUT, "late");
    assertThat(ConnectionFailures.inHandshake(late).code())
        .isEqualTo(FailureCode.HANDSHAKE_TIMEOUT);
    McpFailure refused =
        McpFailure.upstream(JsonRpcError.of(RawJson.of("{\"code\":-1,\"message\":\"no\"}")));
    McpFailure failure = ConnectionFailures.inHandshake(refused);
    assertThat(failure.code()).isEqualTo(FailureCode.HANDSHAKE_FAILED);
    assertThat(failure.data().getJsonObject("error").getInteger("code")).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource(FailureCode.class)
  void only_what_a_person_must_mend_is_not_tried_again(FailureCode code) {
    boolean hopeless =
        code == FailureCode.START_FAILED
            || code == FailureCode.SCOPE_REJECTED
            || code == FailureCode.LOOP_DETECTED
            || code == FailureCode.UNSUPPORTED_VERSION;
    assertThat(ConnectionFailures.isRetryable(McpFailure.notSent(code, "x"))).isEqualTo(!hopeless);
  }
}
