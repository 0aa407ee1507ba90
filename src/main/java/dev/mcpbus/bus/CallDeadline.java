package dev.mcpbus.bus;

import io.vertx.core.eventbus.DeliveryOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The deadline of a call. The header {@link Headers#DEADLINE} carries the milliseconds left, and
 * the connection ends the call when they have passed. Each {@link Layer} above it waits a little
 * longer than the layer below, so that the failure of the layer that knows most arrives first, and
 * the time-out of the event bus is only the net below it.
 *
 * <p>Pure functions; any thread may call.
 */
public final class CallDeadline {

  /** The caller sets no deadline: the connection's own bounds end the call. */
  public static final long NONE = -1;

  /** How long the bus keeps a call without a deadline, at the least. */
  private static final Duration NET = Duration.ofHours(1);

  /** More is cut off, so that sums do not overflow. */
  private static final Duration LONGEST = Duration.ofDays(365);

  /** Who waits for the answer to a call, from the connection outwards. */
  public enum Layer {
    /** The cluster, on the way to the owner of a connection. */
    ROUTING(500),

    /** A service that passes a call on to a connection: the aggregate, the functions of models. */
    SERVICE(4_000),

    /** Who makes the call: the facade, the bridge, the gateway, what fetches lists. */
    CALLER(5_000),

    /** A gateway endpoint that waits for the session host, which makes the call. */
    ENDPOINT(6_000),

    /** A thread that blocks until the facade has answered. */
    BLOCKING(7_000);

    private final long slackMillis;

    Layer(long slackMillis) {
      this.slackMillis = slackMillis;
    }

    /**
     * How long this layer waits for an answer, milliseconds.
     *
     * @param left milliseconds until the deadline, or {@link #NONE}
     */
    public long timeout(long left) {
      return (left < 0 ? NET.toMillis() : left) + slackMillis;
    }
  }

  private CallDeadline() {}

  /** The milliseconds of a time-out, {@link #NONE} for null. */
  public static long of(@Nullable Duration timeout) {
    if (timeout == null) {
      return NONE;
    }
    return timeout.compareTo(LONGEST) > 0 ? LONGEST.toMillis() : timeout.toMillis();
  }

  /**
   * Reads the header {@link Headers#DEADLINE}: the milliseconds left, at least 0.
   *
   * @return {@link #NONE} for null, and for a text that is no such number; the connection refuses
   *     that with {@code BAD_REQUEST}
   */
  public static long read(@Nullable String header) {
    if (header == null) {
      return NONE;
    }
    try {
      long left = Long.parseLong(header.trim());
      return left < 0 ? NONE : Math.min(left, LONGEST.toMillis());
    } catch (NumberFormatException e) {
      return NONE;
    }
  }

  /**
   * Puts a deadline on a call, and lets the bus wait as long as {@code layer} does.
   *
   * @param left milliseconds, or {@link #NONE}
   */
  public static DeliveryOptions set(DeliveryOptions options, long left, Layer layer) {
    if (left >= 0) {
      options.addHeader(Headers.DEADLINE, Long.toString(left));
    }
    return options.setSendTimeout(layer.timeout(left));
  }
}
