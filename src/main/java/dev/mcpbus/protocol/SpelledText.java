package dev.mcpbus.protocol;

import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A text whose escapes are decoded, with the place of each character in the text as it was written.
 * It knows the escapes of JSON and of programming languages, percent-encoding and entities of HTML,
 * in any mixture; escapes within escapes need one {@link #decoded} each. A broken escape stays as
 * it is. The cost is linear in the length of the text.
 */
final class SpelledText {

  private static final Map<String, Character> ENTITIES =
      Map.of("amp", '&', "lt", '<', "gt", '>', "quot", '"', "apos", '\'', "nbsp", ' ');

  /** Characters between {@code &} and {@code ;}. */
  private static final int MAX_ENTITY = 8;

  private static final int[] NO_PLACES = {};

  /** The characters; valid up to {@link #length}. */
  final char[] chars;

  final int length;

  /** Where each character begins in the text, and the end of the text; empty if nothing moved. */
  private final int[] places;

  private SpelledText(char[] chars, int length, int[] places) {
    this.chars = chars;
    this.length = length;
    this.places = places;
  }

  static SpelledText of(String text) {
    return new SpelledText(text.toCharArray(), text.length(), NO_PLACES);
  }

  /** Where the character begins in the text as it was written. */
  int place(int index) {
    return places.length == 0 ? index : places[index];
  }

  String text() {
    return new String(chars, 0, length);
  }

  /** This text with one level of escapes less; null if it has no escape. */
  @Nullable SpelledText decoded() {
    for (int i = 0; i < length; i++) {
      char c = chars[i];
      if (c == '\\' || c == '%' || c == '&') {
        return new Decoding().run(i);
      }
    }
    return null;
  }

  /** One pass over the text. */
  private final class Decoding {

    private final char[] out = new char[length];
    private final int[] starts = new int[length + 1];
    private int size;
    private int at;

    @Nullable SpelledText run(int first) {
      System.arraycopy(chars, 0, out, 0, first);
      for (; size < first; size++) {
        starts[size] = place(size);
      }
      at = first;
      while (at < length) {
        char c = chars[at];
        boolean known =
            c == '\\' ? backslash() : c == '%' ? bytes() : c == '&' && entity();
        if (!known) {
          put(c, at, at + 1);
        }
      }
      if (size == length) {
        return null; // every escape is longer than its character
      }
      starts[size] = place(length);
      return new SpelledText(out, size, Arrays.copyOf(starts, size + 1));
    }

    private void put(int codePoint, int from, int to) {
      int count = Character.toChars(codePoint, out, size);
      Arrays.fill(starts, size, size + count, place(from));
      size += count;
      at = to;
    }

    private boolean backslash() {
      if (at + 1 == length) {
        return false;
      }
      char escape = chars[at + 1];
      int code =
          switch (escape) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case '"', '\\', '/', '\'' -> escape;
            default -> -1;
          };
      if (code >= 0) {
        put(code, at, at + 2);
        return true;
      }
      if (escape == 'x') {
        return bytes();
      }
      if (escape != 'u') {
        return false;
      }
      boolean braces = at + 2 < length && chars[at + 2] == '{';
      int from = at + (braces ? 3 : 2);
      int to = from;
      while (to < length && to - from < (braces ? 6 : 4) && Character.digit(chars[to], 16) >= 0) {
        to++;
      }
      int end = braces ? to + 1 : to;
      boolean whole = braces ? to < length && chars[to] == '}' : to - from == 4;
      return whole && number(from, to, 16, end);
    }

    /** Puts the code point that the digits stand for. */
    private boolean number(int from, int to, int radix, int end) {
      int code = 0;
      for (int i = from; i < to; i++) {
        int digit = Character.digit(chars[i], radix);
        if (digit < 0) {
          return false;
        }
        code = code * radix + digit;
      }
      if (from == to || !Character.isValidCodePoint(code)) {
        return false;
      }
      put(code, at, end);
      return true;
    }

    /** A character as its bytes in UTF-8, each {@code %41} or <code>\x41</code>. */
    private boolean bytes() {
      int lead = octet(at);
      int more = lead < 0xC0 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
      int step = chars[at] == '%' ? 3 : 4;
      if (lead < 0) {
        return false;
      }
      int code = more == 0 ? lead : lead & (0x3F >> more);
      for (int i = 1; i <= more; i++) {
        int next = octet(at + i * step);
        if ((next & 0xC0) != 0x80 || next < 0) {
          put(lead, at, at + step); // a byte of another character set
          return true;
        }
        code = code << 6 | (next & 0x3F);
      }
      put(Character.isValidCodePoint(code) ? code : '?', at, at + (more + 1) * step);
      return true;
    }

    private int octet(int from) {
      if (from >= length) {
        return -1;
      }
      int digits = chars[from] == '%' ? 1 : 2;
      if (from + digits + 2 > length
          || (digits == 2 && (chars[from] != '\\' || chars[from + 1] != 'x'))) {
        return -1;
      }
      int high = Character.digit(chars[from + digits], 16);
      int low = Character.digit(chars[from + digits + 1], 16);
      return high < 0 || low < 0 ? -1 : high * 16 + low;
    }

    private boolean entity() {
      int end = at + 1;
      while (end < length && end - at <= MAX_ENTITY && chars[end] != ';') {
        end++;
      }
      if (end >= length || chars[end] != ';') {
        return false;
      }
      if (chars[at + 1] == '#') {
        boolean hex = (chars[at + 2] | 0x20) == 'x';
        return number(at + (hex ? 3 : 2), end, hex ? 16 : 10, end + 1);
      }
      Character named = ENTITIES.get(new String(chars, at + 1, end - at - 1));
      if (named != null) {
        put(named, at, end + 1);
      }
      return named != null;
    }
  }
}
