package dev.mcpbus.transparency;

/**
 * One thing that a server said.
 *
 * @param step what the client was doing when it came
 * @param kind what it is
 * @param method of the request that it answers, or its own
 * @param bytes {@code result}, {@code error} or {@code params} as it stands in the message; empty
 *     where the server did not answer
 */
record Heard(String step, Kind kind, String method, String bytes) {

  /** Marks the step after the handshake, before the first call. */
  static final String AT_START = "at the start";

  enum Kind {
    RESULT,
    ERROR,
    /** No answer came, as after a cancel. */
    NONE,
    NOTIFICATION,
    QUESTION
  }

  /** A log message that no call can have caused. */
  boolean isLogOfStart() {
    return method.equals("notifications/message")
        && (step.equals("handshake") || step.endsWith(AT_START));
  }

  boolean isAnswer() {
    return kind == Kind.RESULT || kind == Kind.ERROR || kind == Kind.NONE;
  }
}
