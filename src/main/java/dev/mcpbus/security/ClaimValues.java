package dev.mcpbus.security;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads claims by their paths: {@code groups}, {@code realm_access.roles}. A claim whose name has
 * dots itself, as {@code https://example.com/roles}, is found by its whole name first. Stateless.
 */
final class ClaimValues {

  private static final String EMAIL = "email";

  /** Characters of a path; a longer one leads to nothing. */
  private static final int MAX_PATH = 256;

  private ClaimValues() {}

  /** The text at a path; null for none, and for anything else. */
  static @Nullable String text(JsonObject claims, String path) {
    return value(claims, path) instanceof String text ? text : null;
  }

  /** The text at a path, or the texts of the list there; none for anything else. */
  static List<String> at(JsonObject claims, String path) {
    Object value = value(claims, path);
    return value instanceof String text
        ? List.of(text)
        : value instanceof JsonArray list
            ? list.stream().filter(String.class::isInstance).map(String.class::cast).toList()
            : List.of();
  }

  /** Whether a path leads to an address that counts only if the issuer has verified it. */
  static boolean isEmail(String path) {
    return path.equals(EMAIL) || path.endsWith("." + EMAIL);
  }

  private static @Nullable Object value(JsonObject claims, String path) {
    if (path.length() > MAX_PATH) {
      return null;
    }
    if (claims.containsKey(path)) {
      return isEmail(path) && !Boolean.TRUE.equals(claims.getValue(path + "_verified"))
          ? null
          : claims.getValue(path);
    }
    for (int dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
      if (claims.getValue(path.substring(0, dot)) instanceof JsonObject inner) {
        Object found = value(inner, path.substring(dot + 1));
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }
}
