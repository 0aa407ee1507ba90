package dev.mcpbus.protocol;

import dev.mcpbus.protocol.MemberIndex.MemberPosition;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies of an object with other members: each copies the object's bytes once, and changes only
 * those of the member. The caller has checked that the value is an object. Stateless.
 */
final class MemberSplice {

  private static final byte[] NOTHING = {};
  private static final byte[] COMMA = {','};

  private MemberSplice() {}

  /**
   * The object with a member set.
   *
   * @param old the place of the present member; null for a new one, which becomes the first
   */
  static RawJson with(RawJson object, @Nullable MemberPosition old, String name, RawJson value) {
    int offset = object.offset();
    if (old != null) {
      return spliced(object, old.from() - offset, old.to() - old.from(), NOTHING, value, NOTHING);
    }
    byte[] quoted = RawJson.quoted(name);
    byte[] key = Arrays.copyOf(quoted, quoted.length + 1);
    key[quoted.length] = ':';
    byte[] array = object.array();
    boolean empty = array[skipBlanks(array, offset + 1, 1)] == '}';
    return spliced(object, 1, 0, key, value, empty ? NOTHING : COMMA);
  }

  /** The object without the member at that place. */
  static RawJson without(RawJson object, MemberPosition old) {
    byte[] array = object.array();
    int from = old.key();
    int to = skipBlanks(array, old.to(), 1);
    int before = skipBlanks(array, from - 1, -1);
    if (array[to] == ',') {
      to++;
    } else if (array[before] == ',') {
      from = before;
    }
    int length = object.length() - (to - from);
    byte[] out = new byte[length];
    int head = from - object.offset();
    System.arraycopy(array, object.offset(), out, 0, head);
    System.arraycopy(array, to, out, head, length - head);
    return RawJson.slice(out, 0, length);
  }

  /**
   * The object without the members of these names; the object itself if it has none of them.
   *
   * @param members of the object
   */
  static RawJson without(RawJson object, MemberIndex members, Set<String> names) {
    byte[] array = object.array();
    int end = object.offset() + object.length();
    Set<Integer> removed = new HashSet<>();
    for (String name : names) {
      MemberPosition found = members.find(array, end, name);
      if (found != null) {
        removed.add(found.key());
      }
    }
    if (removed.isEmpty()) {
      return object;
    }
    byte[] out = new byte[object.length()];
    int p = 0;
    out[p++] = '{';
    for (int i = 0; i < members.count(); i++) {
      int key = members.key(i);
      if (!removed.contains(key)) {
        if (p > 1) {
          out[p++] = ',';
        }
        int bytes = members.valueEnd(array, end, i) - key;
        System.arraycopy(array, key, out, p, bytes);
        p += bytes;
      }
    }
    out[p++] = '}';
    return RawJson.slice(out, 0, p);
  }

  private static int skipBlanks(byte[] array, int from, int step) {
    int p = from;
    while (array[p] <= ' ') {
      p += step;
    }
    return p;
  }

  private static RawJson spliced(
      RawJson object, int at, int removed, byte[] before, RawJson value, byte[] after) {
    byte[] array = object.array();
    int offset = object.offset();
    int length = object.length();
    byte[] out = new byte[length - removed + before.length + value.length() + after.length];
    System.arraycopy(array, offset, out, 0, at);
    int p = at;
    System.arraycopy(before, 0, out, p, before.length);
    p += before.length;
    System.arraycopy(value.array(), value.offset(), out, p, value.length());
    p += value.length();
    System.arraycopy(after, 0, out, p, after.length);
    p += after.length;
    System.arraycopy(array, offset + at + removed, out, p, length - at - removed);
    return RawJson.slice(out, 0, out.length);
  }
}
