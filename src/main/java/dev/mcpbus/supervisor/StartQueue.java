package dev.mcpbus.supervisor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * First come, first served: at most so many children between the command to start and its outcome.
 * One that gives no outcome in time no longer counts.
 */
final class StartQueue {

  private final int slots;
  private final long timeout;
  private final Set<SupervisedChild> waiting = new LinkedHashSet<>();
  private final Map<SupervisedChild, Long> starting = new LinkedHashMap<>();

  StartQueue(int slots, long timeout) {
    this.slots = slots;
    this.timeout = timeout;
  }

  void add(SupervisedChild child) {
    waiting.add(child);
  }

  void remove(SupervisedChild child) {
    waiting.remove(child);
    starting.remove(child);
  }

  /** Those whose turn it is, in order; each takes a slot. */
  List<SupervisedChild> admit(long now) {
    starting.values().removeIf(since -> now - since >= timeout);
    List<SupervisedChild> admitted = new ArrayList<>();
    var next = waiting.iterator();
    while (next.hasNext() && starting.size() < slots) {
      SupervisedChild child = next.next();
      next.remove();
      starting.put(child, now);
      admitted.add(child);
    }
    return admitted;
  }

  /** When a slot is taken back from a child that still starts, or NONE while nobody waits. */
  long nextExpiry() {
    return waiting.isEmpty() ? SupervisedChild.NONE : starting.values().iterator().next() + timeout;
  }
}
