package dev.mcpbus.directory;

import java.util.ArrayList;
import java.util.List;

/**
 * Which URIs a template (RFC 6570) may expand to: its literal parts, in order. An expression counts
 * as any text, because not every client encodes what it fills in. A comparison takes time in
 * proportion to the lengths, whatever a server writes. Immutable.
 */
final class UriTemplate {

  /** Characters; longer URIs are expansions of no template with an expression. */
  private static final int MAX_URI = 4_096;

  private final List<String> literals = new ArrayList<>();

  UriTemplate(String text) {
    int from = 0;
    while (true) {
      int brace = text.indexOf('{', from);
      int end = brace < 0 ? -1 : text.indexOf('}', brace);
      if (end < 0) {
        literals.add(text.substring(from));
        return;
      }
      literals.add(text.substring(from, brace));
      from = end + 1;
    }
  }

  /** The text before the first expression; all of it if there is none. */
  String prefix() {
    return literals.get(0);
  }

  private String suffix() {
    return literals.get(literals.size() - 1);
  }

  private boolean isLiteral() {
    return literals.size() == 1;
  }

  boolean matches(String uri) {
    if (isLiteral()) {
      return uri.equals(prefix());
    }
    if (uri.length() > MAX_URI
        || !uri.startsWith(prefix())
        || !uri.endsWith(suffix())
        || uri.length() < prefix().length() + suffix().length()) {
      return false;
    }
    int at = prefix().length();
    int end = uri.length() - suffix().length();
    for (String literal : literals.subList(1, literals.size() - 1)) {
      at = endOf(literal, uri, at, end);
      if (at < 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * The end of the first {@code literal} between two places; -1 if there is none. By Knuth, Morris
   * and Pratt: {@code String.indexOf} may take the product of both lengths.
   */
  private static int endOf(String literal, String text, int from, int end) {
    if (literal.isEmpty() || from + literal.length() > end) {
      return literal.isEmpty() ? from : -1;
    }
    int[] fallback = new int[literal.length()];
    for (int i = 1, matched = 0; i < literal.length(); i++) {
      matched = next(literal, fallback, matched, literal.charAt(i));
      fallback[i] = matched;
    }
    int matched = 0;
    for (int i = from; i < end; i++) {
      matched = next(literal, fallback, matched, text.charAt(i));
      if (matched == literal.length()) {
        return i + 1;
      }
    }
    return -1;
  }

  private static int next(String literal, int[] fallback, int matched, char c) {
    int length = matched;
    while (length > 0 && literal.charAt(length) != c) {
      length = fallback[length - 1];
    }
    return literal.charAt(length) == c ? length + 1 : length;
  }

  /** Whether some URI matches both. */
  boolean overlaps(UriTemplate other) {
    if (isLiteral()) {
      return other.matches(prefix());
    }
    if (other.isLiteral()) {
      return matches(other.prefix());
    }
    // The parts between fit one after the other into a text long enough.
    return (prefix().startsWith(other.prefix()) || other.prefix().startsWith(prefix()))
        && (suffix().endsWith(other.suffix()) || other.suffix().endsWith(suffix()));
  }
}
