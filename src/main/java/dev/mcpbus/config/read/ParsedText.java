package dev.mcpbus.config.read;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a parser. Immutable.
 *
 * @param root null if the text cannot be parsed
 * @param mistakes syntax errors, repeated keys, refused constructs
 */
public record ParsedText(@Nullable ConfigNode root, List<Mistake> mistakes) {

  /** Bounds of both parsers, far above any real configuration. */
  static final int MAX_BYTES = 8 * 1024 * 1024;

  static final int MAX_DEPTH = 32;
  static final int MAX_NODES = 500_000;

  /**
   * A mistake at a place.
   *
   * @param column from 1, 0 if unknown
   * @param excerpt the line and a caret, without values; empty for none
   */
  public record Mistake(int line, int column, String message, String remedy, String excerpt) {
    Mistake(int line, String message, String remedy) {
      this(line, 0, message, remedy, "");
    }
  }

  public ParsedText {
    mistakes = List.copyOf(mistakes);
  }

  static ParsedText broken(int line, String message, String remedy) {
    return broken(new Mistake(line, message, remedy));
  }

  static ParsedText broken(Mistake mistake) {
    return new ParsedText(null, List.of(mistake));
  }
}
