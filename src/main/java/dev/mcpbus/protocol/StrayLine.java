package dev.mcpbus.protocol;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells what a line of a server is that could not be read as a message: a log line, or a message
 * that is cut, merged or misspelt. A JSON object without a member {@code jsonrpc}, in any letter
 * case, is no message of JSON-RPC 2.0, whatever else it has; nor is an array of such objects, nor a
 * log line that begins with a word in brackets. Text that is no JSON may be part of a message where
 * it has that member, or begins with one of the others. Each method reads the line a few times at
 * most. Stateless; any thread.
 */
public final class StrayLine {

  private static final byte[] VERSION = "\"jsonrpc\"".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NAME = "jsonrpc\"".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OBJECT = "{\"jsonrpc\"".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ID = "\"id\"".getBytes(StandardCharsets.US_ASCII);
  private static final byte ESCAPE = 0x1B;

  /** The message answers no request of ours. */
  public static final long NOBODY = -2;

  private static final int NULL = 'n';
  private static final Set<String> MEMBERS =
      Set.of("jsonrpc", "id", "method", "params", "result", "error");

  private StrayLine() {}

  /** Whether the line may be a message, or a part of one, so that it must not be skipped. */
  public static boolean mayBeMessage(byte[] bytes, int from, int to, ParseLimits limits) {
    if (from == to) {
      return false;
    }
    if (bytes[from] == '"') {
      return versionAt(bytes, from, to); // the second line of a message that is spread over several
    }
    if (bytes[from] != '{') {
      return bytes[from] == '[' && isArray(bytes, from, to) && hasVersion(bytes, from, to);
    }
    JsonScanner scanner = new JsonScanner(bytes, from, to - from, limits);
    boolean versioned = false;
    String first = "";
    try {
      if (scanner.enterObject(1)) {
        do {
          String name = name(scanner, bytes);
          first = first.isEmpty() ? name : first;
          versioned |= name.equalsIgnoreCase("jsonrpc");
          scanner.expect(':');
          scanner.skipValue(2);
        } while (scanner.more('}'));
      }
      scanner.expectEnd();
      return versioned;
    } catch (ProtocolException e) {
      return versioned || MEMBERS.contains(first) || hasVersion(bytes, from, to);
    }
  }

  /**
   * Who waits for what an object that could not be read as a message was to be.
   *
   * @return the id of the request that it seems to answer; {@link #NOBODY} where it answers none;
   *     -1 where that cannot be told, as of a member that stands twice or a message behind another,
   *     and where the server waits itself: a request of it
   */
  public static long answers(byte[] bytes, int from, int to, ParseLimits limits) {
    if (from == to || bytes[from] != '{') {
      return -1;
    }
    JsonScanner scanner = new JsonScanner(bytes, from, to - from, limits);
    Map<String, Integer> found = new HashMap<>(); // each member with the first byte of its value
    long id = -1;
    boolean broken = false;
    boolean isNotification = false;
    boolean cut = false; // before the id of a request
    try {
      if (scanner.enterObject(1)) {
        do {
          String name = name(scanner, bytes).toLowerCase(Locale.ROOT);
          scanner.expect(':');
          int first = scanner.peek();
          int at = scanner.position();
          if (MEMBERS.contains(name) && found.put(name, first) != null) {
            return -1;
          }
          scanner.skipValue(2);
          if (name.equals("method") && first == '"') {
            String method = RawJson.slice(bytes, at, scanner.position() - at).asString();
            isNotification = method.startsWith("notifications/");
          }
          if (name.equals("id")) {
            id = RawJson.slice(bytes, at, scanner.position() - at).asLong();
          }
        } while (scanner.more('}'));
      }
      scanner.expectEnd();
    } catch (ProtocolException e) {
      int version = find(NAME, bytes, from, to);
      if (find(NAME, bytes, version + 1, to) < to) {
        return -1; // another message follows
      }
      broken = true;
      cut = !isNotification && find(ID, bytes, scanner.position(), to) < to;
    }
    boolean versioned = found.containsKey("jsonrpc");
    int error = found.getOrDefault("error", NULL);
    boolean said = error != NULL || found.getOrDefault("result", NULL) != NULL;
    if (found.getOrDefault("method", NULL) != NULL) {
      boolean asks = cut || found.getOrDefault("id", NULL) != NULL;
      return versioned && (said || asks) ? -1 : NOBODY;
    }
    boolean answer = versioned ? said || !broken : said && (error == NULL || error == '{');
    return answer && id >= 0 ? id : broken || (said && !versioned) ? -1 : NOBODY;
  }

