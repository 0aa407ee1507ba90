package dev.mcpbus.observability;

import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.SecretRules;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.SpelledText;
import io.vertx.core.json.Json;

/**
 * Removes secrets from a text that is meant for people: what a {@link Redactor} knows, and the
 * values of members whose names are secret ({@link SecretRules}). Never fails, even if the text is
 * not JSON or is cut. Immutable.
 */
final class SecretMask {

  /** JSON inside a string inside JSON, and so on: masked down to this depth. */
  private static final int MAX_DEPTH = 4;

  private final Redactor values;

  SecretMask(Redactor values) {
    this.values = values;
  }

  /**
   * @param text JSON, or the start of it
   * @param cut true if the text was cut at its end: then what might be the start of a secret is
   *     left out
   */
  String mask(String text, boolean cut) {
    String known = values.redact(text);
    int end = cut ? Math.max(0, known.length() - values.longest()) : known.length();
    return new Walk(known.substring(0, end), 0).run();
  }

  /** Masks the decoded text of one string. */
  private static String maskString(String text, int depth) {
    String start = text.stripLeading();
    boolean nested = start.startsWith("{") || start.startsWith("[");
    return nested && depth < MAX_DEPTH ? new Walk(text, depth + 1).run() : text;
  }

  /**
   * One pass over a text by its strings and brackets. It does not parse the grammar, so no input
   * makes it fail.
   */
  private static final class Walk {

    private final String text;
    private final int depth;
    private final StringBuilder out;
    private int position;

    Walk(String text, int depth) {
      this.text = text;
      this.depth = depth;
      this.out = new StringBuilder(text.length());
    }

    String run() {
      while (position < text.length()) {
        if (text.charAt(position) == '"') {
          string();
        } else {
          int from = position;
          skipPlain();
          out.append(text, from, position);
        }
      }
      return out.toString();
    }

    private void skipPlain() {
      int quote = text.indexOf('"', position);
      position = quote < 0 ? text.length() : quote;
    }

    private void string() {
      int from = position;
      boolean closed = skipString();
      String raw = text.substring(from + 1, closed ? position - 1 : position);
      String plain = SpelledText.read(raw);
      String masked = maskString(plain, depth);
      if (masked.equals(plain)) {
        out.append(text, from, position);
      } else {
        out.append(Json.encode(masked));
      }
      int colon = skipBlanks(position);
      if (closed
          && colon < text.length()
          && text.charAt(colon) == ':'
          && SecretRules.isSecret(plain)) {
        int value = skipBlanks(colon + 1);
        out.append(text, position, value).append('"').append(Sensitive.MASK).append('"');
        position = value;
        skipValue();
      }
    }

    /** Skips one string; true if the string has an end. */
    private boolean skipString() {
      position++;
      while (position < text.length()) {
        char c = text.charAt(position);
        position += c == '\\' ? 2 : 1;
        if (c == '"') {
          return true;
        }
      }
      position = text.length();
      return false;
    }

    private int skipBlanks(int from) {
      int p = from;
      while (p < text.length() && Character.isWhitespace(text.charAt(p))) {
        p++;
      }
      return p;
    }

    private void skipValue() {
      int open = 0;
      while (position < text.length()) {
        char c = text.charAt(position);
        if (c == '"') {
          skipString();
          if (open == 0) {
            return;
          }
          continue;
        }
        if (open == 0 && (c == ',' || c == '}' || c == ']')) {
          return;
        }
        open += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        position++;
        if (open == 0 && (c == '}' || c == ']')) {
          return;
        }
      }
    }
  }
}
