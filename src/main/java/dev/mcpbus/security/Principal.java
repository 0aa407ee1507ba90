package dev.mcpbus.security;

import java.util.Collections;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Who calls, as its credential says.
 *
 * @param name an API key's name, the name of a token's issuer with a colon and a subject, or {@code
 *     local}; what is kept for one name is never shown to another
 * @param roles the roles of the key, or the scopes of the token
 * @param admin whether the principal may change what runs
 */
public record Principal(String name, NavigableSet<String> roles, boolean admin) {

  /** Every caller over loopback where no login is asked for. It has no admin right. */
  public static final Principal LOCAL = new Principal("local");

  private static final int MAX_NAME = 256;
  private static final char SEPARATOR = '\n';
  private static final String ADMIN = "+";

  public Principal {
    roles = Collections.unmodifiableNavigableSet(new TreeSet<>(roles));
  }

  /**
   * Whether a claim may be the name of a principal: not empty, at most {@value #MAX_NAME}
   * characters, and no half of a pair of characters, which headers cannot carry and which would
   * make two names one.
   */
  public static boolean isName(String name) {
    return !name.isBlank()
        && name.length() <= MAX_NAME
        && name.chars().noneMatch(Character::isISOControl)
        && name.codePoints()
            .noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
  }

  /** A principal without roles and without the admin right. */
  public Principal(String name) {
    this(name, Collections.emptyNavigableSet(), false);
  }

  /** Name and rights as one text, which {@link #parse} reads back. */
  public String text() {
    StringBuilder text = new StringBuilder(escaped(name));
    text.append(SEPARATOR).append(admin ? ADMIN : "");
    roles.forEach(role -> text.append(SEPARATOR).append(escaped(role)));
    return text.toString();
  }

  /**
   * The {@link #name} in a {@link #text}. What is kept for a principal belongs to its name, so it
   * stays accessible when its rights change.
   */
  public static String nameIn(String text) {
    int end = text.indexOf(SEPARATOR);
    return unescaped(end < 0 ? text : text.substring(0, end));
  }

  /**
   * Escapes separators, so that two different principals never have the same text: subjects and
   * scopes come from tokens.
   */
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
