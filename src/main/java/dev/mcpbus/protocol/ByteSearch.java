package dev.mcpbus.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds a short text in many bytes. It compares the first three bytes of the text at eight places
 * at once, without a branch, and the rest only where these match. Immutable.
 */
public final class ByteSearch {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long EACH = 0x0101010101010101L;
  private static final long HIGH = 0x8080808080808080L;
  private static final int PLACES = 8;

  private final byte[] text;
  private final long first;
  private final long second;
  private final long third;

  /**
   * @param text of at least three bytes in UTF-8
   */
  public ByteSearch(String text) {
    this.text = text.getBytes(StandardCharsets.UTF_8);
    this.first = (this.text[0] & 0xFF) * EACH;
    this.second = (this.text[1] & 0xFF) * EACH;
    this.third = (this.text[2] & 0xFF) * EACH;
  }

  /** Whether the text is somewhere in the bytes, in a name or in a value. */
  public boolean isIn(RawJson json) {
    return isIn(json.array(), json.offset(), json.length());
  }

  /** Whether the text is in that part of the array. */
  boolean isIn(byte[] array, int offset, int length) {
    int end = offset + length;
    int at = offset;
    for (; at + PLACES + 2 <= end; at += PLACES) {
      long differing =
          ((long) LONGS.get(array, at) ^ first)
              | ((long) LONGS.get(array, at + 1) ^ second)
              | ((long) LONGS.get(array, at + 2) ^ third);
      if (((differing - EACH) & ~differing & HIGH) != 0 && isNear(array, at, at + PLACES, end)) {
        return true;
      }
    }
    return isNear(array, at, end, end);
  }

  /** Whether the text begins between two places. */
  private boolean isNear(byte[] array, int from, int to, int end) {
    for (int at = from; at < to && at + text.length <= end; at++) {
      if (Arrays.equals(array, at, at + text.length, text, 0, text.length)) {
        return true;
      }
    }
    return false;
  }
}
