package dev.mcpbus.supervisor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time that passes when a test says so. Safe from any thread. */
final class ManualScheduler implements Scheduler {

  private record Entry(long number, long at, Runnable task) {}

  private final List<Entry> entries = new ArrayList<>();
  private long last;
  private long now;

  synchronized long now() {
    return now;
  }

  @Override
  public synchronized Cancellation schedule(long delayMillis, Runnable task) {
    Entry entry = new Entry(++last, now + delayMillis, task);
    entries.add(entry);
    return () -> remove(entry);
  }

  private synchronized void remove(Entry entry) {
    entries.removeIf(e -> e.number() == entry.number());
  }

  void passes(long millis) {
    List<Entry> fired;
    synchronized (this) {
      now += millis;
      fired = entries.stream().filter(e -> e.at() <= now).toList();
      entries.removeAll(fired);
    }
    fired.stream().sorted(Comparator.comparing(Entry::at)).forEach(e -> e.task().run());
  }
}
