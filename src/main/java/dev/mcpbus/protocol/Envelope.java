package dev.mcpbus.protocol;

import static dev.mcpbus.protocol.ProtocolException.TextFault.BATCH;
import static dev.mcpbus.protocol.ProtocolException.TextFault.DUPLICATE_KEY;
import static dev.mcpbus.protocol.ProtocolException.TextFault.NOT_JSON_RPC;
import static dev.mcpbus.protocol.ProtocolException.TextFault.TOO_LARGE;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One JSON-RPC 2.0 message: the envelope is parsed, the payload stays bytes. Immutable; a view over
 * the parsed array, which must not change afterwards.
 *
 * <p>The parser is strict: the members of the envelope may come in any order, but none twice and
 * none in another letter case, and nothing may follow the message. No member may appear twice in
 * the content either: in {@code params}, {@code error} and unknown members at any depth, in a
 * {@code result} among the members that mcpbus reads. Parsers differ in which of two equal members
 * they take. So mcpbus would otherwise check one value, and the other side would read another.
 *
 * <p>A member of the envelope that is written as {@code null} counts as absent: it has one meaning
 * only, and many peers write it ({@link #hasNulls}). The {@code id} of a request is no exception
 * where it would turn the request into a notification: such a message is refused.
 */
@PublicApi
public final class Envelope {

  /** The four shapes of JSON-RPC 2.0. */
  public enum Kind {
    REQUEST,
    NOTIFICATION,
    RESULT,
    ERROR;

    /** Whether it answers a request. */
    public boolean isAnswer() {
      return this == RESULT || this == ERROR;
    }
  }

  private static final RawJson VERSION = RawJson.string("2.0");

  private static final int ID = 1;
  private static final int METHOD = 2;
  private static final int PARAMS = 3;
  private static final int RESULT = 4;
  private static final int ERROR = 5;
  private static final int RESULT_TYPE = 6;

  /** A member of the envelope is null. */
  private static final int NULLS = 8;

  private static final String[] MEMBERS = {"jsonrpc", "id", "method", "params", "result", "error"};

  private final Kind kind;
  private final RawJson text;
  private final @Nullable RawJson id;
  private final @Nullable String method;
  private final @Nullable RawJson payload;
  private final @Nullable RawJson resultType;
  private final boolean toolError;
  private final boolean nulls;
  private final @Nullable ProtocolException ambiguity;

  private Envelope(
      Kind kind,
      RawJson text,
      @Nullable RawJson id,
      @Nullable String method,
      @Nullable RawJson payload,
      @Nullable RawJson resultType,
      boolean toolError,
      boolean nulls,
      @Nullable ProtocolException ambiguity) {
    this.kind = kind;
    this.text = text;
    this.id = id;
    this.method = method;
    this.payload = payload;
    this.resultType = resultType;
    this.toolError = toolError;
    this.nulls = nulls;
    this.ambiguity = ambiguity;
  }

  /**
   * Parses exactly one message of a client. Accepts a byte order mark and blanks around it.
   *
   * @throws ProtocolException names the fault and the byte
   */
  public static Envelope parse(byte[] bytes, int offset, int length, ParseLimits limits)
      throws ProtocolException {
    Envelope message = read(bytes, offset, length, limits, true);
    if (message.ambiguity != null) {
      throw message.ambiguity;
    }
    return message;
  }

  /**
   * Parses a message of a server, or a message for a caller that reports a bad message and
   * continues with the next one. A message with ambiguous content is returned, too: {@link
   * #ambiguity()} names the reason, and only its id, method and text can be read.
   *
   * @throws ProtocolException if this is no JSON-RPC message
   */
  public static Envelope received(byte[] bytes, int offset, int length, ParseLimits limits)
      throws ProtocolException {
    return read(bytes, offset, length, limits, false);
  }

  /** Whether a text is an array, by its first byte: a JSON-RPC batch (MCP 2025-03-26 alone). */
  public static boolean isBatch(byte[] bytes, int offset, int length) {
    int at = offset;
    while (at < offset + length && (bytes[at] == ' ' || (bytes[at] >= '\t' && bytes[at] <= '\r'))) {
      at++;
    }
    return at < offset + length && bytes[at] == '[';
  }

  /**
   * Parses the messages of a batch: all of them, or none.
   *
   * @param ofClient as {@link #parse} reads one, else as {@link #received}
   * @throws ProtocolException also for an empty batch, and for one within another
   */
  public static List<Envelope> batch(
      byte[] bytes, int offset, int length, ParseLimits limits, boolean ofClient)
      throws ProtocolException {
    if (length > limits.maxBytes()) {
      throw tooLarge(length, limits);
    }
    JsonScanner scanner = new JsonScanner(bytes, offset, length, limits);
    List<Envelope> messages = new ArrayList<>();
    scanner.skipWhitespace();
    scanner.expect('[');
    do {
      scanner.skipWhitespace();
      int from = scanner.position();
      if (scanner.peek() == ']') {
        throw scanner.fail(NOT_JSON_RPC, "a batch has one message at least");
      }
      scanner.skipValue(1);
      int size = scanner.position() - from;
      messages.add(
          ofClient ? parse(bytes, from, size, limits) : received(bytes, from, size, limits));
    } while (scanner.more(']'));
    scanner.expectEnd();
    return messages;
  }

  private static ProtocolException tooLarge(int length, ParseLimits limits) {
    return new ProtocolException(
        TOO_LARGE,
        limits.maxBytes(),
        length + " bytes are more than the limit of " + limits.maxBytes());
  }

  private static Envelope read(
      byte[] bytes, int offset, int length, ParseLimits limits, boolean strictParams)
      throws ProtocolException {
    if (length > limits.maxBytes()) {
      throw tooLarge(length, limits);
    }
    JsonScanner scanner = new JsonScanner(bytes, offset, length, limits);
    scanner.skipByteOrderMark();
    int first = scanner.peek();
    if (first == '[') {
      throw scanner.fail(BATCH, "JSON-RPC batches are part of MCP 2025-03-26 alone");
    }
    int from = scanner.position();
    RawJson[] found = new RawJson[MEMBERS.length + 3];
    MemberIndex known = strictParams ? new MemberIndex() : null;
    if (scanner.enterObject(1)) {
      DuplicateMembers unknown = null;
      do {
        int key = scanner.name();
        int index = indexOf(scanner, bytes, key, scanner.position());
        if (known != null) {
          known.add(key);
        }
        if (index < 0) {
          unknown = unknown == null ? new DuplicateMembers(bytes) : unknown;
          scanner.addName(unknown, 0, key);
        }
        member(scanner, bytes, index, found, strictParams);
      } while (scanner.more('}'));
      int twice = unknown == null ? -1 : unknown.close(0);
      if (twice >= 0) {
        scanner.ambiguous(twice);
      }
    }
    RawJson text = RawJson.indexed(bytes, from, scanner.position() - from, known);
    scanner.expectEnd();
    return classify(scanner, text, found);
  }

  private static void member(
      JsonScanner scanner, byte[] bytes, int index, RawJson[] found, boolean strictParams)
      throws ProtocolException {
    scanner.expect(':');
    scanner.skipWhitespace();
    int from = scanner.position();
    if (index == RESULT && scanner.peek() == '{') {
      ResultMembers.skip(scanner, bytes, 2, found, RESULT_TYPE);
    } else if (index == RESULT) {
      scanner.skipValue(2);
    } else if (index == PARAMS && strictParams) {
      ParamsMembers.skip(scanner, bytes, 2);
    } else {
      scanner.skipUnambiguous(2);
    }
    if (index < 0) {
      return;
    }
    if (index > 0 && bytes[from] == 'n') {
      found[NULLS] = RawJson.NULL;
    }
    if (found[index] != null) {
      throw scanner.fail(DUPLICATE_KEY, "member \"" + MEMBERS[index] + "\" stands twice");
    }
    found[index] =
        index == PARAMS
            ? RawJson.indexed(bytes, from, scanner.position() - from, scanner.index(from))
            : RawJson.slice(bytes, from, scanner.position() - from);
  }

  private static int indexOf(JsonScanner scanner, byte[] bytes, int from, int to)
      throws ProtocolException {
    for (int i = 0; i < MEMBERS.length; i++) {
      if (scanner.matches(from, to, MEMBERS[i])) {
        return i;
      }
    }
    String key = new String(MemberName.decoded(bytes, from), StandardCharsets.UTF_8);
    for (int i = 0; i < MEMBERS.length; i++) {
      if (key.equalsIgnoreCase(MEMBERS[i])) {
        if (key.equals(MEMBERS[i])) {
          return i;
        }
        throw scanner.fail(
            DUPLICATE_KEY, "member \"" + key + "\" must be written \"" + MEMBERS[i] + "\"");
      }
    }
    return -1;
  }

  private static Envelope classify(JsonScanner scanner, RawJson text, @Nullable RawJson[] found)
      throws ProtocolException {
    boolean nulls = found[NULLS] != null && dropNulls(found);
    RawJson version = found[0];
    RawJson id = found[ID];
    RawJson method = found[METHOD];
    RawJson params = found[PARAMS];
    RawJson result = found[RESULT];
    RawJson error = found[ERROR];
    ProtocolException twice = scanner.ambiguity();
    if (!isVersion(version)) {
      throw scanner.fail(NOT_JSON_RPC, "member \"jsonrpc\" must be \"2.0\"");
    }
    if (method != null) {
      if (!method.isString() || result != null || error != null) {
        throw scanner.fail(NOT_JSON_RPC, "a request has a \"method\" string and no result");
      }
      if (params != null && !params.isObject()) {
        throw scanner.fail(NOT_JSON_RPC, "\"params\" must be an object");
      }
      Kind kind = id == null ? Kind.NOTIFICATION : Kind.REQUEST;
      if (id != null && !id.isString() && !isNumber(id)) {
        throw scanner.fail(NOT_JSON_RPC, "a request's \"id\" must be a string or a number");
      }
      return new Envelope(kind, text, id, method.asString(), params, null, false, nulls, twice);
    }
    if (result != null && error == null) {
      boolean toolError = found[RESULT_TYPE + 1] != null;
      return new Envelope(
          Kind.RESULT, text, id, null, result, found[RESULT_TYPE], toolError, nulls, twice);
    }
    if (error != null && result == null) {
      if (!error.isObject()) {
        throw scanner.fail(NOT_JSON_RPC, "\"error\" must be an object");
      }
      return new Envelope(Kind.ERROR, text, id, null, error, null, false, nulls, twice);
    }
    throw scanner.fail(
        NOT_JSON_RPC, "a message has a \"method\", or either a \"result\" or an \"error\"");
  }

  /**
   * Takes members that are null out of an envelope: all but the only member of an answer, {@code
   * "result": null}, and the id of what is no notification.
   *
   * @return whether there was one, beside the id of an answer or a request
   */
  private static boolean dropNulls(@Nullable RawJson[] found) {
    boolean dropped = isNull(found[RESULT]);
    for (int i : new int[] {METHOD, PARAMS, ERROR}) {
      dropped |= isNull(found[i]);
      found[i] = present(found[i]);
    }
    RawJson method = found[METHOD];
    if (method != null || found[ERROR] != null) {
      found[RESULT] = present(found[RESULT]);
    }
    if (isNull(found[ID])
        && method != null
        && method.isString()
        && method.asString().startsWith(Methods.NOTIFICATIONS)) {
      found[ID] = null;
      dropped = true;
    }
    return dropped;
  }

  private static boolean isNull(@Nullable RawJson value) {
    return value != null && value.isNull();
  }

  private static @Nullable RawJson present(@Nullable RawJson value) {
    return isNull(value) ? null : value;
  }

  /** Compares bytes first, because almost no peer writes the version with escapes. */
  private static boolean isVersion(@Nullable RawJson value) {
    return VERSION.equals(value)
        || (value != null && value.isString() && value.asString().equals("2.0"));
  }

  private static boolean isNumber(RawJson value) {
    byte first = value.array()[value.offset()];
    return first == '-' || (first >= '0' && first <= '9');
  }

  public Kind kind() {
    return kind;
  }

  /** The whole message. */
  public RawJson text() {
    return text;
  }

  /** The id as it was written, or null if there is none. */
  public @Nullable RawJson id() {
    return id;
  }

  /** The id if it is a non-negative integer literal, else -1, which is no id of ours. */
  public long integerId() {
    return id == null ? -1 : id.asLong();
  }

  /**
   * The method of a request or notification.
   *
   * @throws IllegalStateException on a response
   */
  public String method() {
    if (method == null) {
      throw new IllegalStateException("a response has no method");
    }
    return method;
  }

  /** Whether a member of the envelope, or the whole result, is written as {@code null}. */
  public boolean hasNulls() {
    return nulls;
  }

  /** The reason why the content is ambiguous; null if it can be read. */
  public @Nullable ProtocolException ambiguity() {
    return ambiguity;
  }

  private void requireUnambiguous() {
    if (ambiguity != null) {
      throw new IllegalStateException(
          "the content of an ambiguous message must not be read: " + ambiguity.getMessage());
    }
  }

  /** {@code params}, an empty object if they are absent. */
  public RawJson params() {
    requireUnambiguous();
    return payload == null ? RawJson.EMPTY_OBJECT : payload;
  }

  /** {@code result} of a {@link Kind#RESULT}, {@code error} of a {@link Kind#ERROR}. */
  public RawJson payload() {
    requireUnambiguous();
    return payload == null ? RawJson.NULL : payload;
  }

  /**
   * {@code resultType} of a {@link Kind#RESULT}: {@code complete} if it is absent (MCP 2026-07-28,
   * Responses); empty if it is not a string.
   */
  public String resultType() {
    requireUnambiguous();
    if (resultType == null || resultType.isNull()) {
      return ResultType.COMPLETE;
    }
    return resultType.isString() ? resultType.asString() : "";
  }

  /** True for a {@link Kind#RESULT} with {@code isError}: the tool reports a failure of its own. */
  public boolean isToolError() {
    return toolError;
  }

  @Override
  public String toString() {
    return kind + (method == null ? "" : " " + method) + (id == null ? "" : " id=" + id);
  }
}
