package dev.mcpbus.bus;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The {@link FairLimit}s of one Vert.x, by name, so that the status can show them. Thread-safe. */
public final class FairLimits implements Shareable {

  /**
   * For how long something has to be idle before the one who counts it is told: who uses it again
   * and again says nothing between.
   */
  public static final long PAUSE_MILLIS = 1_000;

  private static final String KEY = "dev.mcpbus.bounds";

  private final Map<String, Set<FairLimit<?>>> byName = new TreeMap<>();

  private FairLimits() {}

  public static FairLimits of(Vertx vertx) {
    LocalMap<String, FairLimits> map = vertx.sharedData().getLocalMap(KEY);
    return map.computeIfAbsent(KEY, absent -> new FairLimits());
  }

  /** Shows a bound, once however often it is added; several of one name are shown as one. */
  public synchronized void add(String name, FairLimit<?> bound) {
    byName.computeIfAbsent(name, absent -> new LinkedHashSet<>()).add(bound);
  }

  /** Whoever kept it is closed. */
  public synchronized void remove(String name, FairLimit<?> bound) {
    Set<FairLimit<?>> same = byName.get(name);
    if (same != null && same.remove(bound) && same.isEmpty()) {
      byName.remove(name);
    }
  }

  /** {@code {name: {used, inUse, max, owners, evicted, refused}}}. */
  public synchronized JsonObject toJson() {
    JsonObject all = new JsonObject();
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
