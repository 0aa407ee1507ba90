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
  private final Set<Child> waiting = new LinkedHashSet<>();
  private final Map<Child, Long> starting = new LinkedHashMap<>();

  StartQueue(int slots, long timeout) {
    this.slots = slots;
    this.timeout = timeout;
  }

  void add(Child child) {
    waiting.add(child);
  }

  void remove(Child child) {
    waiting.remove(child);
    starting.remove(child);
  }

  /** Those whose turn it is, in order; each takes a slot. */
  List<Child> admit(long now) {
    starting.values().removeIf(since -> now - since >= timeout);
    List<Child> admitted = new ArrayList<>();
    var next = waiting.iterator();
    while (next.hasNext() && starting.size() < slots) {
      Child child = next.next();
      next.remove();
      starting.put(child, now);
      admitted.add(child);
    }
    return admitted;
  }

  /** When a slot is taken back from a child that still starts, or NONE while nobody waits. */
  long nextExpiry() {
    return waiting.isEmpty() ? Child.NONE : starting.values().iterator().next() + timeout;
  }
}
