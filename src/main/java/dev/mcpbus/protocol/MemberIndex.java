package dev.mcpbus.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the members of one valid object stand: whoever checks an object meets each of its names
 * anyway, so that nobody has to read it again to find one of them. Of two of one name it finds the
 * first.
 */
final class MemberIndex {

  /** Where a member stands in its array: its name from the opening quote, its value. */
  record Member(int key, int from, int to) {}

  /** Room for the members of most objects. */
  private static final int USUAL = 4;

  /** The opening quote of each name, in their order. */
  private int[] keys = new int[USUAL];

  private int count;

  /** The name whose opening quote is at {@code key} follows those that are here. */
  void add(int key) {
    if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count);
    }
    keys[count++] = key;
  }

  /**
   * @param array holds the object
   * @param end where the object ends, after its closing brace
   */
  @Nullable Member find(byte[] array, int end, String name) {
    for (int i = 0; i < count; i++) {
      int nameEnd = endOf(array, keys[i], name);
      if (nameEnd > 0) {
        int from = after(array, after(array, nameEnd) + 1);
        return i + 1 < count
            ? new Member(keys[i], from, before(array, before(array, keys[i + 1]) - 1))
            : new Member(keys[i], from, before(array, end - 1));
      }
    }
    return null;
  }

  /** Where the name at {@code key} ends, if it is {@code name}; else 0. */
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

  /** By an escape a name can be written in many ways. */
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

  /** The first byte from {@code at} on that is no blank. */
  private static int after(byte[] array, int at) {
    int p = at;
    while (array[p] <= ' ' && array[p] >= 0) {
      p++;
    }
    return p;
  }

  /** The end of what stands before {@code end}, without blanks. */
  private static int before(byte[] array, int end) {
    int p = end;
    while (array[p - 1] <= ' ' && array[p - 1] >= 0) {
      p--;
    }
    return p;
  }
}
