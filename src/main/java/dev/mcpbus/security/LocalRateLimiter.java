package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.Limits;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the requests on one node: a token bucket and a number of requests in flight for each
 * principal. Thread-safe.
 */
final class LocalRateLimiter implements RateLimiter {

  private static final int MAX_IDLE = 10_000;
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  private static final class Use {
    private Limits limits;
    private double tokens;
    private long filled;
    private int inFlight;

    Use(Limits limits, long now) {
      this.limits = limits;
      this.tokens = limits.burst();
      this.filled = now;
    }

    /** Applies new limits after a reload; used tokens stay used. */
    void become(Limits next, long now) {
      if (!limits.equals(next)) {
        fill(now);
        limits = next;
        tokens = Math.min(tokens, next.burst());
      }
    }

    void fill(long now) {
      tokens = Math.min(limits.burst(), tokens + (now - filled) / SECOND * limits.rate());
      filled = now;
    }
  }

  private volatile RateLimits table;
  private final LongSupplier nanos;
  private final Map<String, Use> uses = new LinkedHashMap<>();
  private long swept;

  LocalRateLimiter(RateLimits table, LongSupplier nanos) {
    this.table = table;
    this.nanos = nanos;
    this.swept = nanos.getAsLong();
  }

  /** The number of principals that have a bucket. */
  int known() {
    synchronized (uses) {
      return uses.size();
    }
  }

  @Override
  public void limits(RateLimits next) {
    table = next;
  }

  @Override
  public Future<Place> enter(Principal principal) {
    return Future.succeededFuture(place(principal));
  }

  Place place(Principal principal) {
    Limits limits = table.of(principal);
    if (limits.rate() <= 0 && limits.concurrency() <= 0) {
      return Place.UNBOUNDED;
    }
    synchronized (uses) {
      long now = nanos.getAsLong();
      Use use = uses.computeIfAbsent(principal.name(), name -> new Use(limits, now));
      use.become(limits, now);
      if (limits.concurrency() > 0 && use.inFlight >= limits.concurrency()) {
        return Place.refused(1_000);
      }
      if (limits.rate() > 0) {
        use.fill(now);
        if (use.tokens < 1) {
          return Place.refused((long) Math.ceil((1 - use.tokens) / limits.rate() * 1_000));
        }
        use.tokens--;
      }
      use.inFlight++;
      forget(now, principal.name());
      return new Place(-1, once(use));
    }
  }

  private Runnable once(Use use) {
    boolean[] ended = new boolean[1];
    return () -> {
      synchronized (uses) {
        if (!ended[0]) {
          ended[0] = true;
          use.inFlight--;
        }
      }
    };
  }

  /**
   * Removes principals with a full bucket and nothing in flight, at most once per second: it looks
   * at all of them.
   */
  private void forget(long now, @Nullable String but) {
    if (uses.size() > MAX_IDLE && now - swept >= SECOND) {
      swept = now;
      uses.entrySet()
          .removeIf(
              one -> {
                Use use = one.getValue();
                use.fill(now);
                return use.inFlight == 0
                    && use.tokens >= use.limits.burst()
                    && !one.getKey().equals(but);
              });
    }
  }
}
