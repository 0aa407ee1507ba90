package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.security.Admission;

/**
 * Bounds the open streams of all kinds together, as a fair limit: one principal cannot take them
 * all. Thread-safe.
 */
final class StreamLimit {

  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final FairLimit<Object> open;

  StreamLimit(int max) {
    this.open = new FairLimit<>(max);
  }

  /** For the status. */
  FairLimit<?> bound() {
    return open;
  }

  /** Takes a place, which {@link #free} gives back; false if the caller has its share already. */
  boolean take(Object stream, Admission caller) {
    return !open.admit(stream, caller.principal().name()).isRefused();
  }

  /** Idempotent. */
  void free(Object stream) {
    open.remove(stream);
  }

  /** The failure of a stream that is not opened. */
  McpFailure refusal(boolean stopping, Admission caller) {
    return new McpFailure(
        FailureCode.OVERLOADED,
        McpFailure.Sent.NO,
        stopping
            ? "the service is stopping"
            : open.size()
                + " streams are open already, "
                + open.sizeOf(caller.principal().name())
                + " of them yours; close one, or raise bridge.maxStreams",
        RETRY_AFTER_MILLIS,
        null);
  }
}
