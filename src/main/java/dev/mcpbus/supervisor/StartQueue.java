package dev.mcpbus.supervisor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Bounds how many children are between the command to start and its outcome. Children start in the
 * order in which they were added. A child without an outcome after the timeout gives up its slot,
 * so that it does not block the others. Confined to its {@link Supervision}.
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

  /**
   * Removes the next children from the queue, as many as there are free slots, in order; each takes
   * a slot.
   */
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

  /** When the oldest start loses its slot, or NONE while no child waits. */
  long nextExpiry() {
    return waiting.isEmpty() ? SupervisedChild.NONE : starting.values().iterator().next() + timeout;
  }
}
