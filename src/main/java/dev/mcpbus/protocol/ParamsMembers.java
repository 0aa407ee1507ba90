package dev.mcpbus.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The members of a request's params that determine its target and its effect. Some parsers
 * distinguish letter case and others do not: {@code "name"} and {@code "Name"} are two members for
 * the former and one for the latter. So these names must be written as MCP writes them. Stateless.
 */
final class ParamsMembers {

  private static final List<String> DECISIVE =
      List.of("name", "uri", "ref", "type", "taskId", "arguments", "method", "params");

  private static final int LONGEST = 9;

  /** The names by their length. */
  private static final String[][] BY_LENGTH = new String[LONGEST + 1][];

  static {
    Arrays.setAll(
        BY_LENGTH,
        length -> DECISIVE.stream().filter(name -> name.length() == length).toArray(String[]::new));
  }

  private ParamsMembers() {}

  /**
   * Skips the params under the cursor of {@code scanner}. The scanner records a member that appears
   * twice at any depth, and a decisive member with another spelling: in the params, in their {@code
   * ref}, and in the {@code params} of a request that they describe.
   */
  static void skip(JsonScanner scanner, byte[] bytes, int depth) throws ProtocolException {
    if (scanner.peek() != '{') {
      scanner.skipUnambiguous(depth);
      return;
    }
    if (!scanner.enterObject(depth)) {
      return;
    }
    DuplicateMembers names = scanner.names();
    int object = names == null ? 0 : names.open();
    do {
      int key = scanner.name();
      int to = scanner.position();
      String decisive = scanner.isPlain() ? plain(bytes, key, to) : decisive(text(bytes, key));
      if (decisive != null && !scanner.matches(key, to, decisive)) {
        checkSpelling(scanner, bytes, key, decisive);
      }
      if (names != null) {
        scanner.addName(names, object, key);
      }
      scanner.expect(':');
      if (decisive != null && (decisive.equals("ref") || decisive.equals("params"))) {
        skip(scanner, bytes, depth + 1);
      } else {
        scanner.skipUnambiguous(depth + 1);
      }
    } while (scanner.more('}'));
    int twice = names == null ? -1 : names.close(object);
    if (twice >= 0) {
      scanner.ambiguous(twice);
    }
  }

  private static void checkSpelling(JsonScanner scanner, byte[] bytes, int key, String decisive) {
    if (!text(bytes, key).equals(decisive)) {
      scanner.misspelt(key, decisive);
    }
  }

  /** The decisive name that this name equals in any letter case; null for all other names. */
  private static @Nullable String plain(byte[] bytes, int from, int to) {
    int length = to - from - 2;
    if (length <= LONGEST) {
      for (String name : BY_LENGTH[length]) {
        if (isEqual(bytes, from + 1, name)) {
          return name;
        }
      }
    }
    return null;
  }

  private static boolean isEqual(byte[] bytes, int from, String name) {
    for (int i = 0; i < name.length(); i++) {
      // | 0x20 turns capitals into small letters, and no other byte into a letter of these names.
      if ((bytes[from + i] | 0x20) != (name.charAt(i) | 0x20)) {
        return false;
      }
    }
    return true;
  }

  /** The decisive name that a C parser may read: such parsers end a string at a NUL. */
  private static @Nullable String decisive(String text) {
    int nul = text.indexOf('\0');
    String before = nul < 0 ? text : text.substring(0, nul);
    for (String name : DECISIVE) {
      if (before.equalsIgnoreCase(name)) {
        return name;
      }
    }
    return null;
  }

  private static String text(byte[] bytes, int from) {
    return new String(MemberName.decoded(bytes, from), StandardCharsets.UTF_8);
  }
}
