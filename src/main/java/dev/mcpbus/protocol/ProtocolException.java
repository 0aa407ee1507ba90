package dev.mcpbus.protocol;

/**
 * A text that is not the expected strict JSON or JSON-RPC. It carries no stack trace, because a
 * hostile peer decides how many are created.
 */
@PublicApi
public final class ProtocolException extends Exception {

  /** The fault in the text. */
  public enum TextFault {
    /** Not JSON, or incomplete. */
    NOT_JSON,
    /** Longer than {@link ParseLimits#maxBytes()}. */
    TOO_LARGE,
    /** There is no room for it now: its server holds its share of the bytes in flight. */
    NO_ROOM,
    /** Nested deeper than {@link ParseLimits#maxDepth()}. */
    TOO_DEEP,
    /** A number literal longer than {@link ParseLimits#maxNumberLength()}. */
    NUMBER_TOO_LONG,
    /** Bytes that are not UTF-8; the parser never replaces them silently. */
    INVALID_UTF8,
    /** The same member twice, or a decisive member in another letter case. */
    DUPLICATE_KEY,
    /** An array where the version has no JSON-RPC batches. */
    BATCH,
    /** Something after the end of the message, such as a second object. */
    TRAILING_BYTES,
    /** JSON, but not a JSON-RPC 2.0 message. */
    NOT_JSON_RPC
  }

  private final TextFault reason;
  private final int position;

  public ProtocolException(TextFault reason, int position, String message) {
    super(message + " (at byte " + position + ")", null, false, false);
    this.reason = reason;
    this.position = position;
  }

  public TextFault reason() {
    return reason;
  }

  /** Whether the text exceeds a limit: it may be right. */
  public boolean isLimit() {
    return reason == TextFault.TOO_LARGE
        || reason == TextFault.TOO_DEEP
        || reason == TextFault.NUMBER_TOO_LONG;
  }

  /** Offset in bytes from the start of the text. */
  public int position() {
    return position;
  }
}
