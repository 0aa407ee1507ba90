package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** Makes a {@link McpFailure} of what transports and parsers report. Pure. */
public final class ConnectionFailures {

  /** The member of a failure's data that has the HTTP status. */
  private static final String STATUS = "httpStatus";

  private static final String NO_SERVER =
      ": it ended before it answered. Is it an MCP server for stdio, and does it need an argument"
          + " for that?";

  private ConnectionFailures() {}

  static McpFailure of(TransportException e) {
    FailureCode code =
        e.reason() == TransportException.Reason.SESSION_LOST
            ? FailureCode.UNAVAILABLE
            : FailureCode.valueOf(e.reason().name());
    McpFailure.Sent sent =
        e.reached() == TransportException.Reached.NO ? McpFailure.Sent.NO : McpFailure.Sent.MAYBE;
    JsonObject data = e.httpStatus() == 0 ? null : new JsonObject().put(STATUS, e.httpStatus());
    return new McpFailure(code, sent, text(e), e.retryAfterMillis(), data);
  }

  /**
   * The failure of a session that never became ready; no call was sent on it. An exit, a reset or a
   * malformed answer becomes {@code HANDSHAKE_FAILED}; other codes say more and stay.
   */
  public static McpFailure inHandshake(Throwable cause) {
    if (!(cause instanceof TransportException e)) {
      return inHandshake(McpFailure.of(cause));
    }
    return inHandshake(of(e));
  }

  private static McpFailure inHandshake(McpFailure failure) {
    FailureCode code =
        switch (failure.code()) {
          case UPSTREAM_EXITED,
              UPSTREAM_RESET,
              OUTCOME_UNKNOWN,
              PROTOCOL_ERROR,
              UPSTREAM_ERROR,
              UNAVAILABLE,
              OVERLOADED ->
              FailureCode.HANDSHAKE_FAILED;
          case CALL_TIMEOUT -> FailureCode.HANDSHAKE_TIMEOUT;
          default -> failure.code();
        };
    String message = String.valueOf(failure.getMessage());
    return new McpFailure(
        code,
        McpFailure.Sent.NO,
        message.endsWith("exit code 0") ? message + NO_SERVER : message,
        failure.retryAfterMillis(),
        failure.code() == FailureCode.UPSTREAM_ERROR ? failure.data() : null);
  }

  /**
   * Whether the server refuses the session: it answers the handshake with an error, or its program
   * ends. Not where it is busy, limits how often it is called, or cannot be reached.
   *
   * @param cause as {@link #inHandshake} takes it
   */
  public static boolean isRefusal(Throwable cause) {
    McpFailure failure = cause instanceof TransportException e ? of(e) : McpFailure.of(cause);
    int status = failure.data().getValue(STATUS) instanceof Integer given ? given : 0;
    return failure.retryAfterMillis() < 0
        && switch (failure.code()) {
          case UPSTREAM_ERROR, UPSTREAM_EXITED -> true;
          case PROTOCOL_ERROR -> status >= 400;
          default -> status == 500; // a server's own defect, often
        };
  }

  /** The failure of a session of one client's own, beside the one that all callers share. */
  public static McpFailure ofSecondSession(McpFailure failure) {
    return failure.code() != FailureCode.HANDSHAKE_FAILED
        ? failure
        : new McpFailure(
            failure.code(),
            failure.sent(),
            failure.getMessage()
                + "; if the server takes one session only, \"shared\": true in its entry lets"
                + " clients share it",
            failure.retryAfterMillis(),
            failure.data());
  }

  /** The server's error object in {@code failure}; null where another component failed. */
  public static @Nullable JsonObject upstreamError(Throwable failure) {
    return failure instanceof McpFailure mcp && mcp.code() == FailureCode.UPSTREAM_ERROR
        ? mcp.data().getJsonObject("error")
        : null;
  }

  public static <T> Future<T> closedWhileOpening() {
    return Future.failedFuture(
        McpFailure.notSent(FailureCode.UNAVAILABLE, "closed while it was opening"));
  }

  /** The server answered the opening of the other era first: this answer has no effect. */
  static McpFailure answeredTooLate() {
    return McpFailure.notSent(
        FailureCode.HANDSHAKE_FAILED, "the handshake was over before this answer came");
  }

  static McpFailure overloaded(int pending, int most) {
    return McpFailure.notSent(
        FailureCode.OVERLOADED,
        pending
            + " of "
            + most
            + " calls are in flight already, or yours are three quarters of what others leave;"
            + " try again later");
  }

  static McpFailure closedMeanwhile() {
    return McpFailure.maybeSent(FailureCode.OUTCOME_UNKNOWN, "the connection was closed meanwhile");
  }

  static McpFailure noObject(String method) {
    return McpFailure.maybeSent(
        FailureCode.PROTOCOL_ERROR, "the result of " + method + " is not a JSON object");
  }

  static McpFailure unanswered(String method) {
    return McpFailure.maybeSent(
        FailureCode.CALL_TIMEOUT,
        "no answer to " + method + " before the deadline; cancelled at the server");
  }

  /** The server does not offer the capability that {@code method} needs. */
  public static McpFailure lacks(String method, String capability) {
    return McpFailure.notSent(
        FailureCode.METHOD_NOT_FOUND,
        method + " was not sent: the server does not offer the capability '" + capability + "'");
  }

  /** False where another attempt cannot succeed before the configuration is changed. */
  public static boolean isRetryable(McpFailure failure) {
    return switch (failure.code()) {
      case START_FAILED, SCOPE_REJECTED, UNSUPPORTED_VERSION, LOOP_DETECTED -> false;
      default -> true;
    };
  }

  private static String text(Throwable e) {
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }
}
