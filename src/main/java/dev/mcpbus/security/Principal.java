package dev.mcpbus.security;

import java.util.Collections;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Who calls.
 *
 * @param name as the edge found it out: an API key's name, {@code jwt:} and a token's subject, or
 *     {@code local}; what is kept for one name is never shown to another
 * @param roles of the key, or the scopes of the token
 * @param admin whether he may change what runs
 */
public record Principal(String name, NavigableSet<String> roles, boolean admin) {

  /**
   * Whoever may open a loopback connection, where nobody has to log in; without the admin right.
   */
  public static final Principal LOCAL = new Principal("local");

  private static final char SEPARATOR = '\n';
  private static final String ADMIN = "+";

  public Principal {
    roles = Collections.unmodifiableNavigableSet(new TreeSet<>(roles));
  }

  /** Without roles and without rights over what runs. */
  public Principal(String name) {
    this(name, Collections.emptyNavigableSet(), false);
  }

  /** Name and rights in one text, which {@link #parse} reads back. */
  public String text() {
    StringBuilder text = new StringBuilder(escaped(name));
    text.append(SEPARATOR).append(admin ? ADMIN : "");
    roles.forEach(role -> text.append(SEPARATOR).append(escaped(role)));
    return text.toString();
  }

  /**
   * The {@link #name} in a {@link #text}: what is kept for a principal belongs to his name,
   * whatever his rights are when he comes back.
   */
  public static String nameIn(String text) {
    int end = text.indexOf(SEPARATOR);
    return unescaped(end < 0 ? text : text.substring(0, end));
  }

  /** Subjects and scopes come from tokens: no two of them become the same text. */
  private static String escaped(String part) {
    return part.indexOf(SEPARATOR) < 0 && part.indexOf('\\') < 0
        ? part
        : part.replace("\\", "\\\\").replace("\n", "\\n");
  }

  private static String unescaped(String part) {
    if (part.indexOf('\\') < 0) {
      return part;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (c == '\\' && ++i < part.length()) {
        c = part.charAt(i) == 'n' ? SEPARATOR : part.charAt(i);
      }
      text.append(c);
    }
    return text.toString();
  }

  public static Principal parse(String text) {
    String[] parts = text.split(String.valueOf(SEPARATOR), -1);
    NavigableSet<String> roles = new TreeSet<>();
    for (int i = 2; i < parts.length; i++) {
      roles.add(unescaped(parts[i]));
    }
    return new Principal(unescaped(parts[0]), roles, parts.length > 1 && parts[1].equals(ADMIN));
  }
}
