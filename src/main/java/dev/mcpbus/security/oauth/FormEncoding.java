package dev.mcpbus.security.oauth;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads and writes {@code application/x-www-form-urlencoded}. Stateless. */
public final class FormEncoding {

  public static final String TYPE = "application/x-www-form-urlencoded";

  private FormEncoding() {}

  public static String encode(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(field -> encode(field.getKey()) + "=" + encode(field.getValue()))
        .collect(Collectors.joining("&"));
  }

  /**
   * The URL of an endpoint with {@code fields} in its query. A field that its own query has, too,
   * is replaced, because no parameter may stand twice (RFC 6749, section 3.1), and servers differ
   * in which of two they take.
   *
   * @param url well formed, without a fragment
   * @param absent names that its own query must not have either
   */
  public static String query(String url, Map<String, String> fields, Set<String> absent) {
    Set<String> dropped = new HashSet<>(absent);
    dropped.addAll(fields.keySet());
    int mark = url.indexOf('?');
    List<String> pairs = new ArrayList<>();
    for (String pair : mark < 0 ? new String[0] : url.substring(mark + 1).split("&")) {
      String[] parts = pair.split("=", 2);
      String name = decodeText(parts[0]);
      if (!name.isEmpty() && !dropped.contains(plain(name))) {
        // Encoded anew: some servers end a field at a semicolon, too.
        pairs.add(encode(name) + "=" + (parts.length < 2 ? "" : encode(decodeText(parts[1]))));
      }
    }
    if (!fields.isEmpty()) {
      pairs.add(encode(fields));
    }
    String base = mark < 0 ? url : url.substring(0, mark);
    return pairs.isEmpty() ? base : base + "?" + String.join("&", pairs);
  }

  /** A name as lenient servers read it: PHP, ASP.NET. */
  private static String plain(String name) {
    return name.strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[. ]", "_")
        .replaceFirst("(?s)[\\[\\x00].*", "");
  }

  public static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /**
   * The fields of a query; null if it is malformed or repeats a name, which OAuth forbids (RFC
   * 6749, section 3.1).
   */
  public static @Nullable Map<String, String> decode(@Nullable String query) {
    Map<String, String> fields = new LinkedHashMap<>();
    if (query == null || query.isEmpty()) {
      return fields;
    }
    try {
      for (String pair : query.split("&", 64)) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        String value = equals < 0 ? "" : pair.substring(equals + 1);
        if (fields.put(decodeText(name), decodeText(value)) != null) {
          return null;
        }
      }
      return fields;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static String decodeText(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
