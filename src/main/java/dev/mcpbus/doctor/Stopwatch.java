package dev.mcpbus.doctor;

/** Measures one step. Immutable. */
record Stopwatch(long begin) {

  static Stopwatch start() {
    return new Stopwatch(System.nanoTime());
  }

  long millis() {
    return (System.nanoTime() - begin) / 1_000_000;
  }
}
