package dev.mcpbus.supervisor;

import static java.util.Objects.requireNonNull;

import dev.mcpbus.bus.FairLimit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;

/**
 * Bounds how many children of each {@link StartKind} are between the command to start and its
 * outcome, so that not all programs boot at once. Children of one kind start in the order in which
 * they were added; those of one server leave places to other servers ({@link FairLimit}).
 *
 * <p>A slot is for a program that computes. A start that has no outcome yet while others wait loses
 * its slot after {@value #BRIEF_MILLIS} ms where the processors have time left: it waits for a
 * person, a network or a silent program. After {@value #LONG_MILLIS} ms it loses the slot in any
 * case. The start itself goes on. Confined to its {@link Supervision}.
 */
final class StartQueue {

  /** Why a child starts. A start of one kind does not wait for those of another. */
  enum StartKind {
    /** It is configured, or its session has ended. */
    PLANNED,
    /** A caller waits for it. */
    AWAITED,
    /** Its last start led to no session. */
    REPEATED
  }

  static final long BRIEF_MILLIS = 1_000;
  static final long LONG_MILLIS = 10_000;

  /** From this load on the processors have no time left. */
  private static final double BUSY = 0.8;

  /** The children of one kind: those that wait, and those that start, with the time of that. */
  private record StartLane(Set<SupervisedChild> waiting, Map<SupervisedChild, Long> starting) {}

  private final int slots;
  private final DoubleSupplier load;
  private final Map<StartKind, StartLane> lanes = new EnumMap<>(StartKind.class);
  private long measured = Long.MIN_VALUE / 2;
  private boolean busy = true;

  /**
   * @param slots of each kind
   * @param load the mean load of the processors since the last call, 0 to 1; negative if unknown
   */
  StartQueue(int slots, DoubleSupplier load) {
    this.slots = slots;
    this.load = load;
    for (StartKind kind : StartKind.values()) {
      lanes.put(kind, new StartLane(new LinkedHashSet<>(), new LinkedHashMap<>()));
    }
  }

  /** Adds a child to those of its present kind. */
  void add(SupervisedChild child) {
    requireNonNull(lanes.get(child.startKind())).waiting().add(child);
  }

  void remove(SupervisedChild child) {
    for (StartLane lane : lanes.values()) {
      lane.waiting().remove(child);
      lane.starting().remove(child);
    }
  }

  /**
   * Removes the next children from the queue, as many as there are free slots, in order; each takes
   * a slot.
   */
  List<SupervisedChild> admit(long now) {
    List<SupervisedChild> admitted = new ArrayList<>();
    for (StartLane lane : lanes.values()) {
      admit(lane, now, admitted);
      if (!lane.waiting().isEmpty()) {
        long limit = isBusy(now) ? LONG_MILLIS : BRIEF_MILLIS;
        lane.starting().values().removeIf(since -> now - since >= limit);
        admit(lane, now, admitted);
      }
    }
    return admitted;
  }

  private void admit(StartLane lane, long now, List<SupervisedChild> admitted) {
    var next = lane.waiting().iterator();
    while (next.hasNext() && lane.starting().size() < slots) {
      SupervisedChild child = next.next();
      String server = child.label();
      int has = 0;
      for (SupervisedChild other : lane.starting().keySet()) {
        has += other.label().equals(server) ? 1 : 0;
      }
      if (FairLimit.isShare(has, slots - lane.starting().size())) {
        next.remove();
        lane.starting().put(child, now);
        admitted.add(child);
      }
    }
  }

  /** A mean over more than the last moments says nothing about now: then they count as busy. */
  private boolean isBusy(long now) {
    long since = now - measured;
    if (since >= BRIEF_MILLIS) {
      busy = load.getAsDouble() >= BUSY || since > 3 * BRIEF_MILLIS;
      measured = now;
    }
    return busy;
  }

  /** When a start may lose its slot to a child that waits, or NONE while no child waits. */
  long nextExpiry(long now) {
    long next = SupervisedChild.NONE;
    for (StartLane lane : lanes.values()) {
      if (!lane.waiting().isEmpty()) {
        long oldest = lane.starting().values().iterator().next();
        long due = oldest + (Math.max(0, now - oldest) / BRIEF_MILLIS + 1) * BRIEF_MILLIS;
        next = next == SupervisedChild.NONE ? due : Math.min(next, due);
      }
    }
    return next;
  }
}
