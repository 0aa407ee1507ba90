package dev.mcpbus.supervisor;

import dev.mcpbus.bus.Timers;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Time that passes when a test says so; what is due runs on the context that set the timer. Safe
 * from any thread.
 */
final class ManualScheduler implements Timers {

  private record Entry(long number, long at, Context context, Runnable task) {}

  private final List<Entry> entries = new ArrayList<>();
  private long last;
  private long now;

  synchronized long now() {
    return now;
  }

  @Override
  public synchronized long set(long millis, Runnable task) {
    entries.add(new Entry(++last, now + millis, Vertx.currentContext(), task));
    return last;
  }

  @Override
  public synchronized void cancel(long timer) {
    entries.removeIf(e -> e.number() == timer);
  }

  void passes(long millis) {
    List<Entry> fired;
    synchronized (this) {
      now += millis;
      fired = entries.stream().filter(e -> e.at() <= now).toList();
      entries.removeAll(fired);
    }
    fired.stream()
        .sorted(Comparator.comparing(Entry::at))
        .forEach(e -> e.context().runOnContext(due -> e.task().run()));
  }
}
