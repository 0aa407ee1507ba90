package dev.mcpbus.cli;

import dev.mcpbus.protocol.Printable;

/** Text in a cell of a table: its width on a terminal, and cutting it. Stateless. */
final class CellText {

  private CellText() {}

  /** One printable line: foreign text cannot control the terminal, line breaks become spaces. */
  static String clean(String text) {
    return Printable.line(Printable.joined(text, " ").replace('\t', ' '));
  }

  /** The columns that the text takes: two for wide letters, none for marks on other letters. */
  static int width(String text) {
    int width = 0;
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      width += width(point);
      i += Character.charCount(point);
    }
    return width;
  }

  private static int width(int point) {
    if (point < 0x300) {
      return 1;
    }
    int type = Character.getType(point);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    return isWide(point) ? 2 : 1;
  }

  /** Ideographs, kana, Hangul, full-width forms and emoji (Unicode, East Asian Width). */
  private static boolean isWide(int point) {
    return (point >= 0x1100 && point <= 0x115F)
        || (point >= 0x2E80 && point <= 0xA4CF)
        || (point >= 0xAC00 && point <= 0xD7A3)
        || (point >= 0xF900 && point <= 0xFAFF)
        || (point >= 0xFE30 && point <= 0xFE6F)
        || (point >= 0xFF00 && point <= 0xFF60)
        || (point >= 0xFFE0 && point <= 0xFFE6)
        || (point >= 0x1F300 && point <= 0x1FAFF)
        || (point >= 0x20000 && point <= 0x3FFFD);
  }

  /**
   * At most {@code columns} wide; a text that is cut ends with {@code end}.
   *
   * @param end for example an ellipsis
   */
  static String cut(String text, int columns, String end) {
    if (width(text) <= columns) {
      return text;
    }
    StringBuilder kept = new StringBuilder();
    int left = columns - end.length();
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      left -= width(point);
      if (left < 0) {
        break;
      }
      kept.appendCodePoint(point);
      i += Character.charCount(point);
    }
    return kept.toString().stripTrailing() + end;
  }
}
