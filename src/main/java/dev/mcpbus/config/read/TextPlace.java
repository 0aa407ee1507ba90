package dev.mcpbus.config.read;

/**
 * A place in a text. Immutable.
 *
 * @param offset from 0
 * @param line from 1
 * @param column from 1, in characters
 */
record TextPlace(int offset, int line, int column) {

  static TextPlace of(String text, int offset) {
    int line = 1;
    int start = 0;
    for (int at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
      line++;
      start = at + 1;
    }
    return new TextPlace(offset, line, offset - start + 1);
  }

  /** The line of the text without its line break. */
  static String lineAt(String text, int offset) {
    int start = offset == 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
    int end = text.indexOf('\n', offset);
    return text.substring(start, end < 0 ? text.length() : end).replace("\r", "");
  }
}
