package dev.mcpbus.server;

/** How a failure reads to a client. */
final class ServerFailures {

  private static final int LONGEST = 500;

  private ServerFailures() {}

  /** The first line of its message, bounded; its kind where it has none. Never a stack. */
  static String text(Throwable failure) {
    String message = failure.getMessage();
    if (message == null || message.isBlank()) {
      return failure.getClass().getSimpleName();
    }
    String line = message.strip().lines().findFirst().orElse("");
    return line.length() > LONGEST ? line.substring(0, LONGEST) + "..." : line;
  }
}
