package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who wants to hear of which resource of one server. A server knows one subscriber, this
 * connection: it is told of the first who wants a resource, and of the last who does no longer.
 * What a principal subscribed to ends {@link #TTL_MILLIS} after he asked for it last; what a
 * program or the gateway did ends when they say so. Owner: the connection's context; time is passed
 * in.
 */
public final class ResourceSubscribers {

  static final long TTL_MILLIS = Duration.ofHours(24).toMillis();
  static final int MAX_OF_ONE = 1_000;
  static final int MAX = 10_000;
  private static final int MAX_URI = 8_192;

  /**
   * One subscriber.
   *
   * @param principal null for a program on the bus
   * @param name tells apart several of one principal, empty for the principal himself
   */
  public record Holder(@Nullable String principal, String name) {}

  private final Map<String, Map<Holder, Long>> byUri = new LinkedHashMap<>();
  private final Map<String, Integer> counts = new HashMap<>();
  private int size;

  /**
   * @throws McpFailure {@code OVERLOADED} where he, or all together, have too many
   */
  public void add(Holder holder, String uri, long now) {
    if (uri.length() > MAX_URI) {
      throw McpFailure.notSent(
          FailureCode.LIMIT_EXCEEDED, "\"uri\" has more than " + MAX_URI + " characters");
    }
    Map<Holder, Long> holders = byUri.get(uri);
    boolean fresh = holders == null || !holders.containsKey(holder);
    String principal = holder.principal();
    if (fresh && principal != null) {
      if (counts.getOrDefault(principal, 0) >= MAX_OF_ONE || size >= MAX) {
        throw McpFailure.notSent(
            FailureCode.OVERLOADED,
            size >= MAX
                ? "all callers together subscribe to " + MAX + " resources of this server already"
                : MAX_OF_ONE + " resources of this server are subscribed to in your name already");
      }
      counts.merge(principal, 1, Integer::sum);
      size++;
    }
    byUri
        .computeIfAbsent(uri, absent -> new LinkedHashMap<>())
        .put(holder, principal == null ? Long.MAX_VALUE : now + TTL_MILLIS);
  }

  /** False where others want it still, and the server is not to be told. */
  public boolean remove(Holder holder, String uri) {
    Map<Holder, Long> holders = byUri.get(uri);
    if (holders == null) {
      return true;
    }
    if (holders.remove(holder) != null) {
      uncount(holder);
    }
    if (holders.isEmpty()) {
      byUri.remove(uri);
    }
    return holders.isEmpty();
  }

  private void uncount(Holder holder) {
    String principal = holder.principal();
    if (principal != null) {
      size--;
      counts.computeIfPresent(principal, (name, count) -> count > 1 ? count - 1 : null);
    }
  }

  /** Forgets who has not asked again in time; what nobody wants any more. */
  public List<String> sweep(long now) {
    List<String> unwanted = new ArrayList<>();
    byUri.forEach(
        (uri, holders) -> {
          holders.entrySet().removeIf(one -> isOver(one, now));
          if (holders.isEmpty()) {
            unwanted.add(uri);
          }
        });
    unwanted.forEach(byUri::remove);
    return unwanted;
  }

  private boolean isOver(Map.Entry<Holder, Long> one, long now) {
    if (one.getValue() > now) {
      return false;
    }
    uncount(one.getKey());
    return true;
  }

  /** What somebody wants. */
  public Set<String> uris() {
    return byUri.keySet();
  }
}
