package dev.mcpbus.protocol;

import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a {@code JsonObject} to the same values as Vert.x does, at lower cost: objects, arrays,
 * strings, whole numbers up to 18 digits, literals. It leaves everything else to Vert.x: fractions,
 * for which an application may configure another decoding, deep nesting, broken encoding, and
 * invalid JSON. Confined to one call of {@link #read}.
 */
final class JsonReader {

  private static final int MAX_DEPTH = 100;
  private static final int MAX_DIGITS = 18;

  /** Returned in place of a value that Vert.x has to decode. */
  private static final Object UNSUPPORTED = new Object();

  private final byte[] bytes;
  private final int end;
  private int at;

  private JsonReader(byte[] bytes, int offset, int length) {
    this.bytes = bytes;
    this.at = offset;
    this.end = offset + length;
  }

  /** Null if Vert.x has to decode the object. */
  @SuppressWarnings("unchecked") // our own map
  static @Nullable JsonObject read(byte[] bytes, int offset, int length) {
    JsonReader reader = new JsonReader(bytes, offset, length);
    if (reader.next() != '{') {
      return null;
    }
    Object value = reader.object(0);
    return value == UNSUPPORTED || reader.next() >= 0
        ? null
        : new JsonObject((Map<String, Object>) value);
  }

  /** Skips blanks and returns the byte behind them, which is consumed; -1 at the end. */
  private int next() {
    while (at < end) {
      byte b = bytes[at++];
      if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
        return b & 0xFF;
      }
    }
    return -1;
  }

  /** The value that starts with {@code first}, which is already consumed. */
  private @Nullable Object value(int first, int depth) {
    return switch (first) {
      case '"' -> text();
      case '{' -> depth < MAX_DEPTH ? object(depth + 1) : UNSUPPORTED;
      case '[' -> depth < MAX_DEPTH ? array(depth + 1) : UNSUPPORTED;
      case 't' -> literal("true", Boolean.TRUE);
      case 'f' -> literal("false", Boolean.FALSE);
      case 'n' -> literal("null", null);
      default -> number(first);
    };
  }

  private Object object(int depth) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    int b = next();
    if (b == '}') {
      return map;
    }
    while (b == '"') {
      if (!(text() instanceof String name) || next() != ':') {
        return UNSUPPORTED;
      }
      Object value = value(next(), depth);
      if (value == UNSUPPORTED) {
        return UNSUPPORTED;
      }
      map.put(name, value);
      b = next();
      if (b == '}') {
        return map;
      }
      b = b == ',' ? next() : -1;
    }
    return UNSUPPORTED;
  }

  private Object array(int depth) {
    List<@Nullable Object> list = new ArrayList<>();
    int b = next();
    if (b == ']') {
      return list;
    }
    while (true) {
      Object value = value(b, depth);
      if (value == UNSUPPORTED) {
        return UNSUPPORTED;
      }
      list.add(value);
      b = next();
      if (b == ']') {
        return list;
      }
      if (b != ',') {
        return UNSUPPORTED;
      }
      b = next();
    }
  }

  private @Nullable Object literal(String word, @Nullable Boolean value) {
    int from = at - 1;
    if (word.length() > end - from) {
      return UNSUPPORTED;
    }
    for (int i = 1; i < word.length(); i++) {
      if (bytes[from + i] != word.charAt(i)) {
        return UNSUPPORTED;
      }
    }
    at = from + word.length();
    return at == end || isEnd(bytes[at]) ? value : UNSUPPORTED;
  }

  private Object number(int first) {
    boolean negative = first == '-';
    int from = negative ? at : at - 1;
    int p = from;
    long value = 0;
    while (p < end && bytes[p] >= '0' && bytes[p] <= '9') {
      if (p - from == MAX_DIGITS) {
        return UNSUPPORTED;
      }
      value = 10 * value + bytes[p++] - '0';
    }
    boolean isWhole = p > from && (bytes[from] != '0' || p - from == 1);
    if (!isWhole || (p < end && !isEnd(bytes[p]))) {
      return UNSUPPORTED;
    }
    at = p;
    value = negative ? -value : value;
    if (value == (int) value) {
      return (int) value;
    }
    return value;
  }

  private static boolean isEnd(byte b) {
    return b == ',' || b == '}' || b == ']' || b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  /** The string behind its opening quote. */
  private Object text() {
    int from = at;
    boolean ascii = true;
    for (int p = from; p < end; p++) {
      byte b = bytes[p];
      if (b == '"') {
        at = p + 1;
        return ascii
            ? new String(bytes, from, p - from, StandardCharsets.ISO_8859_1)
            : wide(from, p);
      }
      if (b == '\\') {
        return escaped(from);
      }
      if (b < 0) {
        ascii = false;
      } else if (b < ' ') {
        return UNSUPPORTED;
      }
    }
    return UNSUPPORTED;
  }

  /** If the encoding is broken, Vert.x reports the error. */
  private Object wide(int from, int to) {
    String text = new String(bytes, from, to - from, StandardCharsets.UTF_8);
    return text.indexOf('\uFFFD') < 0 ? text : UNSUPPORTED;
  }

  private Object escaped(int from) {
    StringBuilder text = new StringBuilder();
    int start = from;
    for (int p = from; p < end; p++) {
      byte b = bytes[p];
      if (b == '"' || b == '\\') {
        if (!(wide(start, p) instanceof String plain)) {
          return UNSUPPORTED;
        }
        text.append(plain);
        if (b == '"') {
          at = p + 1;
          return text.toString();
        }
        int length = escape(p + 1, text);
        if (length == 0) {
          return UNSUPPORTED;
        }
        p += length;
        start = p + 1;
      } else if (b >= 0 && b < ' ') {
        return UNSUPPORTED;
      }
    }
    return UNSUPPORTED;
  }

  /**
   * Appends the escaped character; returns the number of bytes behind the backslash, 0 if the
   * escape is not valid.
   */
  private int escape(int p, StringBuilder text) {
    if (p >= end) {
      return 0;
    }
    int index = "\"\\/bfnrt".indexOf(bytes[p]);
    if (index >= 0) {
      text.append("\"\\/\b\f\n\r\t".charAt(index));
      return 1;
    }
    if (bytes[p] != 'u' || p + 4 >= end) {
      return 0;
    }
    int code = 0;
    for (int i = 1; i <= 4; i++) {
      int digit = bytes[p + i] < 0 ? -1 : Character.digit((char) bytes[p + i], 16);
      if (digit < 0) {
        return 0;
      }
      code = 16 * code + digit;
    }
    text.append((char) code);
    return 5;
  }
}
