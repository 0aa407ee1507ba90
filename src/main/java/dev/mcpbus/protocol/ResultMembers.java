package dev.mcpbus.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The members of an MCP result that mcpbus reads or rewrites. None of them may appear twice. All
 * other members pass to the caller unchanged and unchecked. Stateless.
 */
final class ResultMembers {

  /** Which part of the member's value must also be unambiguous. */
  private enum Within {
    /** Nothing: the code that reads the entries checks each of them. */
    NOTHING,
    /** Everything, at every depth. */
    ALL,
    /** The same members as of a result, because the value becomes the answer to a call. */
    RESULT
  }

  private record KnownMember(String name, Within within) {}

  /** At most 64, the number of bits of a {@code long}. */
  private static final List<KnownMember> ALL =
      List.of(
          new KnownMember(ResultType.MEMBER, Within.ALL),
          new KnownMember("_meta", Within.ALL),
          new KnownMember("isError", Within.ALL),
          new KnownMember("structuredContent", Within.NOTHING),
          new KnownMember("inputRequests", Within.ALL),
          new KnownMember("requestState", Within.ALL),
          new KnownMember("task", Within.ALL),
          new KnownMember("taskId", Within.ALL),
          new KnownMember("status", Within.ALL),
          new KnownMember("statusMessage", Within.ALL),
          new KnownMember("pollInterval", Within.ALL),
          new KnownMember("pollIntervalMs", Within.ALL),
          new KnownMember("result", Within.RESULT),
          new KnownMember("error", Within.ALL),
          new KnownMember("nextCursor", Within.ALL),
          new KnownMember("ttlMs", Within.ALL),
          new KnownMember("cacheScope", Within.ALL),
          new KnownMember("tools", Within.NOTHING),
          new KnownMember("prompts", Within.NOTHING),
          new KnownMember("resources", Within.NOTHING),
          new KnownMember("resourceTemplates", Within.NOTHING),
          new KnownMember("skills", Within.NOTHING),
          new KnownMember("skill", Within.NOTHING),
          new KnownMember("tasks", Within.ALL),
          new KnownMember("capabilities", Within.ALL),
          new KnownMember("protocolVersion", Within.ALL),
          new KnownMember("supportedVersions", Within.ALL),
          new KnownMember("serverInfo", Within.ALL),
          new KnownMember("instructions", Within.ALL));

  private static final int IS_ERROR = 2;

  /** Marks a result of a tool that reports a failure of its own. */
  static final RawJson TRUE = RawJson.of("true");

  private static final int LONGEST = 17;

  /** For each length of a name, the indexes of the members with that length. */
  private static final int[][] BY_LENGTH = new int[LONGEST + 1][];

  static {
    Arrays.setAll(BY_LENGTH, length -> numbers(length));
  }

  private static int[] numbers(int length) {
    return IntStream.range(0, ALL.size())
        .filter(i -> ALL.get(i).name().length() == length)
        .toArray();
  }

  private ResultMembers() {}

  /**
   * Skips the object under the cursor of {@code scanner}, which records a member that appears
   * twice.
   *
   * @param found gets {@code resultType} at {@code at}, so that no later search is needed, and
   *     {@link #TRUE} behind it if {@code isError} is true
   */
  static void skip(JsonScanner scanner, byte[] bytes, int depth, @Nullable RawJson[] found, int at)
      throws ProtocolException {
    if (!scanner.enterObject(depth)) {
      return;
    }
    long seen = 0;
    do {
      int key = scanner.name();
      int known = indexOf(scanner, bytes, key, scanner.position());
      scanner.expect(':');
      scanner.skipWhitespace();
      int from = scanner.position();
      if (known < 0) {
        scanner.skipValue(depth + 1);
        continue;
      }
      if ((seen & 1L << known) != 0) {
        scanner.ambiguous(key);
      }
      seen |= 1L << known;
      skip(scanner, bytes, depth + 1, ALL.get(known).within());
      if (known == 0) {
        found[at] = RawJson.slice(bytes, from, scanner.position() - from);
      } else if (known == IS_ERROR && bytes[from] == 't') {
        found[at + 1] = TRUE;
      }
    } while (scanner.more('}'));
  }

  private static void skip(JsonScanner scanner, byte[] bytes, int depth, Within within)
      throws ProtocolException {
    if (within == Within.ALL) {
      scanner.skipUnambiguous(depth);
    } else if (within == Within.RESULT && scanner.peek() == '{') {
      skip(scanner, bytes, depth, new RawJson[2], 0);
    } else {
      scanner.skipValue(depth);
    }
  }

  /** A name may be written with escapes; only then it is decoded. */
  private static int indexOf(JsonScanner scanner, byte[] bytes, int from, int to) {
    if (!scanner.isPlain()) {
      String name = new String(MemberName.decoded(bytes, from), StandardCharsets.UTF_8);
      return indexOf(name);
    }
    int length = to - from - 2;
    if (length <= LONGEST) {
      for (int i : BY_LENGTH[length]) {
        if (scanner.matches(from, to, ALL.get(i).name())) {
          return i;
        }
      }
    }
    return -1;
  }

  private static int indexOf(String name) {
    for (int i = 0; i < ALL.size(); i++) {
      if (ALL.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }
}
