package dev.mcpbus.security;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Bounds how often one address may do something: a token bucket for each, of which the least
 * recently used are forgotten. Where failures alone count, what succeeds is given back.
 * Thread-safe.
 */
public final class AddressLimit {

  private static final int MOST = 10_000;
  private static final double SECOND = 1e9;

  private record Bucket(double tokens, long filled) {}

  private final double perSecond;
  private final double burst;
  private final LongSupplier nanos;

  private final Map<String, Bucket> buckets =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
          return size() > MOST;
        }
      };

  public AddressLimit(double perSecond, int burst, LongSupplier nanos) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.nanos = nanos;
  }

  /** Whether one more request of this address is within its bound. */
  public synchronized boolean admits(String address) {
    long now = nanos.getAsLong();
    Bucket known = buckets.getOrDefault(address, new Bucket(burst, now));
    double tokens = Math.min(burst, known.tokens() + (now - known.filled()) / SECOND * perSecond);
    buckets.put(address, new Bucket(tokens < 1 ? tokens : tokens - 1, now));
    return tokens >= 1;
  }

  /** Takes back what {@link #admits} has counted. */
  public synchronized void giveBack(String address) {
    buckets.computeIfPresent(
        address, (key, known) -> new Bucket(known.tokens() + 1, known.filled()));
  }
}
