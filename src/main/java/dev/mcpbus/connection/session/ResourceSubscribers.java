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
 * The callers that subscribe to resources of one server. The server has one subscriber, this
 * connection, which subscribes for the first caller of a resource and unsubscribes after the last.
 * A subscription of a principal ends {@link #TTL_MILLIS} after its last request; one of a program
 * or of the gateway ends when they unsubscribe. Owner: the connection's context; time is passed in.
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
   * @param name tells several subscribers of one principal apart, empty for the principal itself
   */
  public record Subscriber(@Nullable String principal, String name) {}

  private final Map<String, Map<Subscriber, Long>> byUri = new LinkedHashMap<>();
  private final Map<String, Integer> counts = new HashMap<>();
  private int size;

  /**
   * Adds or renews a subscription.
   *
   * @throws McpFailure {@code LIMIT_EXCEEDED} for a long URI; {@code OVERLOADED} where the
   *     principal, or all principals together, have too many subscriptions
   */
  public void add(Subscriber holder, String uri, long now) {
    if (uri.length() > MAX_URI) {
      throw McpFailure.notSent(
          FailureCode.LIMIT_EXCEEDED, "\"uri\" has more than " + MAX_URI + " characters");
    }
    Map<Subscriber, Long> holders = byUri.get(uri);
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

  /**
   * Removes a subscription; true where no other is left, so that the connection has to unsubscribe.
   */
  public boolean remove(Subscriber holder, String uri) {
    Map<Subscriber, Long> holders = byUri.get(uri);
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

  private void uncount(Subscriber holder) {
    String principal = holder.principal();
    if (principal != null) {
      size--;
      counts.computeIfPresent(principal, (name, count) -> count > 1 ? count - 1 : null);
    }
  }

  /** Removes subscriptions that were not renewed in time; returns the URIs without a subscriber. */
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

  private boolean isOver(Map.Entry<Subscriber, Long> one, long now) {
    if (one.getValue() > now) {
      return false;
    }
    uncount(one.getKey());
    return true;
  }

  /** The URIs with at least one subscriber. */
  public Set<String> uris() {
    return byUri.keySet();
  }
}
