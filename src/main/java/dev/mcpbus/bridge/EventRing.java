package dev.mcpbus.bridge;

import io.vertx.core.buffer.Buffer;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The latest events, so many and of so many bytes; the newest is kept however large it is. Numbers
 * run on from 0 without a gap. Written by one, read on any thread.
 */
final class EventRing {

  /**
   * @param at when it was heard, wall clock, milliseconds
   * @param frame as it goes to a reader
   */
  record Entry(String server, String type, long at, Buffer frame) {}

  private final @Nullable Entry[] slots;
  private final long maxBytes;
  private long first;
  private long next;
  private long bytes;

  EventRing(int maxEvents, long maxBytes) {
    this.slots = new Entry[maxEvents];
    this.maxBytes = maxBytes;
  }

  /** The number of the oldest event that is kept. */
  synchronized long first() {
    return first;
  }

  /** The number that the next event will have. */
  synchronized long next() {
    return next;
  }

  /** Null where it is no longer kept, or has not been yet. */
  synchronized @Nullable Entry at(long number) {
    return number < first || number >= next ? null : slots[slot(number)];
  }

  /** The number of the first event that was heard at that time or later. */
  synchronized long since(long millis) {
    long number = next;
    while (number > first) {
      Entry before = slots[slot(number - 1)];
      if (before != null && before.at() < millis) {
        break;
      }
      number--;
    }
    return number;
  }

  synchronized void add(Entry entry) {
    while (next > first
        && (next - first == slots.length || bytes + entry.frame().length() > maxBytes)) {
      int oldest = slot(first++);
      Entry out = slots[oldest];
      bytes -= out == null ? 0 : out.frame().length();
      slots[oldest] = null;
    }
    slots[slot(next++)] = entry;
    bytes += entry.frame().length();
  }

  private int slot(long number) {
    return (int) (number % slots.length);
  }

  /**
   * What a reader wants; an empty set means all.
   *
   * @param sees the servers that there are for him
   */
  record Filter(Set<String> servers, Set<String> types, Predicate<String> sees) {
    boolean wants(Entry entry) {
      return sees.test(entry.server())
          && (servers.isEmpty() || servers.contains(entry.server()))
          && (types.isEmpty() || types.contains(entry.type()));
    }
  }
}
