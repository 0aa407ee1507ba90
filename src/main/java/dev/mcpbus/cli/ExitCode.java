package dev.mcpbus.cli;

import dev.mcpbus.bus.FailureCode;
import org.jspecify.annotations.Nullable;

/** The exit codes of all commands: one table for scripts, and for {@code --help}. */
public enum ExitCode {
  DONE(0, "done"),
  UNEXPECTED(1, "wrong usage, problems in the configuration, or something unexpected"),
  NOT_FOUND(2, "what was asked for is not there"),
  NOT_ALLOWED(3, "a login is needed, or the right is missing"),
  UNREACHABLE(4, "mcpbus or the server cannot be reached"),
  TOOL_FAILED(5, "the tool has failed, or is unknown"),
  INTERRUPTED(130, "ended by Ctrl-C"),
  TERMINATED(143, "ended by SIGTERM, after calls in flight and servers");

  private final int code;
  private final String meaning;

  ExitCode(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  /** The number that the process gives to its parent. */
  public int code() {
    return code;
  }

  /** One line for {@code --help}. */
  public String meaning() {
    return meaning;
  }

  /**
   * The exit code for a failure that mcpbus reports.
   *
   * @param code of the problem document, null where it has none
   * @param status the HTTP status, which decides where {@code code} is null or unknown
   */
  static ExitCode of(@Nullable FailureCode code, int status) {
    if (code == null) {
      return ofStatus(status);
    }
    return switch (code) {
      case BAD_REQUEST, LIMIT_EXCEEDED, INTERNAL, CANCELLED -> ofStatus(status);
      case UNKNOWN_CONNECTION, UNKNOWN_TASK, METHOD_NOT_FOUND -> NOT_FOUND;
      case AUTH_REQUIRED, FORBIDDEN -> NOT_ALLOWED;
      case UNKNOWN_TOOL,
          INVALID_ARGUMENTS,
          UPSTREAM_ERROR,
          OUTCOME_UNKNOWN,
          SKILL_REJECTED,
          TOOL_FAILED ->
          ExitCode.TOOL_FAILED;
      case UNAVAILABLE,
          OVERLOADED,
          RATE_LIMITED,
          START_FAILED,
          CONNECT_FAILED,
          HANDSHAKE_FAILED,
          HANDSHAKE_TIMEOUT,
          UNSUPPORTED_VERSION,
          TLS_ERROR,
          CALL_TIMEOUT,
          UPSTREAM_EXITED,
          UPSTREAM_RESET,
          PROTOCOL_ERROR,
          SCOPE_REJECTED,
          OWNER_LOST,
          LOOP_DETECTED ->
          UNREACHABLE;
    };
  }

  private static ExitCode ofStatus(int status) {
    return switch (status) {
      case 401, 403 -> NOT_ALLOWED;
      case 404 -> NOT_FOUND;
      case 429, 502, 503, 504 -> UNREACHABLE;
      default -> UNEXPECTED;
    };
  }
}
