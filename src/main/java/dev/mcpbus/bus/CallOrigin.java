package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When and where a call arrived. Its time counts from then, on whatever nodes and in whatever
 * queues it waits; the door where it arrived knows whether its client still waits. Every message
 * that is sent because of the call carries both, as {@link Headers#SINCE} and {@link Headers#DOOR}.
 * A message without them, of a program on the bus, counts from when it is received. Immutable.
 *
 * @param since the value of {@link Headers#SINCE}; null for a call that counts from its receipt
 * @param door the value of {@link Headers#DOOR}; null where nobody can say whether a client waits
 */
public record CallOrigin(@Nullable String since, @Nullable String door) {

  /**
   * A call that arrived longer ago is sent only if its client still waits. Half of what a call of a
   * client that has left may be late.
   */
  public static final long STALE_MILLIS = 250;

  /** A door that has not answered after so long is asked again, milliseconds. */
  private static final long AGAIN_MILLIS = 1_000;

  /**
   * How often a door is asked: a question is lost with the link that it is on. Each may be answered
   * until the end, because a door may be slow.
   */
  private static final int QUESTIONS = 8;

  /** A program of this process calls: nothing is known. */
  public static final CallOrigin NONE = new CallOrigin(null, null);

  /**
   * A call that arrived at a door of this process.
   *
   * @param node the id of this node in the cluster, empty without one
   * @param nanos when, by {@link System#nanoTime}
   * @param door the address of the door
   * @param key by which the door knows the client; no spaces
   */
  public static CallOrigin at(String node, long nanos, String door, String key) {
    return new CallOrigin(since(node, TimeUnit.NANOSECONDS.toMillis(nanos)), door + ' ' + key);
  }

  /** The origin that a message carries. */
  public static CallOrigin of(MultiMap headers) {
    if (headers.isEmpty()) {
      return NONE;
    }
    String since = headers.get(Headers.SINCE);
    String door = headers.get(Headers.DOOR);
    return since == null && door == null ? NONE : new CallOrigin(since, door);
  }

  /** Adds the headers, for a message that is sent because of the call. */
  public DeliveryOptions addTo(DeliveryOptions options) {
    CallHeaders.add(options, Headers.SINCE, since);
    CallHeaders.add(options, Headers.DOOR, door);
    return options;
  }

  /** The same time, at a door where a client waits for what becomes of the call. */
  public CallOrigin waitedFor(CallOrigin client) {
    return new CallOrigin(since, client.door);
  }

  // ---- the values of the headers

  /** A value of {@link Headers#SINCE}. */
  public static String since(String node, long millis) {
    return node + ' ' + millis;
  }

  /** The node whose clock a value of {@link Headers#SINCE} names. */
  public static String node(String since) {
    return since.substring(0, Math.max(0, since.lastIndexOf(' ')));
  }

  /** The time of that clock; -1 where the value is none of mcpbus. */
  public static long millis(String since) {
    try {
      return Long.parseLong(since, since.lastIndexOf(' ') + 1, since.length(), 10);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /**
   * How long ago the call of a message arrived, milliseconds; 0 where the message does not say. An
   * interceptor has changed the value to the clock of this node before.
   */
  public static long age(MultiMap headers) {
    String since = headers.isEmpty() ? null : headers.get(Headers.SINCE);
    return since == null ? 0 : age(since);
  }

  /** The same of the value of {@link Headers#SINCE}. */
  public static long age(String since) {
    long then = millis(since);
    return then < 0 ? 0 : Math.max(0, now() - then);
  }

  /** The clock of this process: monotonic milliseconds. */
  public static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /**
   * Asks a door whether the client of a call still waits; false where the door is gone. Fails with
   * {@code UNAVAILABLE}, not sent, where the door does not answer in time: only it knows.
   *
   * @param door the value of {@link Headers#DOOR}
   */
  public static Future<Boolean> isAwaited(Vertx vertx, String door) {
    int space = Math.max(0, door.lastIndexOf(' '));
    Promise<Boolean> answer = Promise.promise();
    ask(vertx, door.substring(0, space), door.substring(space).trim(), QUESTIONS, answer);
    return answer.future();
  }

  /**
   * Gives {@code next} where the client of a message still waits; fails with {@code CANCELLED}, not
   * sent, where the client has left. The receiver of a message that has just arrived asks no door.
   */
  public static <T> Future<T> ifAwaited(Vertx vertx, MultiMap headers, T next) {
    String door = headers.get(Headers.DOOR);
    return door == null || age(headers) <= STALE_MILLIS
        ? Future.succeededFuture(next)
        : isAwaited(vertx, door)
            .compose(waits -> waits ? Future.succeededFuture(next) : Future.failedFuture(gone()));
  }

  /** The client of a call has left before the call was sent. */
  public static McpFailure gone() {
    return McpFailure.notSent(
        FailureCode.CANCELLED, "the client had gone before the call was sent");
  }

  private static void ask(
      Vertx vertx, String address, String key, int times, Promise<Boolean> answer) {
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(times * AGAIN_MILLIS);
    vertx
        .eventBus()
        .<Boolean>request(address, key, options)
        .onComplete(
            (reply, failure) -> {
              if (failure == null) {
                answer.tryComplete(reply.body());
              } else if (RequestSender.hadNoReceiver(failure)) {
                answer.tryComplete(false);
              } else if (times == 1) {
                answer.tryFail(silent());
              }
            });
    if (times > 1) {
      vertx.setTimer(
          AGAIN_MILLIS,
          later -> {
            if (!answer.future().isComplete()) {
              ask(vertx, address, key, times - 1, answer);
            }
          });
    }
  }

  private static McpFailure silent() {
    return McpFailure.notSent(
        FailureCode.UNAVAILABLE,
        "the call had waited, and the node where it arrived did not say within "
            + QUESTIONS * AGAIN_MILLIS
            + " ms whether its client still waits; the call was not sent, try it again");
  }
}
