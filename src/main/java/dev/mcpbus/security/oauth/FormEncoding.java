package dev.mcpbus.security.oauth;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads and writes {@code application/x-www-form-urlencoded}. Stateless. */
final class FormEncoding {

  static final String TYPE = "application/x-www-form-urlencoded";

  private FormEncoding() {}

  static String encode(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(field -> encode(field.getKey()) + "=" + encode(field.getValue()))
        .collect(Collectors.joining("&"));
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /**
   * The fields of a query; null if it is malformed or repeats a name, which OAuth forbids (RFC
   * 6749, section 3.1).
   */
  static @Nullable Map<String, String> decode(@Nullable String query) {
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
