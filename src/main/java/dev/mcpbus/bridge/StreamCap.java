package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import java.util.concurrent.atomic.AtomicInteger;

/** How many streams may be open at a time, of all kinds together. Thread-safe. */
final class StreamCap {

  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final int max;
  private final AtomicInteger open = new AtomicInteger();

  StreamCap(int max) {
    this.max = max;
  }

  /** False where all are taken; else each take wants one {@link #free}. */
  boolean take() {
    if (open.incrementAndGet() <= max) {
      return true;
    }
    open.decrementAndGet();
    return false;
  }

  void free() {
    open.decrementAndGet();
  }

  boolean isFull() {
    return open.get() >= max;
  }

  /** Why a stream is not opened. */
  McpFailure refusal(boolean stopping) {
    return new McpFailure(
        FailureCode.OVERLOADED,
        McpFailure.Sent.NO,
        stopping
            ? "the service is stopping"
            : max + " streams are open already; close one, or raise bridge.maxStreams",
        RETRY_AFTER_MILLIS,
        null);
  }
}
