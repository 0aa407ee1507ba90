package dev.mcpbus.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds a short text in many bytes (Horspool): it looks at one byte of each stretch as long as the
 * text, and at more only where that byte occurs in the text. Immutable.
 */
public final class ByteSearch {

  private static final int MAX_LENGTH = 127;

  private final byte[] text;

  /** How far the text can move on, by the byte under its end. */
  private final byte[] steps = new byte[256];

  /**
   * @param text 1 to 127 bytes of UTF-8
   */
  public ByteSearch(String text) {
    this.text = text.getBytes(StandardCharsets.UTF_8);
    int length = this.text.length;
    if (length == 0 || length > MAX_LENGTH) {
      throw new IllegalArgumentException("a text of 1 to " + MAX_LENGTH + " bytes is needed");
    }
    Arrays.fill(steps, (byte) length);
    for (int i = 0; i < length - 1; i++) {
      steps[this.text[i] & 0xFF] = (byte) (length - 1 - i);
    }
  }

  /** Whether the text is in that part of the array. */
  boolean isIn(byte[] array, int offset, int length) {
    int last = text.length - 1;
    int end = offset + length;
    for (int at = offset + last; at < end; at += steps[array[at] & 0xFF]) {
      if (array[at] == text[last] && matches(array, at - last)) {
        return true;
      }
    }
    return false;
  }

  private boolean matches(byte[] array, int from) {
    for (int i = 0; i < text.length - 1; i++) {
      if (array[from + i] != text[i]) {
        return false;
      }
    }
    return true;
  }
}
