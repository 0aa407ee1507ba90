package dev.mcpbus.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The trace that a message belongs to, in the forms of W3C Trace Context and W3C Baggage. It comes
 * in {@code _meta} of a request, in headers of HTTP or in headers of the bus, and leaves in {@code
 * _meta} to the server (MCP 2026-07-28, OpenTelemetry trace context). Other values than those of
 * the specifications are dropped, and so is what is longer than they promise to carry. Immutable.
 *
 * @param traceparent null where only baggage came
 * @param tracestate null without a {@code traceparent}, whose companion it is
 */
public record TraceContext(
    @Nullable String traceparent, @Nullable String tracestate, @Nullable String baggage) {

  /** The length of {@code 00-<32 hex digits>-<16 hex digits>-<2 hex digits>}. */
  private static final int PARENT_LENGTH = 55;

  private static final int TRACE_ID = 3;
  private static final int SPAN_ID = 36;
  private static final int FLAGS = 53;
  private static final int MAX_STATE = 512;
  private static final int MAX_BAGGAGE = 8_192;

  /** The context of these values, without those that are not valid; null where nothing is left. */
  public static @Nullable TraceContext of(
      @Nullable String traceparent, @Nullable String tracestate, @Nullable String baggage) {
    String parent = isParent(traceparent) ? traceparent : null;
    String state = parent != null && isText(tracestate, MAX_STATE) ? tracestate : null;
    String bag = isText(baggage, MAX_BAGGAGE) ? baggage : null;
    return parent == null && bag == null ? null : new TraceContext(parent, state, bag);
  }

  /** The context that a request carries in {@code _meta}; null where it carries none. */
  public static @Nullable TraceContext ofMeta(@Nullable RawJson meta) {
    if (meta == null || !meta.isObject()) {
      return null;
    }
    return of(
        text(meta.member(MetaKeys.TRACEPARENT)),
        text(meta.member(MetaKeys.TRACESTATE)),
        text(meta.member(MetaKeys.BAGGAGE)));
  }

  /** True where {@code _meta} names a trace of its own: then that one counts. */
  public static boolean isNamedBy(@Nullable RawJson meta) {
    return meta != null && meta.isObject() && meta.member(MetaKeys.TRACEPARENT) != null;
  }

  /**
   * {@code meta} with this context in place of its own: each key stands once. A state that belongs
   * to another parent goes; baggage stays if this context has none.
   */
  public RawJson into(RawJson meta) {
    RawJson all = meta;
    if (traceparent != null) {
      all = all.with(MetaKeys.TRACEPARENT, RawJson.string(traceparent));
      all =
          tracestate == null
              ? all.without(MetaKeys.TRACESTATE)
              : all.with(MetaKeys.TRACESTATE, RawJson.string(tracestate));
    }
    return baggage == null ? all : all.with(MetaKeys.BAGGAGE, RawJson.string(baggage));
  }

  private static @Nullable String text(@Nullable RawJson value) {
    return value != null && value.isString() && value.length() <= MAX_BAGGAGE + 2
        ? value.asString()
        : null;
  }

  /** Version {@code 00}, and the beginning of a later one, which may be longer. */
  private static boolean isParent(@Nullable String text) {
    if (text == null || text.length() < PARENT_LENGTH || text.length() > MAX_STATE) {
      return false;
    }
    boolean first = text.startsWith("00");
    return (first ? text.length() == PARENT_LENGTH : isFollowed(text))
        && isHex(text, 0, 2)
        && !text.startsWith("ff")
        && text.charAt(TRACE_ID - 1) == '-'
        && isHex(text, TRACE_ID, SPAN_ID - 1)
        && !isZero(text, TRACE_ID, SPAN_ID - 1)
        && text.charAt(SPAN_ID - 1) == '-'
        && isHex(text, SPAN_ID, FLAGS - 1)
        && !isZero(text, SPAN_ID, FLAGS - 1)
        && text.charAt(FLAGS - 1) == '-'
        && isHex(text, FLAGS, PARENT_LENGTH);
  }

  private static boolean isFollowed(String text) {
    return text.length() == PARENT_LENGTH
        || (text.charAt(PARENT_LENGTH) == '-' && isText(text, MAX_STATE));
  }

  private static boolean isHex(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isZero(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (text.charAt(i) != '0') {
        return false;
      }
    }
    return true;
  }

  /** Printable ASCII, not blank: both forms are lists of such characters. */
  private static boolean isText(@Nullable String text, int max) {
    if (text == null || text.isBlank() || text.length() > max) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < ' ' && c != '\t') || c > '~') {
        return false;
      }
    }
    return true;
  }
}
