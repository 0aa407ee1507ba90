package dev.mcpbus.bridge;

/** How many streams may be open at a time, of all kinds together. Used on the bridge's context. */
final class StreamCap {

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

  int open() {
    return open;
  }

  String refusal() {
    return max + " streams are open already; close one, or raise bridge.maxStreams";
  }
}
