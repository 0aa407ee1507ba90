package dev.mcpbus.bus;

/** Headers that a caller may put on a call ({@code DeliveryOptions.addHeader}). */
public final class Headers {

  /**
   * Milliseconds that the caller is still willing to wait, counted from the send. A budget, not a
   * time of day, so that clocks need not agree. Without it the connection's request time-out holds.
   */
  public static final String DEADLINE = "deadline";

  /** A bus address that the call's progress notifications are sent to, params as they came. */
  public static final String PROGRESS = "progress";

  /** A name for this call, chosen by the caller, under which {@code mcp.<id>.cancel} finds it. */
  public static final String CALL_ID = "call-id";

  /** {@code use}, {@code refresh} or {@code bypass}: what to do with a kept list. */
  public static final String CACHE = "cache";

  /** {@code true} or {@code false}: check arguments against the input schema, for this call. */
  public static final String VALIDATE = "validate";

  /** W3C trace context, passed to the server as {@code _meta.traceparent}. */
  public static final String TRACEPARENT = "traceparent";

  /** Who calls; set by a trusted edge only, removed where a caller sends it. */
  public static final String PRINCIPAL = "principal";

  /** On a reply: the epoch of the session that answered. */
  public static final String EPOCH = "epoch";

  private Headers() {}
}
