package dev.mcpbus.config.read;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Shows the line of a syntax error with a caret under the place. Keys and punctuation stay; every
 * value becomes {@code ***}, because it may be a secret, and comments are left out. Stateless.
 */
final class JsonExcerpt {

  private static final int BEFORE = 50;
  private static final int AFTER = 20;

  /** A text that a colon follows, any other text, a word, a comment. */
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<key>\"(?:[^\"\\\\]|\\\\.){0,60}\"(?=\\s*:))|\"(?:[^\"\\\\]|\\\\.)*+(?<close>\"?)"
              + "|(?<word>[^\\s{}\\[\\]:,\"]+)");

  private JsonExcerpt() {}

  /** Two lines; empty for an empty line. */
  static String of(String text, int offset) {
    String line = TextPlace.lineAt(text, offset);
    int column = TextPlace.of(text, offset).column() - 1;
    if (line.isBlank()) {
      return "";
    }
    StringBuilder shown = new StringBuilder();
    int caret = -1;
    int from = 0;
    Matcher token = TOKEN.matcher(line);
    while (token.find()) {
      if (column < token.start() && caret < 0) {
        caret = shown.length() + column - from;
      }
      shown.append(line, from, token.start());
      if (token.group().startsWith("//") || token.group().startsWith("/*")) {
        return marked(shown, caret < 0 ? shown.length() : caret);
      }
      int before = shown.length();
      shown.append(masked(token));
      if (caret < 0 && column < token.end()) {
        boolean last = column == token.end() - 1;
        caret =
            last
                ? shown.length() - 1
                : token.group("key") == null ? before : before + column - token.start();
      }
      from = token.end();
    }
    if (caret < 0) {
      caret = shown.length() + Math.max(0, column - from);
    }
    return marked(shown.append(line, from, line.length()), caret);
  }

  private static String masked(Matcher token) {
    if (token.group("key") != null) {
      return token.group();
    }
    String word = token.group("word");
    if (word == null) {
      return "\"***" + token.group("close");
    }
    return word.matches("true|false|null|\\d{1,5}") ? word : "***";
  }

  private static String marked(CharSequence line, int caret) {
    String text = line.toString().replace('\t', ' ').stripTrailing();
    int start = Math.max(0, caret - BEFORE);
    int end = Math.min(text.length(), caret + AFTER);
    String head = start > 0 ? "..." : "";
    String window = start < end ? text.substring(start, end) : "";
    return head
        + window
        + (end < text.length() ? "..." : "")
        + "\n"
        + " ".repeat(head.length() + caret - start)
        + "^";
  }
}
