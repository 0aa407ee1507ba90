package dev.mcpbus.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a parser. Immutable.
 *
 * @param root null if the text cannot be parsed
 * @param mistakes syntax errors, repeated keys, refused constructs
 */
record ParsedText(@Nullable ConfigNode root, List<Mistake> mistakes) {

  /** Bounds of both parsers, far above any real configuration. */
  static final int MAX_BYTES = 8 * 1024 * 1024;

  static final int MAX_DEPTH = 32;
  static final int MAX_NODES = 500_000;

  /** A mistake at a line. */
  record Mistake(int line, String message, String remedy) {}

  ParsedText {
    mistakes = List.copyOf(mistakes);
  }

  static ParsedText broken(int line, String message, String remedy) {
    return new ParsedText(null, List.of(new Mistake(line, message, remedy)));
  }

  /** A parser's message, on one line, without quoted words of the file, which may be secrets. */
  static String withoutQuotes(@Nullable String message) {
    if (message == null) {
      return "";
    }
    String line = message.lines().findFirst().orElse("");
    return line.replaceAll("'[^']{2,}'", "(...)")
        .replaceAll("\"[^\"]{2,}\"", "(...)")
        .replaceAll("undefined alias .*", "undefined alias");
  }
}
