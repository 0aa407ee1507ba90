package dev.mcpbus.bridge;

import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Rights;
import io.vertx.core.buffer.Buffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The latest events, bounded in number and in bytes; the newest is kept whatever its size. Events
 * are numbered from 0 without a gap. One thread writes, any thread reads.
 */
final class EventRing {

  /**
   * @param owner the principal that owns the thing of the event; null if none does
   * @param uri the resource that was updated; null for other events
   * @param at when it arrived, wall clock, milliseconds
   * @param frame the bytes for a reader
   * @param bare the bytes for a reader that may not see all tools of the server; null for none
   */
  record StoredEvent(
      String server,
      String type,
      @Nullable String owner,
      @Nullable String uri,
      long at,
      Buffer frame,
      @Nullable Buffer bare) {}

  private final @Nullable StoredEvent[] slots;
  private final long maxBytes;
  private long first;
  private long next;
  private long bytes;

  EventRing(int maxEvents, long maxBytes) {
    this.slots = new StoredEvent[maxEvents];
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

  /** Null if the event is no longer kept, or has not arrived. */
  synchronized @Nullable StoredEvent at(long number) {
    return number < first || number >= next ? null : slots[slot(number)];
  }

  /** The number of the first event that arrived at that time or later. */
  synchronized long since(long millis) {
    long number = next;
    while (number > first) {
      StoredEvent before = slots[slot(number - 1)];
      if (before != null && before.at() < millis) {
        break;
      }
      number--;
    }
    return number;
  }

  synchronized void add(StoredEvent entry) {
    while (next > first
        && (next - first == slots.length || bytes + entry.frame().length() > maxBytes)) {
      int oldest = slot(first++);
      StoredEvent out = slots[oldest];
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
   * The events for one reader; an empty set means all.
   *
   * @param right the right to a server that its events need
   * @param rights of the reader, which hide servers and resources
   * @param requester the reader: events about things of other principals are hidden
   */
  record Filter(
      Set<String> servers, Set<String> types, Action right, Rights rights, Requester requester) {

    /** The bytes of the event for this reader; null if it does not get the event. */
    @Nullable Buffer frame(StoredEvent entry) {
      String uri = entry.uri();
      String server = entry.server();
      boolean wanted =
          (right == Action.LIST ? rights.sees(server) : rights.allows(right, server, ""))
              && (uri == null || rights.allows(Action.SUBSCRIBE, server, uri))
              && (!Events.isOwned(entry.type()) || Requester.sees(requester, entry.owner()))
              && (servers.isEmpty() || servers.contains(server))
              && (types.isEmpty() || types.contains(entry.type()));
      if (!wanted || entry.frame() == entry.bare() || rights.listsAllTools(server)) {
        return wanted ? entry.frame() : null;
      }
      return entry.bare();
    }
  }
}
