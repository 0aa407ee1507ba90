package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;

/** How many streams may be open at a time, of all kinds together. Used on the bridge's context. */
final class StreamCap {

  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final int max;
  private int open;

  StreamCap(int max) {
    this.max = max;
  }

  /** False where all are taken; else each take wants one {@link #free}. */
  boolean take() {
    if (open >= max) {
      return false;
    }
    open++;
    return true;
  }

  void free() {
    open--;
  }

  boolean isFull() {
    return open >= max;
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
