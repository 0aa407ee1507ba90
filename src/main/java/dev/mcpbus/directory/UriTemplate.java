package dev.mcpbus.directory;

import java.util.ArrayList;
import java.util.List;

/**
 * Which URIs a template (RFC 6570) may expand to: its literal parts, in order. An expression counts
 * as any text, because not every client encodes what it fills in. Immutable.
 */
final class UriTemplate {

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
    if (!uri.startsWith(prefix())
        || !uri.endsWith(suffix())
        || uri.length() < prefix().length() + suffix().length()) {
      return false;
    }
    int at = prefix().length();
    int end = uri.length() - suffix().length();
    for (String literal : literals.subList(1, literals.size() - 1)) {
      int found = uri.indexOf(literal, at);
      if (found < 0 || found + literal.length() > end) {
        return false;
      }
      at = found + literal.length();
    }
    return true;
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
