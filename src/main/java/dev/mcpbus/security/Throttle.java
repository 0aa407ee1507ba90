package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Limits;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Bounds what each principal asks for: a bucket of tokens, and requests in flight. Thread-safe. */
final class Throttle {

  private static final int MAX_IDLE = 10_000;
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  /**
   * A place among the requests in flight, or none.
   *
   * @param retryMillis when to try again, -1 for a request that may go on
   * @param end gives the place back; once
   */
  record Place(long retryMillis, Runnable end) {

    boolean isFree() {
      return retryMillis < 0;
    }
  }

  private static final Place UNBOUNDED = new Place(-1, () -> {});

  private static final class Use {
    private final Limits limits;
    private double tokens;
    private long filled;
    private int inFlight;

    Use(Limits limits, long now) {
      this.limits = limits;
      this.tokens = limits.burst();
      this.filled = now;
    }

    void fill(long now) {
      tokens = Math.min(limits.burst(), tokens + (now - filled) / SECOND * limits.rate());
      filled = now;
    }
  }

  private final Limits common;
  private final Map<String, Limits> own = new HashMap<>();
  private final LongSupplier nanos;
  private final Map<String, Use> uses = new LinkedHashMap<>();

  Throttle(Limits common, List<ApiKey> keys, LongSupplier nanos) {
    this.common = common;
    this.nanos = nanos;
    for (ApiKey key : keys) {
      Limits limits = key.limits();
      if (limits != null) {
        own.put(key.name(), limits);
      }
    }
  }

  /** For one request of a principal. */
  Place enter(Principal principal) {
    Limits limits = own.getOrDefault(principal.name(), common);
    if (limits.rate() <= 0 && limits.concurrency() <= 0) {
      return UNBOUNDED;
    }
    synchronized (uses) {
      long now = nanos.getAsLong();
      Use use = uses.computeIfAbsent(principal.name(), name -> new Use(limits, now));
      if (limits.concurrency() > 0 && use.inFlight >= limits.concurrency()) {
        return new Place(1_000, () -> {});
      }
      if (limits.rate() > 0) {
        use.fill(now);
        if (use.tokens < 1) {
          return new Place((long) Math.ceil((1 - use.tokens) / limits.rate() * 1_000), () -> {});
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

  /** Whoever has a full bucket and nothing in flight is as if he had never been here. */
  private void forget(long now, @Nullable String but) {
    if (uses.size() > MAX_IDLE) {
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
