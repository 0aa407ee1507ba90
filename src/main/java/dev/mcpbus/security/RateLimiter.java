package dev.mcpbus.security;

import io.vertx.core.Future;

/**
 * Limits the requests of each principal: {@link LocalRateLimiter} on one node, another one for all
 * nodes of a cluster. Any thread may call.
 */
public interface RateLimiter {

  /**
   * The result of {@link #enter}: a place among the requests in flight, or a refusal.
   *
   * @param retryMillis after how many milliseconds to try again; -1 if the request is admitted
   * @param end gives the place back; call it once
   */
  record Place(long retryMillis, Runnable end) {

    public static final Place UNBOUNDED = new Place(-1, () -> {});

    public static Place refused(long retryMillis) {
      return new Place(Math.max(1, retryMillis), () -> {});
    }

    public boolean isFree() {
      return retryMillis < 0;
    }
  }

  /**
   * Takes a place for one request of a principal; completes on the caller's context, never fails.
   */
  Future<Place> enter(Principal principal);

  /** Replaces the limits. */
  void limits(RateLimits table);
}
