package dev.mcpbus.transport;

import dev.mcpbus.protocol.PublicApi;

/**
 * Takes the lines that a server writes and that are no messages of MCP. Any thread may call. The
 * lines are as the server wrote them: not masked, and perhaps not printable.
 */
@PublicApi
@FunctionalInterface
public interface OutputListener {

  /** Takes nothing. */
  OutputListener NONE = (from, text, isCut) -> {};

  /** The bytes that are kept of one line; the rest of a longer one is dropped. */
  int MAX_LINE_BYTES = 2_048;

  /** The stream of a child process that a line came from. */
  enum OutputStreamName {
    STDERR("stderr"),
    STDOUT("stdout");

    private final String text;

    OutputStreamName(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * One line.
   *
   * @param text without its line break; belongs to the listener
   * @param isCut whether the line went on beyond {@link #MAX_LINE_BYTES}
   */
  void line(OutputStreamName from, byte[] text, boolean isCut);

  /** So many lines were dropped because they came faster than lines are kept. */
  default void skipped(long lines) {}
}
