package dev.mcpbus.protocol;

import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A text whose escapes are decoded, with the place of each character in the text as it was written.
 * It knows the escapes of JSON and of programming languages, percent-encoding and entities of HTML,
 * in any mixture; escapes within escapes need one {@link #decoded} each. A byte becomes the
 * character of that number, also where it is a part of one in UTF-8. A broken escape stays as it
 * is. The cost is linear in the length of the text.
 */
public final class SpelledText {

  /** Groups: 1 to 4 hexadecimal, 5 decimal, 6 a letter of {@link #LETTERS}, 7 a name. */
  private static final Pattern ESCAPE =
      Pattern.compile(
          "(?=[\\\\%&])(?:\\\\u([0-9a-fA-F]{4})|\\\\u\\{([0-9a-fA-F]{1,6})}"
              + "|(?:%|\\\\x)([0-9a-fA-F]{2})|&#[xX]([0-9a-fA-F]{1,6});|&#([0-9]{1,7});"
              + "|\\\\([nrtbf\"'/\\\\])|&(amp|lt|gt|quot|apos|nbsp);)");

  private static final String LETTERS = "nrtbf\"'/\\";
  private static final String MEANT = "\n\r\t\b\f\"'/\\";

  private static final Map<String, Character> NAMES =
      Map.of("amp", '&', "lt", '<', "gt", '>', "quot", '"', "apos", '\'', "nbsp", ' ');

  private final String text;
  final char[] chars;

  /** Where each character begins in the text as it was written, and its end; empty if all stay. */
  private final int[] places;

  private SpelledText(String text, int[] places) {
    this.text = text;
    this.chars = text.toCharArray();
    this.places = places;
  }

  static SpelledText of(String text) {
    return new SpelledText(text, new int[0]);
  }

  /** The text with one level of escapes less. */
  public static String read(String text) {
    SpelledText read = of(text).decoded();
    return read == null ? text : read.text;
  }

  String text() {
    return text;
  }

  /** Where the character begins in the text as it was written. */
  int place(int index) {
    return places.length == 0 ? index : places[index];
  }

  /** This text with one level of escapes less; null if it has no escape. */
  @Nullable SpelledText decoded() {
    Matcher escape = ESCAPE.matcher(text);
    if (!escape.find()) {
      return null;
    }
    StringBuilder out = new StringBuilder(text.length());
    int[] starts = new int[text.length() + 1];
    int from = 0;
    do {
      copy(from, escape.start(), out, starts);
      int size = out.length();
      out.appendCodePoint(code(escape));
      Arrays.fill(starts, size, out.length(), place(escape.start()));
      from = escape.end();
    } while (escape.find());
    copy(from, text.length(), out, starts);
    starts[out.length()] = place(text.length());
    return new SpelledText(out.toString(), Arrays.copyOf(starts, out.length() + 1));
  }

  private void copy(int from, int to, StringBuilder out, int[] starts) {
    for (int i = from; i < to; i++) {
      starts[out.length()] = place(i);
      out.append(chars[i]);
    }
  }

  private static int code(Matcher escape) {
    for (int group = 1; group <= 5; group++) {
      if (escape.group(group) != null) {
        int code = Integer.parseInt(escape.group(group), group == 5 ? 10 : 16);
        return Character.isValidCodePoint(code) ? code : '?';
      }
    }
    String letter = escape.group(6);
    return letter == null
        ? NAMES.getOrDefault(escape.group(7), '?')
        : MEANT.charAt(LETTERS.indexOf(letter));
  }
}
