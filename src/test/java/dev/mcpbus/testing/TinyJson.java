package dev.mcpbus.testing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Just enough JSON for a test server that runs without a class path: objects become maps, numbers
 * {@link Number} tokens kept as text by {@link Literal}. Trusts its input to be JSON.
 */
final class TinyJson {

  /** A number, {@code true}, {@code false} or {@code null}, as it was written. */
  record Literal(String text) {}

  private final String text;
  private int at;

  private TinyJson(String text) {
    this.text = text;
  }

  static Object parse(String text) {
    return new TinyJson(text).value();
  }

  /** The object at {@code key}, empty where there is none. */
  static Map<?, ?> object(@Nullable Object in, String key) {
    return in instanceof Map<?, ?> map && map.get(key) instanceof Map<?, ?> found
        ? found
        : Map.of();
  }

  static String string(@Nullable Object in, String key, String otherwise) {
    return in instanceof Map<?, ?> map && map.get(key) instanceof String found ? found : otherwise;
  }

  static int number(@Nullable Object in, String key, int otherwise) {
    return in instanceof Map<?, ?> map && map.get(key) instanceof Literal found
        ? (int) Double.parseDouble(found.text())
        : otherwise;
  }

  static String write(@Nullable Object value) {
    if (value instanceof String string) {
      return quote(string);
    }
    if (value instanceof Literal literal) {
      return literal.text();
    }
    if (value instanceof Map<?, ?> map) {
      List<String> members = new ArrayList<>();
      map.forEach((k, v) -> members.add(quote(String.valueOf(k)) + ":" + write(v)));
      return "{" + String.join(",", members) + "}";
    }
    if (value instanceof List<?> list) {
      return "[" + String.join(",", list.stream().map(TinyJson::write).toList()) + "]";
    }
    return String.valueOf(value);
  }

  static String quote(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < 0x20) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }

  private Object value() {
    char first = next();
    if (first == '{') {
      at++;
      Map<String, Object> map = new LinkedHashMap<>();
      while (next() != '}') {
        String key = string();
        next();
        at++;
        map.put(key, value());
        if (next() == ',') {
          at++;
        }
      }
      at++;
      return map;
    }
    if (first == '[') {
      at++;
      List<Object> list = new ArrayList<>();
      while (next() != ']') {
        list.add(value());
        if (next() == ',') {
          at++;
        }
      }
      at++;
      return list;
    }
    if (first == '"') {
      return string();
    }
    int from = at;
    while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return new Literal(text.substring(from, at));
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    for (at++; text.charAt(at) != '"'; at++) {
      char c = text.charAt(at);
      if (c != '\\') {
        out.append(c);
        continue;
      }
      char escape = text.charAt(++at);
      switch (escape) {
        case 'n' -> out.append('\n');
        case 't' -> out.append('\t');
        case 'r' -> out.append('\r');
        case 'b' -> out.append('\b');
        case 'f' -> out.append('\f');
        case 'u' -> {
          out.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
          at += 4;
        }
        default -> out.append(escape);
      }
    }
    at++;
    return out.toString();
  }

  private char next() {
    while (Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.charAt(at);
  }
}
