package dev.mcpbus.internals;

import java.util.BitSet;

/**
 * Which numbers of one sender have arrived: each counts once. Keeps the newest {@code size}
 * numbers; of older ones nothing is known, and they do not count. Safe on every thread.
 */
public final class NumberWindow {

  private final int size;
  private final BitSet seen = new BitSet();
  private long newest = -1;

  /**
   * @param size how far a number may lie behind the newest one
   */
  public NumberWindow(int size) {
    this.size = size;
  }

  /** True the first time for each number; numbers are not negative. */
  public synchronized boolean add(long number) {
    if (number < 0 || isForgotten(number) || has(number)) {
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
    }
    seen.set((int) (number % size));
    return true;
  }

  /** Whether a number has arrived; false where it is forgotten. */
  public synchronized boolean has(long number) {
    return number <= newest && !isForgotten(number) && seen.get((int) (number % size));
  }

  /** Whether a number is so old that nothing is known of it. */
  public synchronized boolean isForgotten(long number) {
    return number <= newest - size;
  }
}
