package dev.mcpbus.bus;

import dev.mcpbus.protocol.Methods;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The deadline of a call. The header {@link Headers#DEADLINE} carries its time, which counts from
 * {@link Headers#SINCE}, and the connection ends the call when that time has passed. Each {@link
 * Layer} above the connection waits a little longer than the layer below it, so that the most
 * precise failure arrives first. The time-out of the event bus ends a call only if no layer did.
 *
 * <p>Pure functions; any thread may call.
 */
public final class CallDeadline {

  /** The caller sets no deadline: the time-outs of the connection end the call. */
  public static final long NONE = -1;

  /**
   * As {@link #NONE}, for a request that may be a stream: it lasts as long as its server speaks.
   */
  public static final long STREAM = -2;

  /**
   * How long a question of a server waits for a person, milliseconds, where the configuration says
   * no less. The call that needs the answer gets this time in addition.
   */
  public static final long QUESTION_MILLIS = 300_000;

  /** How long the bus waits for a call without a deadline, at least. */
  private static final Duration NET = Duration.ofHours(1);

  /** A longer time is reduced to this one, so that sums do not overflow. */
  private static final Duration LONGEST = Duration.ofDays(365);

  /** The layers that wait for the reply to a call, from the connection outwards. */
  public enum Layer {
    /** The cluster, on the way to the owner of a connection. */
    ROUTING(500),

    /** A service that passes a call on to a connection: the aggregate, function calls of models. */
    SERVICE(4_000),

    /** The origin of the call: the facade, the bridge, the gateway, the directory. */
    CALLER(5_000),

    /** A gateway endpoint that waits for the session host, which sends the call. */
    ENDPOINT(6_000),

    /** A thread that blocks until the facade's future completes. */
    BLOCKING(7_000);

    private final long slackMillis;

    Layer(long slackMillis) {
      this.slackMillis = slackMillis;
    }

    /**
     * How long this layer waits for the reply, milliseconds.
     *
     * @param left the time left, milliseconds, or {@link #NONE}
     */
    public long timeout(long left) {
      Duration most = left == STREAM ? LONGEST : NET;
      return (left < 0 ? most.toMillis() : left) + slackMillis;
    }
  }

  private CallDeadline() {}

  /** {@link #NONE} for a request of {@code method}, or what stands for it where it may stream. */
  public static long noneOf(String method) {
    return Methods.mayStream(method) ? STREAM : NONE;
  }

  /** The milliseconds of a time-out, {@link #NONE} for null. */
  public static long of(@Nullable Duration timeout) {
    if (timeout == null) {
      return NONE;
    }
    return timeout.compareTo(LONGEST) > 0 ? LONGEST.toMillis() : timeout.toMillis();
  }

  /**
   * Reads the header {@link Headers#DEADLINE}: the time of a call, milliseconds, at least 0.
   *
   * @return {@link #NONE} for null, and for a text that is not such a number; the connection
   *     refuses a call with such a text with {@code BAD_REQUEST}
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
   * What is left now of the time of a call, milliseconds, at least 0; {@link #NONE} where its
   * headers set none.
   */
  public static long left(MultiMap headers) {
    long whole = read(headers.get(Headers.DEADLINE));
    return whole < 0 ? NONE : Math.max(0, whole - CallOrigin.age(headers));
  }

  /**
   * Sets the deadline of a call, and the time-out of the bus to the time that {@code layer} waits.
   *
   * @param left the time left, milliseconds, or {@link #NONE}
   */
  public static DeliveryOptions set(DeliveryOptions options, long left, Layer layer) {
    if (left >= 0) {
      options.addHeader(Headers.DEADLINE, Long.toString(left));
    }
    return options.setSendTimeout(layer.timeout(left));
  }
}
