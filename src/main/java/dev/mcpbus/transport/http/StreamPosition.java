package dev.mcpbus.transport.http;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How far one event stream was read, over all its connections. Confined to the owner context of its
 * channel.
 */
final class StreamPosition {

  static final long DEFAULT_RETRY_MILLIS = 1_000;
  private static final long MIN_RETRY_MILLIS = 50;
  private static final long MAX_RETRY_MILLIS = 60_000;
  private static final int REMEMBERED = 1_024;
  private static final int MAX_ID = 1_024;

  private long retryMillis = DEFAULT_RETRY_MILLIS;
  private @Nullable String lastId;
  private @Nullable Set<String> seen;
  private @Nullable Set<String> replayable;
  private boolean idsRepeat;

  /**
   * Sets the reconnection time, clamped to 0.05 s .. 60 s: a shorter time would overload the
   * server, a longer one would stop the stream.
   */
  void retry(long millis) {
    retryMillis = Math.max(MIN_RETRY_MILLIS, Math.min(MAX_RETRY_MILLIS, millis));
  }

  long retryMillis() {
    return retryMillis;
  }

  /** The value of {@code Last-Event-ID}, or null if the stream cannot be resumed. */
  @Nullable String lastId() {
    return lastId;
  }

  /** A new connection begins: from now on an event with a known id is a replay. */
  void reconnected() {
    replayable = seen == null ? null : new LinkedHashSet<>(seen);
  }

  /**
   * Records an event's id.
   *
   * @return whether the event was delivered on an earlier connection. Always false if the server
   *     uses one id for different events, as some servers do: then a replay cannot be recognized.
   */
  boolean replayed(@Nullable String id) {
    if (id == null) {
      return false;
    }
    lastId = sendable(id) ? id : null;
    if (replayable != null && replayable.remove(id)) {
      return !idsRepeat;
    }
    if (seen == null) {
      seen = new LinkedHashSet<>(4);
    }
    if (!seen.add(id)) {
      idsRepeat = true;
    } else if (seen.size() > REMEMBERED) {
      seen.remove(seen.iterator().next());
    }
    return false;
  }

  private static boolean sendable(String id) {
    return !id.isEmpty()
        && id.length() <= MAX_ID
        && id.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
  }
}
