package dev.mcpbus.connection;

import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.session.Clock;
import java.util.Map;
import java.util.TreeMap;

/** A clock and its timers, both turned by hand. */
public final class ManualTimers implements Timers, Clock {

  private record Due(long at, Runnable task) {}

  private final Map<Long, Due> timers = new TreeMap<>();
  private long now;
  private long names;

  @Override
  public long millis() {
    return now;
  }

  @Override
  public long set(long millis, Runnable task) {
    timers.put(++names, new Due(now + millis, task));
    return names;
  }

  @Override
  public void cancel(long timer) {
    timers.remove(timer);
  }

  public int armed() {
    return timers.size();
  }

  /** Lets time pass, and everything happen that is due meanwhile, in order. */
  public void pass(long millis) {
    long until = now + millis;
    while (true) {
      Map.Entry<Long, Due> next = null;
      for (Map.Entry<Long, Due> entry : timers.entrySet()) {
        if (entry.getValue().at() <= until
            && (next == null || entry.getValue().at() < next.getValue().at())) {
          next = entry;
        }
      }
      if (next == null) {
        now = until;
        return;
      }
      timers.remove(next.getKey());
      now = Math.max(now, next.getValue().at());
      next.getValue().task().run();
    }
  }
}
