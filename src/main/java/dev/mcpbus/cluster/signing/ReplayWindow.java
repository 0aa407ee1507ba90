package dev.mcpbus.cluster.signing;

import java.util.BitSet;

/**
 * Which numbers of one sender have arrived: each passes once. Keeps the newest {@code size}
 * numbers; older ones do not pass. Safe on every thread.
 */
final class ReplayWindow {

  private final int size;
  private final BitSet seen;
  private long newest = -1;

  /**
   * @param size how far a number may lie behind the newest one
   */
  ReplayWindow(int size) {
    this.size = size;
    this.seen = new BitSet(size);
  }

  /** True the first time for each number; numbers are not negative. */
  synchronized boolean pass(long number) {
    if (number < 0 || number <= newest - size) {
      return false;
    }
    if (number > newest) {
      if (number - newest >= size) {
        seen.clear();
      } else {
        for (long next = newest + 1; next < number; next++) {
          seen.clear((int) (next % size));
        }
      }
      newest = number;
    } else if (seen.get((int) (number % size))) {
      return false;
    }
    seen.set((int) (number % size));
    return true;
  }
}
