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

  /**
   * Name and rights in one text, which {@link #parse} reads back. What is kept for it, such as a
   * session, ends for him when his rights change.
   */
  public String text() {
    StringBuilder text = new StringBuilder(name.replace(SEPARATOR, ' '));
    text.append(SEPARATOR).append(admin ? ADMIN : "");
    roles.forEach(role -> text.append(SEPARATOR).append(role));
    return text.toString();
  }

  public static Principal parse(String text) {
    String[] parts = text.split(String.valueOf(SEPARATOR), -1);
    NavigableSet<String> roles = new TreeSet<>();
    for (int i = 2; i < parts.length; i++) {
      roles.add(parts[i]);
    }
    return new Principal(parts[0], roles, parts.length > 1 && parts[1].equals(ADMIN));
  }
}
