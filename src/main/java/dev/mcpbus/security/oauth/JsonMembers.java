package dev.mcpbus.security.oauth;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads members of documents that other parties wrote; a member of the wrong type counts as absent.
 */
final class JsonMembers {

  private JsonMembers() {}

  static @Nullable String text(JsonObject of, String name) {
    return of.getValue(name) instanceof String text && !text.isEmpty() ? text : null;
  }

  static @Nullable JsonObject object(JsonObject of, String name) {
    return of.getValue(name) instanceof JsonObject object ? object : null;
  }

  static boolean flag(JsonObject of, String name) {
    return Boolean.TRUE.equals(of.getValue(name));
  }

  static long number(JsonObject of, String name, long otherwise) {
    Object value = of.getValue(name);
    if (value instanceof Number number) {
      return number.longValue();
    }
    // Some servers write expires_in as a string.
    return value instanceof String text && text.matches("\\d{1,12}")
        ? Long.parseLong(text)
        : otherwise;
  }

  /** Null if the member is not a list; a text stands for a list of one. */
  static @Nullable Set<String> texts(JsonObject of, String name) {
    if (!(of.getValue(name) instanceof JsonArray array)) {
      String one = text(of, name);
      return one == null ? null : Set.of(one);
    }
    return array.stream()
        .filter(String.class::isInstance)
        .map(String.class::cast)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }
}
