package dev.mcpbus.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Makes calls and measures them. */
public final class Load {

  /**
   * One round.
   *
   * @param calls that had a reply
   * @param failures calls that had none
   * @param perSecond replies per second
   * @param cpuMicros CPU of this JVM per call, all its threads
   */
  public record Result(
      long calls,
      long failures,
      double perSecond,
      double cpuMicros,
      double p50Micros,
      double p99Micros,
      double p999Micros) {}

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final long PATIENCE_SECONDS = 90;

  private final Contender contender;
  private final Histogram latency = new Histogram();
  private final LongAdder failures = new LongAdder();

  private Load(Contender contender) {
    this.contender = contender;
  }

  /** So many callers, each of which calls again when it has its reply. */
  public static Result closed(Contender contender, int callers, long millis)
      throws InterruptedException {
    return new Load(contender).closed(callers, millis);
  }

  /** So many callers, until all together have made so many calls. */
  public static Result counted(Contender contender, int callers, long calls)
      throws InterruptedException {
    return new Load(contender).counted(callers, calls);
  }

  /** So many calls a second, whatever the replies do; latency counts from when a call was due. */
  static Result paced(Contender contender, int perSecond, long millis) throws InterruptedException {
    return new Load(contender).paced(perSecond, millis);
  }

  private Result closed(int callers, long millis) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    return closed(callers, now -> now - until < 0);
  }

  private Result counted(int callers, long calls) throws InterruptedException {
    AtomicLong left = new AtomicLong(calls - callers);
    return closed(callers, now -> left.getAndDecrement() > 0);
  }

  /**
   * @param goesOn whether a caller that has its reply at this time calls again
   */
  private Result closed(int callers, LongPredicate goesOn) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(callers);
    long cpu = SYSTEM.getProcessCpuTime();
    long from = System.nanoTime();
    contender.execute(
        () -> {
          for (int i = 0; i < callers; i++) {
            new Caller(goesOn, over).call();
          }
        });
    return result(over, cpu, from);
  }

  /** One of the callers of a closed loop. */
  private final class Caller implements Contender.Reply {
    private final LongPredicate goesOn;
    private final CountDownLatch over;
    private long from;

    Caller(LongPredicate goesOn, CountDownLatch over) {
      this.goesOn = goesOn;
      this.over = over;
    }

    void call() {
      from = System.nanoTime();
      contender.call(this);
    }

    @Override
    public void ended(@Nullable Throwable failure) {
      long now = System.nanoTime();
      note(failure, now - from);
      if (goesOn.test(now)) {
        call();
      } else {
        over.countDown();
      }
    }
  }

  private Result paced(int perSecond, long millis) throws InterruptedException {
    int calls = Math.toIntExact(perSecond * millis / 1_000);
    long interval = TimeUnit.SECONDS.toNanos(1) / perSecond;
    CountDownLatch over = new CountDownLatch(calls);
    long cpu = SYSTEM.getProcessCpuTime();
    long from = System.nanoTime();
    for (int i = 0; i < calls; i++) {
      long due = from + i * interval;
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      contender.execute(
          () ->
              contender.call(
                  failure -> {
                    note(failure, System.nanoTime() - due);
                    over.countDown();
                  }));
    }
    return result(over, cpu, from);
  }

  private void note(@Nullable Throwable failure, long nanos) {
    if (failure == null) {
      latency.record(nanos);
    } else {
      if (failures.sum() == 0) {
        failure.printStackTrace();
      }
      failures.increment();
    }
  }

  private Result result(CountDownLatch over, long cpu, long from) throws InterruptedException {
    if (!over.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(over.getCount() + " calls never ended");
    }
    double seconds = (System.nanoTime() - from) / 1e9;
    long calls = latency.count();
    double cpuMicros = (SYSTEM.getProcessCpuTime() - cpu) / 1e3 / Math.max(1, calls);
    return new Result(
        calls,
        failures.sum(),
        calls / seconds,
        cpuMicros,
        latency.micros(0.5),
        latency.micros(0.99),
        latency.micros(0.999));
  }
}
