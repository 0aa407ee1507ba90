package dev.mcpbus.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The positions of the members of one valid object. The check of an object visits each name anyway;
 * with this index no later search has to scan the object again. Of two members with one name it
 * finds the first. Filled by one thread, then never changed.
 */
final class MemberIndex {

  /** The position of a member in its array: the opening quote of its name, and its value. */
  record MemberPosition(int key, int from, int to) {}

  /** Room for the members of most objects. */
  private static final int USUAL = 4;

  /** The opening quote of each name, in their order. */
  private int[] keys = new int[USUAL];

  private int count;

  /** Adds the name whose opening quote is at {@code key}; names are added in their order. */
  void add(int key) {
    if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count);
    }
    keys[count++] = key;
  }

  /**
   * Finds a member.
   *
   * @param array contains the object
   * @param end the end of the object, after its closing brace
   */
  @Nullable MemberPosition find(byte[] array, int end, String name) {
    for (int i = 0; i < count; i++) {
      int nameEnd = endOf(array, keys[i], name);
      if (nameEnd > 0) {
        int from = after(array, after(array, nameEnd) + 1);
        return new MemberPosition(keys[i], from, valueEnd(array, end, i));
      }
    }
    return null;
  }

  int count() {
    return count;
  }

  /** The opening quote of the name of one member. */
  int key(int member) {
    return keys[member];
  }

  /** The end of the value of one member; parameters as in {@link #find}. */
  int valueEnd(byte[] array, int end, int member) {
    return member + 1 < count
        ? before(array, before(array, keys[member + 1]) - 1)
        : before(array, end - 1);
  }

  /** The end of the name at {@code key} if it equals {@code name}; else 0. */
  private static int endOf(byte[] array, int key, String name) {
    int p = key + 1;
    for (int i = 0; i < name.length(); i++, p++) {
      byte b = array[p];
      char c = name.charAt(i);
      if (b != c || b == '\\') {
        return b == '\\' || b < 0 ? endOfDecoded(array, key, name) : 0;
      }
    }
    if (array[p] == '"') {
      return p + 1;
    }
    return array[p] == '\\' ? endOfDecoded(array, key, name) : 0;
  }

  /** Compares a name with escapes, which can be written in many ways. */
  private static int endOfDecoded(byte[] array, int key, String name) {
    if (!Arrays.equals(MemberName.decoded(array, key), name.getBytes(StandardCharsets.UTF_8))) {
      return 0;
    }
    int p = key + 1;
    while (array[p] != '"') {
      p += array[p] == '\\' ? 2 : 1;
    }
    return p + 1;
  }

  /** The position of the first byte from {@code at} on that is not a blank. */
  private static int after(byte[] array, int at) {
    int p = at;
    while (array[p] <= ' ' && array[p] >= 0) {
      p++;
    }
    return p;
  }

  /** The end of the text before {@code end}, without trailing blanks. */
  private static int before(byte[] array, int end) {
    int p = end;
    while (array[p - 1] <= ' ' && array[p - 1] >= 0) {
      p--;
    }
    return p;
  }
}
