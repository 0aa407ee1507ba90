package dev.mcpbus.protocol;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.Shareable;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The one place that decides whether a {@link Quirk} of a server is tolerated, and that counts what
 * is. All connections of a server on one node share it, and it outlives their sessions.
 * Thread-safe.
 */
@PublicApi
public final class Quirks implements Shareable {

  private final boolean strict;
  private final Consumer<Quirk> first;
  private final Map<Quirk, AtomicLong> counts = new EnumMap<>(Quirk.class);

  /**
   * @param strict whether the entry tolerates none ({@code "strict": true})
   * @param first gets each quirk once, when it is tolerated for the first time, on the thread that
   *     saw it
   */
  public Quirks(boolean strict, Consumer<Quirk> first) {
    this.strict = strict;
    this.first = first;
    for (Quirk quirk : Quirk.values()) {
      counts.put(quirk, new AtomicLong());
    }
  }

  /** Tolerates every quirk and tells nobody: for a receiver that has no entry. */
  public static Quirks untold() {
    return new Quirks(false, quirk -> {});
  }

  /**
   * Whether to go on where a server does this. Counts it if so; if not, the caller does what the
   * specification says.
   */
  public boolean tolerates(Quirk quirk) {
    if (strict) {
      return false;
    }
    AtomicLong count = counts.get(quirk);
    if (count != null && count.getAndIncrement() == 0) {
      first.accept(quirk);
    }
    return true;
  }

  /** What was tolerated: {@code [{quirk, says, remedy, count}]}, in the order of {@link Quirk}. */
  public JsonArray toJson() {
    JsonArray all = new JsonArray();
    counts.forEach(
        (quirk, count) -> {
          if (count.get() > 0) {
            all.add(
                new JsonObject()
                    .put("quirk", quirk.name())
                    .put("says", quirk.says())
                    .put("remedy", quirk.remedy())
                    .put("count", count.get()));
          }
        });
    return all;
  }
}
