package dev.mcpbus.server;

/** Turns a failure into a text for a client. */
final class ServerFailures {

  private static final int LONGEST = 500;

  private ServerFailures() {}

  /** {@link #text} after the name of the class, which says what a text such as a path does not. */
  static String named(Throwable failure) {
    String name = failure.getClass().getSimpleName();
    String text = text(failure);
    return text.equals(name) ? name : name + ": " + text;
  }

  /**
   * The first line of the failure's message, bounded; the simple class name if there is no message.
   * Never a stack.
   */
  static String text(Throwable failure) {
    String message;
    try {
      message = failure.getMessage();
    } catch (Throwable alsoFailed) {
      message = null;
    }
    if (message == null || message.isBlank()) {
      return failure.getClass().getSimpleName();
    }
    String line = message.strip().lines().findFirst().orElse("");
    return line.length() > LONGEST ? line.substring(0, LONGEST) + "..." : line;
  }
}
