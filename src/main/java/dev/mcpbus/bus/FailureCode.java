package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import org.jspecify.annotations.Nullable;

/**
 * Every way in which a call can fail. One table maps each code to its number on the bus ({@code
 * ReplyException.failureCode}), its HTTP status and its JSON-RPC error code. Immutable.
 */
@PublicApi
public enum FailureCode {
  BAD_REQUEST(1001, 400, -32600, "The call itself is malformed."),
  UNKNOWN_CONNECTION(1002, 404, -32001, "No MCP server of that id is configured."),
  UNKNOWN_TOOL(1003, 404, -32602, "The server offers no tool of that name."),
  INVALID_ARGUMENTS(1004, 422, -32602, "The arguments do not fit the tool's input schema."),
  UNAVAILABLE(1005, 503, -32002, "The connection is not ready now."),
  OVERLOADED(1006, 503, -32003, "A queue is full."),
  LIMIT_EXCEEDED(1007, 413, -32004, "A message is larger or deeper than allowed."),
  START_FAILED(1008, 502, -32005, "The server's command cannot be run."),
  CONNECT_FAILED(1009, 502, -32006, "The server cannot be reached."),
  HANDSHAKE_FAILED(1010, 502, -32007, "The server did not complete the MCP handshake."),
  HANDSHAKE_TIMEOUT(1011, 504, -32008, "The server did not answer the MCP handshake in time."),
  UNSUPPORTED_VERSION(1012, 502, -32009, "No common protocol version."),
  AUTH_REQUIRED(1013, 502, -32010, "The server wants credentials."),
  FORBIDDEN(1014, 403, -32011, "Not allowed."),
  RATE_LIMITED(1015, 429, -32012, "Too many calls."),
  TLS_ERROR(1016, 502, -32013, "The TLS connection was refused."),
  CALL_TIMEOUT(1017, 504, -32014, "No answer before the deadline."),
  CANCELLED(1018, 499, -32015, "The caller cancelled the call."),
  UPSTREAM_EXITED(1019, 502, -32016, "The server's process has ended."),
  UPSTREAM_RESET(1020, 502, -32017, "The connection to the server broke."),
  OUTCOME_UNKNOWN(1021, 502, -32018, "The answer was lost; the server may have acted."),
  PROTOCOL_ERROR(1022, 502, -32019, "The server sent something that is not MCP."),
  METHOD_NOT_FOUND(1023, 404, -32601, "The server does not offer this method."),
  SCOPE_REJECTED(1024, 502, -32000, "The server offers more than this connection admits."),
  OWNER_LOST(1025, 502, -32000, "The node that held the connection is gone."),
  /** An error object of the server itself; its own code and data are in the failure. */
  UPSTREAM_ERROR(1026, 502, 0, "The server answered with an error."),
  INTERNAL(1027, 500, -32603, "A defect of mcpbus."),
  LOOP_DETECTED(1028, 508, -32000, "The server leads back to this mcpbus."),
  UNKNOWN_TASK(1029, 404, -32602, "There is no task of that id."),
  SKILL_REJECTED(1030, 502, -32000, "A file of a skill is not what the skill's entry says."),
  /** Only for a caller that wishes it; else such a result is a result. */
  TOOL_FAILED(1031, 502, -32000, "The tool's result says that the tool has failed.");

  private final int busCode;
  private final int httpStatus;
  private final int jsonRpcCode;
  private final String title;

  FailureCode(int busCode, int httpStatus, int jsonRpcCode, String title) {
    this.busCode = busCode;
    this.httpStatus = httpStatus;
    this.jsonRpcCode = jsonRpcCode;
    this.title = title;
  }

  /** The code with this name; null if there is none. */
  static @Nullable FailureCode named(String name) {
    for (FailureCode each : values()) {
      if (each.name().equals(name)) {
        return each;
      }
    }
    return null;
  }

  /** The code with this number on the bus; null if there is none. */
  static @Nullable FailureCode ofBusCode(int busCode) {
    for (FailureCode each : values()) {
      if (each.busCode == busCode) {
        return each;
      }
    }
    return null;
  }

  public int httpStatus() {
    return httpStatus;
  }

  /** The JSON-RPC error code. For {@link #UPSTREAM_ERROR}, use the server's own code instead. */
  public int jsonRpcCode() {
    return jsonRpcCode;
  }

  /** One sentence, the same for every occurrence: the {@code title} of a problem document. */
  public String title() {
    return title;
  }

  /** The {@code failureCode} of the bus's {@code ReplyException}; stable across versions. */
  public int busCode() {
    return busCode;
  }
}
