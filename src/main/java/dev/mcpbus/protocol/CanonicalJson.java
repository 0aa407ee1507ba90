package dev.mcpbus.protocol;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Writes a JSON value in one canonical text, following RFC 8785: no blanks, members sorted by the
 * UTF-16 units of their names, the shortest escapes, numbers as ECMAScript writes them. Two texts
 * of the same value get the same canonical text. Confined to one call of {@link #of}.
 *
 * <p>It differs where the RFC loses information or refuses the value: a number keeps all its digits
 * where a double would round them, a name that appears twice stays twice, and a lone surrogate
 * stays an escape. So two canonical texts are equal exactly if no parser can tell the values apart.
 */
public final class CanonicalJson {

  /**
   * A number with more digits before the point, or more zeros after it, is written with an
   * exponent.
   */
  private static final int MAX_PLAIN = 21;

  private static final int MIN_PLAIN = -6;

  private record CanonicalMember(String name, String value) {}

  private final byte[] bytes;
  private final JsonScanner scanner;
  private final StringBuilder out;

  private CanonicalJson(RawJson json) {
    this.bytes = json.array();
    this.scanner = new JsonScanner(bytes, json.offset(), json.length(), ParseLimits.CHECKED);
    this.out = new StringBuilder(json.length());
  }

  /** The canonical text of valid JSON. */
  public static String of(RawJson json) {
    try {
      CanonicalJson canonical = new CanonicalJson(json);
      canonical.value(1);
      return canonical.out.toString();
    } catch (ProtocolException e) {
      throw new IllegalStateException("raw JSON was not checked", e);
    }
  }

  private void value(int depth) throws ProtocolException {
    switch (scanner.peek()) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string(text());
      case 't', 'f', 'n' -> out.append(literal(depth));
      default -> out.append(number(literal(depth)));
    }
  }

  private String literal(int depth) throws ProtocolException {
    int from = scanner.position();
    scanner.skipValue(depth);
    return RawJson.slice(bytes, from, scanner.position() - from).toString();
  }

  private String text() throws ProtocolException {
    int from = scanner.position();
    scanner.skipString();
    return RawJson.decodeString(bytes, from, scanner.position() - from);
  }

  private void array(int depth) throws ProtocolException {
    scanner.expect('[');
    out.append('[');
    if (scanner.peek() == ']') {
      scanner.expect(']');
    } else {
      String separator = "";
      do {
        out.append(separator);
        value(depth + 1);
        separator = ",";
      } while (scanner.more(']'));
    }
    out.append(']');
  }

  private void object(int depth) throws ProtocolException {
    scanner.expect('{');
    List<CanonicalMember> members = new ArrayList<>();
    if (scanner.peek() == '}') {
      scanner.expect('}');
    } else {
      do {
        scanner.skipWhitespace();
        String name = text();
        scanner.expect(':');
        int from = out.length();
        value(depth + 1);
        members.add(new CanonicalMember(name, out.substring(from)));
        out.setLength(from);
      } while (scanner.more('}'));
    }
    members.sort(Comparator.comparing(CanonicalMember::name));
    out.append('{');
    String separator = "";
    for (CanonicalMember member : members) {
      out.append(separator);
      string(member.name());
      out.append(':').append(member.value());
      separator = ",";
    }
    out.append('}');
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < 0x20 || isLone(text, i)) {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  private static boolean isLone(String text, int i) {
    char c = text.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    }
    return Character.isLowSurrogate(c)
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }

  /** {@code Number::toString} of ECMAScript, applied to the digits as they were written. */
  private static String number(String literal) {
    BigDecimal value;
    try {
      value = new BigDecimal(literal).stripTrailingZeros();
    } catch (NumberFormatException | ArithmeticException e) {
      return literal; // an exponent out of range; equal literals still give equal texts
    }
    if (value.signum() == 0) {
      return "0";
    }
    BigInteger unscaled = value.unscaledValue().abs();
    String digits = unscaled.toString();
    int count = digits.length();
    long point = (long) count - value.scale();
    String sign = value.signum() < 0 ? "-" : "";
    if (point > MAX_PLAIN || point <= MIN_PLAIN) {
      long exponent = point - 1;
      String fraction = count == 1 ? "" : "." + digits.substring(1);
      return sign + digits.charAt(0) + fraction + "e" + (exponent < 0 ? "" : "+") + exponent;
    }
    int at = (int) point;
    if (at <= 0) {
      return sign + "0." + "0".repeat(-at) + digits;
    }
    return at >= count
        ? sign + digits + "0".repeat(at - count)
        : sign + digits.substring(0, at) + "." + digits.substring(at);
  }
}
