package dev.mcpbus.protocol;

import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * Makes text of a peer safe to show to a person. Characters that control a terminal, change the
 * direction of a line or are invisible become an escape, {@code \\u202e}; so does a lone surrogate.
 * Stateless.
 */
public final class Printable {

  /** Precedes every line after the first, so that it cannot be mistaken for a line of its own. */
  private static final String CONTINUED = "    ";

  private static final int QUOTED = 80;

  private static final HexFormat HEX = HexFormat.of();

  private Printable() {}

  /** Returns one line: a line break becomes {@code \n}. */
  public static String line(String text) {
    return escaped(text, false);
  }

  /**
   * Returns several lines of our own text that contains text of peers: every line but the first is
   * indented, and a line break at the end stays.
   */
  public static String lines(String text) {
    return escaped(text, true);
  }

  /**
   * Returns one line of a text of several, {@code between} in place of its line breaks, empty lines
   * and the white space around them. It escapes nothing. Takes a time proportional to the text.
   */
  public static String joined(String text, String between) {
    return text.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining(between));
  }

  /** Text for a message, in quotes: its first 80 characters, and ? for what is not plain ASCII. */
  public static String quoted(String text) {
    String head = text.length() > QUOTED ? text.substring(0, QUOTED) + "..." : text;
    StringBuilder out = new StringBuilder(head.length() + 2).append('\'');
    head.chars().forEach(c -> out.append(isPlain((char) c) ? (char) c : '?'));
    return out.append('\'').toString();
  }

  private static String escaped(String text, boolean several) {
    int clean = 0;
    while (clean < text.length() && isPlain(text.charAt(clean))) {
      clean++;
    }
    if (clean == text.length()) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, clean);
    for (int i = clean; i < text.length(); ) {
      int point = text.codePointAt(i);
      int next = i + Character.charCount(point);
      if (several && point == '\n') {
        out.append('\n').append(next < text.length() ? CONTINUED : "");
      } else if (several && (point == '\t' || (point == '\r' && text.startsWith("\n", next)))) {
        out.append(point == '\t' ? "\t" : "");
      } else if (point == '\n' || point == '\r') {
        out.append(point == '\n' ? "\\n" : "\\r");
      } else if (isHidden(point)) {
        for (int at = i; at < next; at++) {
          out.append("\\u").append(HEX.toHexDigits(text.charAt(at)));
        }
      } else {
        out.appendCodePoint(point);
      }
      i = next;
    }
    return out.toString();
  }

  private static boolean isPlain(char c) {
    return c >= 0x20 && c < 0x7F;
  }

  /** Whether a person would not see this character, or whether it changes the order of others. */
  public static boolean isHidden(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          true;
      default -> isFiller(point);
    };
  }

  /**
   * Letters and marks without a visible shape: variation selectors, joiners, fillers, blank
   * Braille.
   */
  private static boolean isFiller(int point) {
    return (point >= 0xFE00 && point <= 0xFE0F)
        || (point >= 0xE0100 && point <= 0xE01EF)
        || (point >= 0x180B && point <= 0x180F)
        || point == 0x034F
        || point == 0x115F
        || point == 0x1160
        || point == 0x2800
        || point == 0x3164
        || point == 0xFFA0;
  }
}
