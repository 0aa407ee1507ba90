package dev.mcpbus.security;

import io.vertx.core.Future;

/** Bounds what each principal asks for. Any thread may call. */
public interface RateLimiter {

  /**
   * A place among the requests in flight, or none.
   *
   * @param retryMillis when to try again, -1 for a request that may go on
   * @param end gives the place back; once
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

  /** For one request of a principal; completes on the caller's context, and never fails. */
  Future<Place> enter(Principal principal);

  /** From now on these hold. */
  void limits(RateLimits table);
}
