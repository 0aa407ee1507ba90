package dev.mcpbus.observability;

import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.json.Json;
import java.util.List;
import java.util.Set;

/**
 * Removes secrets from a text that is meant for people: the values of members whose names look
 * secret, and every occurrence of known values, plain, escaped, Base64 or URL-encoded. Never fails,
 * even if the text is not JSON or is cut. Immutable.
 */
final class SecretMask {

  /** JSON inside a string inside JSON, and so on: masked down to this depth. */
  private static final int MAX_DEPTH = 4;

  /** Parts of a member's name, without case, hyphens and underscores. */
  private static final List<String> NAMES =
      List.of(
          "authorization",
          "token",
          "secret",
          "password",
          "passwd",
          "passphrase",
          "apikey",
          "cookie",
          "privatekey",
          "credential");

  /** Members of MCP whose names look secret and are not. */
  private static final Set<String> HARMLESS = Set.of("progresstoken", "maxtokens");

  private final Redactor values;

  SecretMask(Redactor values) {
    this.values = values;
  }

  /**
   * @param text JSON, or the start of it
   * @param cut true if the text was cut at its end: then a value that might be the start of a
   *     secret is left out
   */
  String mask(String text, boolean cut) {
    return values.redact(new Walk(text, cut, 0).run());
  }

  /** Masks the decoded text of one string. */
  private String maskString(String text, boolean cut, int depth) {
    String out = values.redact(text);
    if (cut) {
      out = out.substring(0, Math.max(0, out.length() - values.longest()));
    }
    String start = out.stripLeading();
    boolean nested = start.startsWith("{") || start.startsWith("[");
    return nested && depth < MAX_DEPTH ? new Walk(out, cut, depth + 1).run() : out;
  }

  static boolean looksSecret(String name) {
    StringBuilder plain = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (Character.isLetterOrDigit(c)) {
        plain.append(Character.toLowerCase(c));
      }
    }
    String folded = plain.toString();
    return !HARMLESS.contains(folded) && NAMES.stream().anyMatch(folded::contains);
  }

  /**
   * One pass over a text by its strings and brackets. It does not parse the grammar, so no input
   * makes it fail.
   */
  private final class Walk {

    private final String text;
    private final boolean cut;
    private final int depth;
    private final StringBuilder out;
    private int position;

    Walk(String text, boolean cut, int depth) {
      this.text = text;
      this.cut = cut;
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
          // A number or word that may have been cut is left out.
          boolean broken = cut && position == text.length();
          out.append(text, from, broken ? endOfPunctuation(from) : position);
        }
      }
      return out.toString();
    }

    private int endOfPunctuation(int from) {
      int p = text.length();
      while (p > from && "{}[],: \n\r\t".indexOf(text.charAt(p - 1)) < 0) {
        p--;
      }
      return p;
    }

    private void skipPlain() {
      int quote = text.indexOf('"', position);
      position = quote < 0 ? text.length() : quote;
    }

    private void string() {
      int from = position;
      boolean closed = skipString();
      String raw = text.substring(from + 1, closed ? position - 1 : position);
      String plain = JsonEscapes.unescape(raw);
      String masked = maskString(plain, cut && !closed, depth);
      if (masked.equals(plain)) {
        out.append(text, from, position);
      } else {
        out.append(Json.encode(masked));
      }
      int colon = skipBlanks(position);
      if (closed && colon < text.length() && text.charAt(colon) == ':' && looksSecret(plain)) {
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
