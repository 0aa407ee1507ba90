package dev.mcpbus.protocol;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Decodes and shows the name of a member in valid JSON. Stateless. */
final class MemberName {

  private static final int MAX_SHOWN = 60;

  /** Bytes of an escape with four digits, and of two that are one character. */
  private static final int UNIT = 6;

  private static final int PAIR = 2 * UNIT;
  private static final int HALF = 0;
  private static final byte[] REPLACEMENT = "\\ufffd".getBytes(StandardCharsets.UTF_8);

  private MemberName() {}

  /**
   * The UTF-8 bytes of the name whose opening quote is at {@code from}, with its escapes decoded.
   * Half a surrogate pair becomes U+FFFD, as in the parsers that accept it.
   */
  static byte[] decoded(byte[] bytes, int from) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int p = from + 1;
    while (bytes[p] != '"') {
      int size = bytes[p] == '\\' ? escape(bytes, p) : 1;
      switch (size) {
        case 1 -> out.write(bytes[p]);
        case 2 -> out.write(plain(bytes[p + 1]));
        case HALF -> out.writeBytes(utf8(0xFFFD));
        case PAIR ->
            out.writeBytes(utf8(Character.toCodePoint(unit(bytes, p), unit(bytes, p + UNIT))));
        default -> out.writeBytes(utf8(unit(bytes, p)));
      }
      p += size == HALF ? UNIT : size;
    }
    return out.toByteArray();
  }

  private static byte[] utf8(int point) {
    return Character.toString(point).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The number of bytes of the escape at {@code p} of a valid string; {@link #HALF} if it is half a
   * surrogate pair.
   */
  private static int escape(byte[] bytes, int p) {
    if (bytes[p + 1] != 'u') {
      return 2;
    }
    char unit = unit(bytes, p);
    if (!Character.isSurrogate(unit)) {
      return UNIT;
    }
    boolean pair =
        Character.isHighSurrogate(unit)
            && bytes[p + UNIT] == '\\'
            && bytes[p + UNIT + 1] == 'u'
            && Character.isLowSurrogate(unit(bytes, p + UNIT));
    return pair ? PAIR : HALF;
  }

  /**
   * Whether an escape of the name is half a surrogate pair; some parsers refuse it, others replace
   * it.
   */
  static boolean hasHalf(byte[] bytes, int from) {
    int p = from + 1;
    while (bytes[p] != '"') {
      int size = bytes[p] == '\\' ? escape(bytes, p) : 1;
      if (size == HALF) {
        return true;
      }
      p += size;
    }
    return false;
  }

  /**
   * The bytes of valid JSON with the escape of U+FFFD for each half of a surrogate pair; null where
   * there is none.
   */
  static byte @Nullable [] withoutHalves(byte[] bytes, int from, int to) {
    byte[] out = null;
    for (int p = from; p < to; ) {
      int size = bytes[p] == '\\' ? escape(bytes, p) : 1;
      if (size == HALF) {
        out = out == null ? Arrays.copyOfRange(bytes, from, to) : out;
        System.arraycopy(REPLACEMENT, 0, out, p - from, UNIT);
        size = UNIT;
      }
      p += size;
    }
    return out;
  }

  private static char unit(byte[] bytes, int at) {
    int unit = 0;
    for (int i = at + 2; i < at + UNIT; i++) {
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
