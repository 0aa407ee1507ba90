package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.Limits;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Limits the requests of each principal: a token bucket and a number of requests in flight. Each
 * node of a cluster enforces its share, the limits divided by the number of nodes that serve, and
 * asks nobody. Thread-safe.
 */
public final class RateLimiter {

  private static final int MAX_IDLE = 10_000;
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  /**
   * The result of {@link #enter}: a place among the requests in flight, or a refusal.
   *
   * @param retryMillis after how many milliseconds to try again; -1 if the request is admitted
   * @param end gives the place back; call it once
   */
  public record Place(long retryMillis, Runnable end) {

    static final Place UNBOUNDED = new Place(-1, () -> {});

    static Place refused(long retryMillis) {
      return new Place(Math.max(1, retryMillis), () -> {});
    }

    public boolean isFree() {
      return retryMillis < 0;
    }
  }

  private static final class Use {
    private Limits whole;
    private int nodes;
    private Limits share;
    private double tokens;
    private long filled;
    private int inFlight;

    Use(Limits whole, int nodes, long now) {
      this.whole = whole;
      this.nodes = nodes;
      this.share = share(whole, nodes);
      this.tokens = share.burst();
      this.filled = now;
    }

    /** Applies new limits after a reload, or another number of nodes; used tokens stay used. */
    void become(Limits next, int among, long now) {
      if (nodes != among || !whole.equals(next)) {
        fill(now);
        whole = next;
        nodes = among;
        share = share(next, among);
        tokens = Math.min(tokens, share.burst());
      }
    }

    void fill(long now) {
      tokens = Math.min(share.burst(), tokens + (now - filled) / SECOND * share.rate());
      filled = now;
    }

    /** At least one request at once, and one in flight. */
    private static Limits share(Limits whole, int nodes) {
      return new Limits(
          whole.rate() / nodes,
          Math.max(1, whole.burst() / nodes),
          whole.concurrency() <= 0 ? 0 : Math.max(1, whole.concurrency() / nodes));
    }
  }

  private volatile RateLimits table;
  private final IntSupplier serving;
  private final LongSupplier nanos;
  private final Map<String, Use> uses = new LinkedHashMap<>();
  private long swept;

  /**
   * @param serving how many nodes serve; less than 1 counts as 1
   * @param nanos monotonic time in nanoseconds
   */
  RateLimiter(RateLimits table, IntSupplier serving, LongSupplier nanos) {
    this.table = table;
    this.serving = serving;
    this.nanos = nanos;
    this.swept = nanos.getAsLong();
  }

  /** The number of principals that have a bucket. */
  int known() {
    synchronized (uses) {
      return uses.size();
    }
  }

  /** Replaces the limits. */
  void limits(RateLimits next) {
    table = next;
  }

  /** Takes a place for one request of a principal. */
  Place enter(Principal principal) {
    Limits limits = table.of(principal);
    if (limits.rate() <= 0 && limits.concurrency() <= 0) {
      return Place.UNBOUNDED;
    }
    int nodes = Math.max(1, serving.getAsInt());
    synchronized (uses) {
      long now = nanos.getAsLong();
      Use use = uses.computeIfAbsent(principal.name(), name -> new Use(limits, nodes, now));
      use.become(limits, nodes, now);
      if (use.share.concurrency() > 0 && use.inFlight >= use.share.concurrency()) {
        return Place.refused(1_000);
      }
      if (use.share.rate() > 0) {
        use.fill(now);
        if (use.tokens < 1) {
          return Place.refused((long) Math.ceil((1 - use.tokens) / use.share.rate() * 1_000));
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
  private void forget(long now, String but) {
    if (uses.size() > MAX_IDLE && now - swept >= SECOND) {
      swept = now;
      uses.entrySet()
          .removeIf(
              one -> {
                Use use = one.getValue();
                use.fill(now);
                return use.inFlight == 0
                    && use.tokens >= use.share.burst()
                    && !one.getKey().equals(but);
              });
    }
  }
}
