package dev.mcpbus.protocol;

import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds a member name that stands twice in one object, compared as it reads once its escapes are
 * decoded. Holds the names of all objects that are open, the innermost on top, as numbers: nothing
 * is made for a name but the number.
 *
 * <p>A name is compared with those before it up to {@value #FEW} of them. The names of a wider
 * object are sorted at its end by a hash whose key nobody outside this process knows, so that names
 * made to collide cost no more than others. Single owner: the scanner that feeds it.
 */
final class DuplicateMembers {

  /** Up to here comparing each with each costs less than sorting. */
  private static final int FEW = 16;

  /** Most requests have no more names than this at once. */
  private static final int USUAL = 8;

  /** 2^61 - 1, a prime. */
  private static final long PRIME = (1L << 61) - 1;

  /** Of the polynomial hash; a secret of this process. */
  private static final long KEY = (new SecureRandom().nextLong() >>> 4) | (1L << 40);

  private static final long POSITION = 0xFFFF_FFFFL;

  static final int NEW = -1;
  static final int BROKEN = -2;

  private final byte[] bytes;

  /** Per name: a summary or hash above, the position of its opening quote below. */
  private long[] names = new long[USUAL];

  private int size;

  /** How many names the outermost object had that ended last: they are still there. */
  private int outermost;

  private boolean broken;

  DuplicateMembers(byte[] bytes) {
    this.bytes = bytes;
  }

  /** An object begins; what this gives goes into {@link #add} and {@link #close}. */
  int open() {
    return size;
  }

  /**
   * Takes the name between the quotes at {@code from} and {@code to - 1}, which is a valid string.
   *
   * @param plain whether it has no escapes
   * @return the position of an equal name of the same object, {@link #NEW} where there is none so
   *     far, {@link #BROKEN} where it is no text that all parsers can read
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
   * The object has ended.
   *
   * @return the position of a name that stands twice in it, -1 where there is none
   */
  int close(int object) {
    int found = size - object > FEW ? sorted(object) : -1;
    outermost = object == 0 && size <= FEW ? size : 0;
    size = object;
    return found;
  }

  /**
   * Of the object that begins at {@code start}, which has just ended and was in no other.
   *
   * @return null where its names are not known, or too many
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

  /** Of the decoded name: its length and three of its bytes. Cheap; equal for equal names. */
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
