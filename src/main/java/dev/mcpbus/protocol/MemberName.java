package dev.mcpbus.protocol;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Decodes and shows the name of a member in valid JSON. Stateless. */
final class MemberName {

  private static final int MAX_SHOWN = 60;

  private MemberName() {}

  /**
   * The UTF-8 bytes of the name whose opening quote is at {@code from}, with its escapes decoded.
   * Half a surrogate pair becomes U+FFFD, as in the parsers that accept it.
   */
  static byte[] decoded(byte[] bytes, int from) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int p = from + 1;
    while (bytes[p] != '"') {
      if (bytes[p] != '\\') {
        out.write(bytes[p++]);
      } else if (bytes[p + 1] != 'u') {
        out.write(plain(bytes[p + 1]));
        p += 2;
      } else {
        char unit = unit(bytes, p);
        p += 6;
        int point = unit;
        if (Character.isHighSurrogate(unit) && bytes[p] == '\\' && bytes[p + 1] == 'u') {
          char next = unit(bytes, p);
          if (Character.isLowSurrogate(next)) {
            point = Character.toCodePoint(unit, next);
            p += 6;
          }
        }
        out.writeBytes(utf8(point));
      }
    }
    return out.toByteArray();
  }

  private static byte[] utf8(int point) {
    return Character.toString(isHalf(point) ? 0xFFFD : point).getBytes(StandardCharsets.UTF_8);
  }

  private static boolean isHalf(int point) {
    return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
  }

  /**
   * Whether an escape of the name is half a surrogate pair; some parsers refuse it, others replace
   * it.
   */
  static boolean hasHalf(byte[] bytes, int from) {
    int p = from + 1;
    while (bytes[p] != '"') {
      if (bytes[p] != '\\') {
        p++;
      } else if (bytes[p + 1] != 'u') {
        p += 2;
      } else {
        boolean pair =
            Character.isHighSurrogate(unit(bytes, p))
                && bytes[p + 6] == '\\'
                && bytes[p + 7] == 'u'
                && Character.isLowSurrogate(unit(bytes, p + 6));
        if (!pair && isHalf(unit(bytes, p))) {
          return true;
        }
        p += pair ? 12 : 6;
      }
    }
    return false;
  }

  private static char unit(byte[] bytes, int at) {
    int unit = 0;
    for (int i = at + 2; i < at + 6; i++) {
      unit = unit << 4 | Character.digit(bytes[i], 16);
    }
    return (char) unit;
  }

  private static int plain(byte escape) {
    return switch (escape) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> escape;
    };
  }

  /**
   * The name for error messages: in quotes, at most {@value #MAX_SHOWN} characters, printable ASCII
   * only.
   */
  static String shown(byte[] bytes, int from) {
    String text = new String(decoded(bytes, from), StandardCharsets.UTF_8);
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length() && i < MAX_SHOWN; i++) {
      char c = text.charAt(i);
      out.append(c >= ' ' && c < 0x7F ? String.valueOf(c) : String.format("\\u%04x", (int) c));
    }
    return out.append(text.length() > MAX_SHOWN ? "...\"" : "\"").toString();
  }
}
