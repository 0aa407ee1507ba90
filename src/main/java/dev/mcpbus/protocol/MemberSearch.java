package dev.mcpbus.protocol;

import dev.mcpbus.protocol.MemberIndex.MemberPosition;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Finds a direct member of a valid object that has no {@link MemberIndex}. Stateless. */
final class MemberSearch {

  private MemberSearch() {}

  /** Of two members with that name it returns the first; only content of a server can have two. */
  static @Nullable MemberPosition find(byte[] array, int offset, int length, String name) {
    return mayHave(array, offset, length, name) ? read(array, offset, length, name) : null;
  }

  /**
   * False if no member has this name, at any depth. Most searches are for absent members; this
   * finds that out several times faster than scanning the object.
   */
  private static boolean mayHave(byte[] array, int offset, int length, String name) {
    int end = offset + length;
    int last = end - name.length() - 2;
    for (int at = offset; at < end; at++) {
      byte b = array[at];
      if (b == '\\' || (b == '"' && at <= last && isQuoted(array, at, name))) {
        return true; // with an escape a name can be written in many ways
      }
    }
    return false;
  }

  private static boolean isQuoted(byte[] array, int at, String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c > 0x7F) {
        return true; // possibly equal; read() decides
      }
      if (array[at + 1 + i] != c) {
        return false;
      }
    }
    return array[at + 1 + name.length()] == '"';
  }

  /** Scans from the start to the member. */
  private static @Nullable MemberPosition read(byte[] array, int offset, int length, String name) {
    Steps steps = new Steps(array, offset, length);
    while (steps.next()) {
      if (isName(steps.scanner, array, steps.key, steps.keyEnd, name)) {
        return new MemberPosition(steps.key, steps.from, steps.scanner.position());
      }
    }
    return null;
  }

  /** The index of a valid object; of two members with one name it finds the first. */
  static MemberIndex index(byte[] array, int offset, int length) {
    Steps steps = new Steps(array, offset, length);
    MemberIndex index = new MemberIndex();
    while (steps.next()) {
      index.add(steps.key);
    }
    return index;
  }

  /** Moves from member to member. */
  private static final class Steps {
    private final JsonScanner scanner;
    private boolean first = true;
    private int key;
    private int keyEnd;
    private int from;

    Steps(byte[] array, int offset, int length) {
      scanner = new JsonScanner(array, offset, length, ParseLimits.CHECKED);
    }

    /** False at the end of the object. */
    boolean next() {
      try {
        if (!(first ? scanner.enterObject(1) : scanner.more('}'))) {
          return false;
        }
        first = false;
        key = scanner.name();
        keyEnd = scanner.position();
        scanner.expect(':');
        scanner.skipWhitespace();
        from = scanner.position();
        scanner.skipValue(2);
        return true;
      } catch (ProtocolException e) {
        throw new IllegalStateException("raw JSON was not checked", e);
      }
    }
  }

  /** Only a name with escapes or non-ASCII characters has to be decoded. */
  private static boolean isName(JsonScanner scanner, byte[] array, int from, int to, String name) {
    if (name.indexOf('\\') < 0 && scanner.matches(from, to, name)) {
      return true;
    }
    for (int i = from; i < to; i++) {
      if (array[i] == '\\' || array[i] < 0) {
        return Arrays.equals(
            MemberName.decoded(array, from), name.getBytes(StandardCharsets.UTF_8));
      }
    }
    return false;
  }
}
