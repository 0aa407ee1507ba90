package dev.mcpbus.config.read;

import dev.mcpbus.config.read.ParsedText.Mistake;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Explains the first syntax error in JSON with comments and trailing commas, in words for a person.
 * {@link JsoncParser} reads; this class looks at a text only after that has failed, because a
 * parser reports where it stopped, and a person wants to know what is missing before that. Quotes
 * no value of the text. Owned by one read.
 */
final class JsonSyntax {

  private static final int MAX_DEPTH = 2 * ParsedText.MAX_DEPTH;

  private static final Pattern LITERAL =
      Pattern.compile("true|false|null|-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");

  private static final Pattern LIKE_NUMBER = Pattern.compile("[+-]?[.\\d][\\w.+-]*");

  private final String text;
  private int at;

  /** The offset behind the last token. */
  private int lastEnd;

  private JsonSyntax(String text) {
    this.text = text;
  }

  /** Ends the search: the first error was found. */
  private static final class FirstError extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final transient @Nullable Mistake mistake;

    FirstError(@Nullable Mistake mistake) {
      super(null, null, false, false);
      this.mistake = mistake;
    }
  }

  /** The first error; empty if this class finds none. */
  static Optional<Mistake> mistake(String text) {
    JsonSyntax syntax = new JsonSyntax(text);
    try {
      syntax.document();
      return Optional.empty();
    } catch (FirstError e) {
      return Optional.ofNullable(e.mistake);
    }
  }

  private void document() {
    value(0, "the file");
    char next = peek();
    if (next == '}' || next == ']') {
      throw found(at, "one " + next + " too many: the file has ended before it", "Remove it");
    }
    if (next != 0) {
      throw found(at, "something follows the end of the JSON", "Remove it");
    }
  }

  /**
   * @param after what the value belongs to, for a message
   */
  private void value(int depth, String after) {
    if (depth > MAX_DEPTH) {
      throw new FirstError(null);
    }
    char c = peek();
    switch (c) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      case 0 -> throw found(at, "the file ends where a value must stand", "Write the value");
      case '}', ']', ',' -> throw found(at, "the value of " + after + " is missing", "Write it");
      default -> word(c);
    }
    lastEnd = at;
  }

  private void object(int depth) {
    int open = at++;
    while (true) {
      char c = peek();
      if (c == '}') {
        at++;
        return;
      }
      key(c, open);
      char colon = peek();
      if (colon != ':') {
        throw found(
            at,
            colon == '='
                ? "an equals sign stands where a colon must stand"
                : colon == ',' || colon == '}'
                    ? "this key has no value"
                    : "a colon is missing after the key",
            "Write \"key\": value");
      }
      at++;
      value(depth + 1, "this key");
      if (!hasNext(open, '}')) {
        return;
      }
    }
  }

  private void key(char c, int open) {
    if (c == '"') {
      string();
      lastEnd = at;
    } else if (c == 0 || c == ']') {
      throw unclosed(open, c);
    } else if (c == ',') {
      throw found(at, "a comma stands here without an entry before it", "Remove it");
    } else if (c == '{' || c == '[') {
      throw found(at, "a key must stand before this " + c, "Write \"name\": " + c);
    } else {
      throw strange(c, "a key must stand here, in double quotes");
    }
  }

  private void array(int depth) {
    int open = at++;
    while (true) {
      char c = peek();
      if (c == ']') {
        at++;
        return;
      }
      if (c == 0 || c == '}') {
        throw unclosed(open, c);
      }
      if (c == ',') {
        throw found(at, "a comma stands here without a value before it", "Remove it");
      }
      value(depth + 1, "the list");
      if (!hasNext(open, ']')) {
        return;
      }
    }
  }

  /** Takes the comma, or the end of the object or list. */
  private boolean hasNext(int open, char close) {
    int end = lastEnd;
    char c = peek();
    if (c == ',' || c == close) {
      at++;
      return c == ',';
    }
    if (c == 0 || c == '}' || c == ']') {
      throw unclosed(open, c);
    }
    if (c == ':' && close == ']') {
      throw found(at, "a colon stands in a list", "Write { } in place of [ ], or remove the key");
    }
    if (c == '"' || c == '{' || c == '[' || Character.isLetterOrDigit(c)) {
      throw found(end - 1, "a comma is missing after this place", "Add a comma");
    }
    throw strange(c, "a comma or " + close + " must stand here");
  }

  private FirstError unclosed(int open, char met) {
    char bracket = text.charAt(open);
    char close = bracket == '{' ? '}' : ']';
    if (met == 0) {
      return found(
          open,
          "this "
              + bracket
              + " is not closed: the file ends on line "
              + TextPlace.of(text, at).line(),
          "Add the missing " + close);
    }
    return found(
        at,
        "a " + met + " stands here, but the " + bracket + " of " + place(open) + " is open",
        "Write " + close + " in its place, or remove it");
  }

  private void string() {
    int open = at++;
    while (true) {
      char c = at < text.length() ? text.charAt(at) : '\n';
      if (c == '"') {
        at++;
        return;
      }
      if (c == '\n' || c == '\r') {
        throw found(
            open, "the text that begins here is not closed on its line", "Add the closing quote");
      }
      if (c < 0x20) {
        throw found(
            at,
            c == '\t' ? "a tab stands inside a text" : "a control character stands inside a text",
            c == '\t' ? "Write \\t" : "Remove it");
      }
      at += c == '\\' ? escape() : 1;
    }
  }

  /** The length of the escape at {@code at}. */
  private int escape() {
    char c = at + 1 < text.length() ? text.charAt(at + 1) : 0;
    if (c == 'u'
        && at + 6 <= text.length()
        && text.substring(at + 2, at + 6).matches("\\p{XDigit}{4}")) {
      return 6;
    }
    if (c != 0 && "\"\\/bfnrt".indexOf(c) >= 0) {
      return 2;
    }
    throw found(
        at,
        "a backslash inside a text begins an escape, and this is none",
        "Write two backslashes, or / in a path");
  }

  private void word(char c) {
    int start = at;
    while (at < text.length() && isWord(text.charAt(at))) {
      at++;
    }
    String word = text.substring(start, at);
    if (!LITERAL.matcher(word).matches()) {
      at = start;
      throw notAValue(c, word);
    }
  }

  private FirstError notAValue(char c, String word) {
    switch (word.toLowerCase(Locale.ROOT)) {
      case "true", "false", "null" -> {
        return found(at, "JSON writes this word in lower case", "Write true, false or null");
      }
      case "none", "nil", "undefined", "nan" -> {
        return found(at, "JSON has no such value", "Write null, or remove the key");
      }
      case "yes", "no", "on", "off" -> {
        return found(at, "JSON has no such value", "Write true or false");
      }
      default -> {
        return LIKE_NUMBER.matcher(word).matches()
            ? found(at, "this is not a number in JSON's form", "Write it as 12, 0.5 or a text")
            : strange(c, "a value must stand here; texts stand in double quotes");
      }
    }
  }

  /** For a character that cannot begin what must stand here. */
  private FirstError strange(char c, String must) {
    return switch (c) {
      case '\'' -> found(at, "JSON has no single quotes", "Write double quotes");
      case '\u201c', '\u201d', '\u201e', '\u2018', '\u2019' ->
          found(at, "a typographic quote stands here", "Write a plain double quote: \"");
      case '#' -> found(at, "# begins no comment in JSON", "Write // before a comment");
      case '<' -> found(at, "this is not JSON but looks like HTML or XML", "Save it as JSON");
      default -> found(at, must, "Correct it; comments and trailing commas are allowed");
    };
  }

  private static boolean isWord(char c) {
    return Character.isLetterOrDigit(c) || "+-._$".indexOf(c) >= 0;
  }

  /** The next character that is neither blank nor comment; 0 at the end. */
  private char peek() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        at++;
      } else if (text.startsWith("//", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at + 2);
        if (end < 0) {
          throw found(at, "the comment that begins here is not closed", "Add */");
        }
        at = end + 2;
      } else {
        return c == 0 ? ' ' : c;
      }
    }
    return 0;
  }

  private String place(int offset) {
    TextPlace place = TextPlace.of(text, offset);
    return "line " + place.line() + ", column " + place.column();
  }

  private FirstError found(int offset, String message, String remedy) {
    TextPlace place = TextPlace.of(text, Math.max(0, Math.min(offset, text.length())));
    return new FirstError(
        new Mistake(
            place.line(), place.column(), message, remedy, JsonExcerpt.of(text, place.offset())));
  }
}
