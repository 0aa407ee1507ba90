package dev.mcpbus.bus;

import dev.mcpbus.internals.ByteBudget;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The {@link FairLimit}s and the {@link ByteBudget} of one Vert.x, by name, for the status. Any
 * thread may call.
 */
public final class FairLimits implements Shareable {

  /**
   * How long an entry must be idle before its holder marks it as idle, milliseconds. An entry that
   * is used again within this time causes no messages.
   */
  public static final long PAUSE_MILLIS = 1_000;

  private static final String KEY = "dev.mcpbus.bounds";

  private final Map<String, Set<FairLimit<?>>> byName = new TreeMap<>();

  private final ByteBudget bytes;

  private FairLimits(ByteBudget bytes) {
    this.bytes = bytes;
  }

  public static FairLimits of(Vertx vertx) {
    LocalMap<String, FairLimits> map = vertx.sharedData().getLocalMap(KEY);
    return map.computeIfAbsent(KEY, absent -> new FairLimits(ByteBudget.of(vertx)));
  }

  /** Adds a bound to the status. Adding it twice has no effect; bounds of one name are summed. */
  public synchronized void add(String name, FairLimit<?> bound) {
    byName.computeIfAbsent(name, absent -> new LinkedHashSet<>()).add(bound);
  }

  /** Removes a bound from the status when its component closes. */
  public synchronized void remove(String name, FairLimit<?> bound) {
    Set<FairLimit<?>> same = byName.get(name);
    if (same != null && same.remove(bound) && same.isEmpty()) {
      byName.remove(name);
    }
  }

  /** {@code {name: {used, inUse, max, owners, evicted, refused}}}. */
  public synchronized JsonObject toJson() {
    JsonObject all = new JsonObject();
    bytes.each((name, counts) -> all.put(name, new JsonObject(Map.copyOf(counts))));
    byName.forEach(
        (name, bounds) -> {
          JsonObject sum = new JsonObject();
          for (FairLimit<?> bound : bounds) {
            for (Map.Entry<String, Object> one : bound.toJson()) {
              long number = ((Number) one.getValue()).longValue();
              sum.put(one.getKey(), sum.getLong(one.getKey(), 0L) + number);
            }
          }
          all.put(name, sum);
        });
    return all;
  }
}
