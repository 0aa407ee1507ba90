package dev.mcpbus.bridge;

import dev.mcpbus.bus.McpFailure;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the query of a request; a fault is a {@code BAD_REQUEST} that names it. Stateless. */
final class QueryParameters {

  private QueryParameters() {}

  /** Refuses parameters that the route does not have, so that a typing error is reported. */
  static void check(RoutingContext ctx, Route route) {
    for (String name : ctx.queryParams().names()) {
      if (route.query().stream().noneMatch(param -> param.word.equals(name))) {
        String known =
            route.query().stream().map(param -> param.word).collect(Collectors.joining(", "));
        throw McpFailure.badRequest(
            "query: no parameter '"
                + oneLine(name)
                + "' here; "
                + (known.isEmpty() ? "none is known" : "known are " + known));
      }
    }
  }

  private static String oneLine(String text) {
    return text.substring(0, Math.min(40, text.length())).replaceAll("[^\\x20-\\x7E]", "?");
  }

  /** The first value in the query, or null; the router's own look-up includes the path. */
  static @Nullable String get(RoutingContext ctx, String name) {
    return ctx.queryParams().get(name);
  }

  static String required(RoutingContext ctx, String name) {
    String value = get(ctx, name);
    if (value == null || value.isEmpty()) {
      throw McpFailure.badRequest("query: '" + name + "' is wanted, URL-encoded");
    }
    return value;
  }

  /** The value, which must be one of {@code words}; null if it is not given. */
  static @Nullable String word(RoutingContext ctx, String name, List<String> words) {
    String value = get(ctx, name);
    if (value != null && !words.contains(value)) {
      throw McpFailure.badRequest("query: '" + name + "' must be " + String.join(" or ", words));
    }
    return value;
  }

  /** A whole number from 0; null if it is not given. */
  static @Nullable Long number(RoutingContext ctx, String name) {
    String value = get(ctx, name);
    if (value == null) {
      return null;
    }
    if (value.matches("[0-9]{1,18}")) {
      return Long.valueOf(value);
    }
    throw McpFailure.badRequest("query: '" + name + "' must be a whole number from 0");
  }

  static boolean isTrue(RoutingContext ctx, String name) {
    return "true".equals(word(ctx, name, List.of("true", "false")));
  }

  /**
   * All values of {@code name}, also those separated by commas; each must be one of {@code known}.
   */
  static Set<String> words(RoutingContext ctx, String name, Set<String> known) {
    Set<String> values = texts(ctx, name);
    for (String value : values) {
      if (!known.contains(value)) {
        throw McpFailure.badRequest(
            "query: '" + name + "' must be some of " + String.join(", ", new TreeSet<>(known)));
      }
    }
    return values;
  }

  static Set<String> texts(RoutingContext ctx, String name) {
    return ctx.queryParam(name).stream()
        .flatMap(text -> List.of(text.split(",", -1)).stream())
        .filter(text -> !text.isEmpty())
        .collect(Collectors.toSet());
  }
}
