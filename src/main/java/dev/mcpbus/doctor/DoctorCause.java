package dev.mcpbus.doctor;

/**
 * Why a server does not work, as {@code mcpbus doctor} names it. The names are stable: programs
 * read them from {@code --json} and from the reply of {@code mcp.servers.examine}.
 */
public enum DoctorCause {
  // What the configuration says, or this machine lacks: a person has to correct it.
  CONFIG_PROBLEM(CauseKind.CONFIGURATION),
  VARIABLE_UNSET(CauseKind.CONFIGURATION),
  ENV_FILE_UNUSABLE(CauseKind.CONFIGURATION),
  PLACEHOLDER_VALUE(CauseKind.CONFIGURATION),
  COMMAND_NOT_FOUND(CauseKind.CONFIGURATION),
  COMMAND_NOT_EXECUTABLE(CauseKind.CONFIGURATION),
  INTERPRETER_NOT_FOUND(CauseKind.CONFIGURATION),
  DIRECTORY_NOT_FOUND(CauseKind.CONFIGURATION),
  FILE_NOT_FOUND(CauseKind.CONFIGURATION),
  BAD_URL(CauseKind.CONFIGURATION),
  WRONG_ARGUMENTS(CauseKind.CONFIGURATION),
  VARIABLE_MISSING(CauseKind.CONFIGURATION),
  WAITS_FOR_A_PERSON(CauseKind.CONFIGURATION),
  NEEDS_NO_TERMINAL(CauseKind.CONFIGURATION),
  LEADS_BACK(CauseKind.CONFIGURATION),
  TOOLS_ONLY(CauseKind.CONFIGURATION),
  // The process: it ends before it speaks, or it speaks something else.
  MODULE_NOT_FOUND(CauseKind.UNREACHABLE),
  PACKAGE_NOT_FOUND(CauseKind.UNREACHABLE),
  CACHE_BROKEN(CauseKind.UNREACHABLE),
  REGISTRY_UNREACHABLE(CauseKind.UNREACHABLE),
  RUNTIME_TOO_OLD(CauseKind.UNREACHABLE),
  SYNTAX_ERROR(CauseKind.UNREACHABLE),
  LIBRARY_MISSING(CauseKind.UNREACHABLE),
  WRONG_ARCHITECTURE(CauseKind.UNREACHABLE),
  PERMISSION_DENIED(CauseKind.UNREACHABLE),
  PORT_IN_USE(CauseKind.UNREACHABLE),
  OUT_OF_MEMORY(CauseKind.UNREACHABLE),
  DOCKER_NOT_RUNNING(CauseKind.UNREACHABLE),
  IMAGE_NOT_FOUND(CauseKind.UNREACHABLE),
  EXITED_AT_ONCE(CauseKind.UNREACHABLE),
  CRASHED(CauseKind.UNREACHABLE),
  KILLED(CauseKind.UNREACHABLE),
  LOGS_ON_STDOUT(CauseKind.UNREACHABLE),
  WRONG_FRAMING(CauseKind.UNREACHABLE),
  NOT_MCP(CauseKind.UNREACHABLE),
  SERVES_HTTP(CauseKind.UNREACHABLE),
  // The way to a server on a network.
  HOST_NOT_FOUND(CauseKind.UNREACHABLE),
  CONNECTION_REFUSED(CauseKind.UNREACHABLE),
  CONNECT_TIMEOUT(CauseKind.UNREACHABLE),
  NO_ROUTE(CauseKind.UNREACHABLE),
  PROXY_REFUSED(CauseKind.UNREACHABLE),
  TLS_CERTIFICATE_EXPIRED(CauseKind.UNREACHABLE),
  TLS_CERTIFICATE_NOT_YET_VALID(CauseKind.UNREACHABLE),
  TLS_WRONG_HOST(CauseKind.UNREACHABLE),
  TLS_SELF_SIGNED(CauseKind.UNREACHABLE),
  TLS_UNKNOWN_AUTHORITY(CauseKind.UNREACHABLE),
  TLS_NOT_SPOKEN(CauseKind.UNREACHABLE),
  TLS_WANTED(CauseKind.UNREACHABLE),
  TLS_CLIENT_CERTIFICATE(CauseKind.UNREACHABLE),
  TLS_FAILED(CauseKind.UNREACHABLE),
  NOT_HTTP(CauseKind.UNREACHABLE),
  WRONG_PATH(CauseKind.UNREACHABLE),
  HTML_PAGE(CauseKind.UNREACHABLE),
  REDIRECTED(CauseKind.UNREACHABLE),
  SERVER_ERROR(CauseKind.UNREACHABLE),
  RATE_LIMITED(CauseKind.UNREACHABLE),
  // The protocol.
  NO_ANSWER(CauseKind.UNREACHABLE),
  INITIALIZE_REFUSED(CauseKind.UNREACHABLE),
  UNSUPPORTED_VERSION(CauseKind.UNREACHABLE),
  LIST_FAILED(CauseKind.UNREACHABLE),
  PING_FAILED(CauseKind.UNREACHABLE),
  CONNECTION_LOST(CauseKind.UNREACHABLE),
  FAILED_OTHERWISE(CauseKind.UNREACHABLE),
  // Who one is.
  LOGIN_REQUIRED(CauseKind.LOGIN),
  CREDENTIALS_MISSING(CauseKind.LOGIN),
  CREDENTIALS_REFUSED(CauseKind.LOGIN),
  FORBIDDEN(CauseKind.LOGIN),
  // What a server does wrong without failing.
  STDOUT_JUNK(CauseKind.NOTE),
  TOOLS_LEFT_OUT(CauseKind.NOTE),
  DUPLICATE_TOOLS(CauseKind.NOTE),
  QUIRKS(CauseKind.NOTE),
  DOES_NOT_END(CauseKind.NOTE);

  /** What kind of cause it is: the exit code of the command derives from it. */
  public enum CauseKind {
    /** The configuration or the machine of mcpbus: a person corrects it. */
    CONFIGURATION,
    /** The server does not work, or cannot be reached. */
    UNREACHABLE,
    /** A login or a right is missing. */
    LOGIN,
    /** The server works all the same. */
    NOTE
  }

  private final CauseKind kind;

  DoctorCause(CauseKind kind) {
    this.kind = kind;
  }

  public CauseKind kind() {
    return kind;
  }
}