  /** Whether an event that is no message was meant as one: a keep-alive has no result or error. */
  public static boolean isMeant(byte[] bytes, int from, int to, ParseLimits limits) {
    int p = from;
    while (p < to && (bytes[p] == ' ' || (bytes[p] >= '\t' && bytes[p] <= '\r'))) {
      p++;
    }
    return p < to
        && (bytes[p] == '{'
            ? answers(bytes, p, to, limits) != NOBODY
            : bytes[p] == '[' && isArray(bytes, p, to));
  }

  /**
   * The answer that ends the line, behind other text that is no part of a message: a server wrote
   * the text without a line break. Null where there is none.
   */
  public static @Nullable Envelope behindText(byte[] bytes, int from, int to, ParseLimits limits) {
    int brace = from + 1;
    while (brace < to && bytes[brace] != '{') {
      brace++;
    }
    int named = find(OBJECT, bytes, from + 1, to);
    Envelope found = answerAt(brace, bytes, from, to, limits);
    return found != null || named == brace ? found : answerAt(named, bytes, from, to, limits);
  }

  /** Whether a terminal shows nothing of these bytes: control characters, colours, cursor moves. */
  public static boolean isInvisible(byte[] bytes, int from, int to) {
    for (int p = from; p < to; p++) {
      if (bytes[p] == ESCAPE && p + 1 < to && bytes[p + 1] == '[') {
        p += 2;
        while (p < to && bytes[p] >= ' ' && bytes[p] <= '?') {
          p++;
        }
      } else if (bytes[p] < 0 || bytes[p] > ' ') {
        return false;
      }
    }
    return true;
  }

  private static @Nullable Envelope answerAt(
      int at, byte[] bytes, int from, int to, ParseLimits limits) {
    if (at >= to) {
      return null;
    }
    try {
      Envelope found = Envelope.received(bytes, at, to - at, limits);
      boolean batch = bytes[from] == '[' && isInvisible(bytes, from + 1, at);
      return found.kind().isAnswer() && !batch && !mayBeMessage(bytes, from, at, limits)
          ? found
          : null;
    } catch (ProtocolException e) {
      return null;
    }
  }

  private static String name(JsonScanner scanner, byte[] bytes) throws ProtocolException {
    int key = scanner.name();
    return new String(MemberName.decoded(bytes, key), StandardCharsets.UTF_8);
  }

  /** Whether the bracket here begins an array of objects or an empty one: not so {@code [INFO]}. */
  private static boolean isArray(byte[] bytes, int from, int to) {
    int p = from + 1;
    while (p < to && (bytes[p] == ' ' || bytes[p] == '\t' || bytes[p] == '\r')) {
      p++;
    }
    return p < to && (bytes[p] == '{' || bytes[p] == ']');
  }

  private static boolean hasVersion(byte[] bytes, int from, int to) {
    for (int at = find(VERSION, bytes, from, to); at < to; at = find(VERSION, bytes, at + 1, to)) {
      if (versionAt(bytes, at, to)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the member {@code jsonrpc} begins here: a colon follows the name. */
  private static boolean versionAt(byte[] bytes, int at, int to) {
    int p = at + VERSION.length;
    if (p > to || !matches(VERSION, bytes, at)) {
      return false;
    }
    while (p < to && (bytes[p] == ' ' || bytes[p] == '\t')) {
      p++;
    }
    return p < to && bytes[p] == ':';
  }

  /** Where {@code wanted} begins, in any letter case; {@code to} if it is not there. */
  private static int find(byte[] wanted, byte[] bytes, int from, int to) {
    for (int at = from; at + wanted.length <= to; at++) {
      if (bytes[at] == wanted[0] && matches(wanted, bytes, at)) {
        return at;
      }
    }
    return to;
  }

  private static boolean matches(byte[] wanted, byte[] bytes, int at) {
    for (int i = 0; i < wanted.length; i++) {
      if (Character.toLowerCase(bytes[at + i]) != wanted[i]) {
        return false;
      }
    }
    return true;
  }
}
