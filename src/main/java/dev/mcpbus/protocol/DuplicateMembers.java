package dev.mcpbus.protocol;

import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds a member name that appears twice in one object; names are compared after their escapes are
 * decoded. It keeps the names of all open objects as numbers, the innermost object on top; a name
 * costs no other allocation.
 *
 * <p>Up to {@value #FEW} names of an object are compared with each other. The names of a wider
 * object are sorted at its end by a hash with a key that only this process has, so that an attacker
 * cannot make names collide. Single owner: the scanner that feeds it.
 */
final class DuplicateMembers {

  /** Up to this number of names, comparing all pairs costs less than sorting. */
  private static final int FEW = 16;

  /** Most requests have at most this number of names at once. */
  private static final int USUAL = 8;

  /** 2^61 - 1, a prime. */
  private static final long PRIME = (1L << 61) - 1;

  /** The key of the polynomial hash; a secret of this process. */
  private static final long KEY = (new SecureRandom().nextLong() >>> 4) | (1L << 40);

  private static final long POSITION = 0xFFFF_FFFFL;

  static final int NEW = -1;
  static final int BROKEN = -2;

  private final byte[] bytes;

  /**
   * For each name: a summary or hash in the upper bits, the position of its opening quote in the
   * lower bits.
   */
  private long[] names = new long[USUAL];

  private int size;

  /** How many names the last completed outermost object has; they are still in the array. */
  private int outermost;

  private boolean broken;

  DuplicateMembers(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Begins an object. The result is an argument of {@link #add} and {@link #close}. */
  int open() {
    return size;
  }

  /**
   * Adds the name between the quotes at {@code from} and {@code to - 1}, which is a valid string.
   *
   * @param plain whether it has no escapes
   * @return the position of an equal name in the same object, {@link #NEW} if there is none so far,
   *     {@link #BROKEN} if some parsers cannot read the name
   */
  int add(int object, int from, int to, boolean plain) {
    int summary = plain ? summary(bytes, from + 1, to - 1) : summary(from, to);
    if (broken) {
      broken = false;
      return BROKEN;
    }
    int count = size - object;
    if (count < FEW) {
      for (int i = object; i < size; i++) {
        if ((int) (names[i] >>> 32) == summary && same((int) names[i], from)) {
          return (int) names[i];
        }
      }
    }
    if (size == names.length) {
      names = Arrays.copyOf(names, 2 * size);
    }
    names[size++] = ((long) summary << 32) | from;
    return NEW;
  }

  /**
   * Ends an object.
   *
   * @return the position of a name that appears twice in it, -1 if there is none
   */
  int close(int object) {
    int found = size - object > FEW ? sorted(object) : -1;
    outermost = object == 0 && size <= FEW ? size : 0;
    size = object;
    return found;
  }

  /**
   * The index of the outermost object that begins at {@code start} and has just ended.
   *
   * @return null if its names are not known, or too many
   */
  @Nullable MemberIndex index(int start) {
    if (outermost == 0 || (int) names[0] < start) {
      return null;
    }
    MemberIndex index = new MemberIndex();
    for (int i = 0; i < outermost; i++) {
      index.add((int) names[i]);
    }
    return index;
  }

  private int sorted(int object) {
    for (int i = object; i < size; i++) {
      int from = (int) names[i];
      names[i] = (hash(from) & ~POSITION) | from;
    }
    Arrays.sort(names, object, size);
    for (int i = object + 1; i < size; i++) {
      for (int j = i - 1; j >= object && (names[i] ^ names[j]) >>> 32 == 0; j--) {
        if (same((int) names[i], (int) names[j])) {
          return (int) names[i];
        }
      }
    }
    return -1;
  }

  /**
   * A summary of the decoded name: its length and three of its bytes. Cheap; equal for equal names.
   */
  private int summary(int from, int to) {
    for (int i = from + 1; i < to - 1; i++) {
      if (bytes[i] == '\\') {
        byte[] text = MemberName.decoded(bytes, from);
        broken = MemberName.hasHalf(bytes, from);
        return summary(text, 0, text.length);
      }
    }
    return summary(bytes, from + 1, to - 1);
  }

  private static int summary(byte[] text, int from, int to) {
    int length = to - from;
    return length == 0
        ? 0
        : length << 24
            ^ (text[from] & 0xFF) << 16
            ^ (text[from + (length >> 1)] & 0xFF) << 8
            ^ (text[to - 1] & 0xFF);
  }

  private long hash(int from) {
    long hash = 0;
    for (int p = from + 1; bytes[p] != '"'; p++) {
      if (bytes[p] == '\\') {
        return hash(MemberName.decoded(bytes, from));
      }
      hash = step(hash, bytes[p]);
    }
    return hash << 3;
  }

  private static long hash(byte[] text) {
    long hash = 0;
    for (byte b : text) {
      hash = step(hash, b);
    }
    return hash << 3;
  }

  private static long step(long hash, byte next) {
    long sum = hash + (next & 0xFF) + 1;
    long low = sum * KEY;
    long high = Math.multiplyHigh(sum, KEY);
    return mod((low & PRIME) + ((low >>> 61) | (high << 3)));
  }

  private static long mod(long value) {
    long folded = (value & PRIME) + (value >>> 61);
    return folded >= PRIME ? folded - PRIME : folded;
  }

  private boolean same(int a, int b) {
    int p = a + 1;
    int q = b + 1;
    while (bytes[p] == bytes[q] && bytes[p] != '"' && bytes[p] != '\\') {
      p++;
      q++;
    }
    if (bytes[p] == '\\' || bytes[q] == '\\') {
      return Arrays.equals(MemberName.decoded(bytes, a), MemberName.decoded(bytes, b));
    }
    return bytes[p] == bytes[q];
  }
}
