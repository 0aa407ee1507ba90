package dev.mcpbus.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a parser made of a text.
 *
 * @param root null where the text is broken
 * @param mistakes of syntax: broken text, keys given twice, what is refused on principle
 */
record ParsedText(@Nullable ConfigNode root, List<Mistake> mistakes) {

  /** Bounds for both parsers: no configuration is near them, an attack passes them. */
  static final int MAX_BYTES = 8 * 1024 * 1024;

  static final int MAX_DEPTH = 32;
  static final int MAX_NODES = 500_000;

  /** A mistake of syntax, at a line. */
  record Mistake(int line, String message, String remedy) {}

  ParsedText {
    mistakes = List.copyOf(mistakes);
  }

  static ParsedText broken(int line, String message, String remedy) {
    return new ParsedText(null, List.of(new Mistake(line, message, remedy)));
  }

  /**
   * A parser's own message without the words of the file that it quotes, which may be secrets, and
   * on one line.
   */
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
