package dev.mcpbus.supervisor;

import dev.mcpbus.protocol.PublicApi;

/** Which children the supervisor restarts when one has failed (OTP {@code strategy}). */
@PublicApi
public enum RestartStrategy {
  /** Only the one that failed. */
  ONE_FOR_ONE,
  /** All of them: stopped in reverse order, started in order. */
  ONE_FOR_ALL,
  /** The one that failed and those that were added after it. */
  REST_FOR_ONE
}
