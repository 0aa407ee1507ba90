package dev.mcpbus.bus;

/**
 * Why a connection wants a new session. The supervisor counts a {@link FailedHealthCheck} as a
 * failure of the server, with back-off and restart intensity; a {@link Request} costs nothing and
 * takes effect at once. Immutable.
 */
public sealed interface RestartReason {

  /** The reason for people: in the log, and in the failures of the calls that the restart ends. */
  String text();

  /** A reason that is no failure of the server. */
  enum Request implements RestartReason {
    /** A message at {@link Addresses#RESTART}. */
    CALLER("a caller asked for it"),

    /** A message at {@link Addresses#CONNECT} after the supervisor gave up. */
    CONNECT("a caller asked to connect"),

    /** The {@code initialize} era announces capabilities once for each session. */
    NEW_CAPABILITIES("callers can now answer more than the server was told"),

    /** The server refused the protocol version that it accepted before. */
    NEW_VERSIONS("the server changed its protocol versions");

    private final String text;

    Request(String text) {
      this.text = text;
    }

    @Override
    public String text() {
      return text;
    }
  }

  /**
   * The health check failed too often.
   *
   * @param failures how many checks have failed in a row
   * @param last what the last check reported
   */
  record FailedHealthCheck(int failures, String last) implements RestartReason {

    @Override
    public String text() {
      return "health check: " + failures + " failed in a row; " + last;
    }
  }
}
