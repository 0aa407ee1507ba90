package dev.mcpbus.testing;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time that stands still until a test moves it. Any thread may call. */
@PublicApi
public final class FakeTime {

  private record Wait(long due, Promise<Void> over) {}

  private final List<Wait> waits = new ArrayList<>();
  private long now;

  /** Completes when the test has moved the time on by {@code delay}; at once for zero. */
  public Future<Void> after(Duration delay) {
    Promise<Void> over = Promise.promise();
    synchronized (this) {
      if (delay.toNanos() > 0) {
        waits.add(new Wait(now + delay.toNanos(), over));
        return over.future();
      }
    }
    over.complete();
    return over.future();
  }

  /** Moves the time; what is due then completes on this thread, the earliest first. */
  public void advance(Duration by) {
    List<Wait> due;
    synchronized (this) {
      now += by.toNanos();
      due = waits.stream().filter(wait -> wait.due <= now).toList();
      waits.removeAll(due);
    }
    due.stream().sorted(Comparator.comparingLong(Wait::due)).forEach(wait -> wait.over.complete());
  }

  /** How many delays have not ended yet. */
  public synchronized int waiting() {
    return waits.size();
  }
}
