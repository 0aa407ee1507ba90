package dev.mcpbus.bench.cluster;

import com.sun.management.OperatingSystemMXBean;
import io.netty.util.internal.PlatformDependent;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What this JVM has spent, and how long its event loops were kept from anything else. */
final class Strain {

  private static final long TICK_MILLIS = 10;
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final AtomicLong longest = new AtomicLong();
  private long cpu = SYSTEM.getProcessCpuTime();

  /** One watch on each event loop: Vert.x gives contexts to them in turn. */
  Strain(Vertx vertx) {
    for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
      vertx.runOnContext(start -> new Watch(vertx).start());
    }
  }

  private final class Watch {
    private final Vertx vertx;
    private long before = System.nanoTime();

    Watch(Vertx vertx) {
      this.vertx = vertx;
    }

    void start() {
      before = System.nanoTime();
      vertx.setPeriodic(
          TICK_MILLIS,
          tick -> {
            long now = System.nanoTime();
            long late = now - before - TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
            longest.accumulateAndGet(late, Math::max);
            before = now;
          });
    }
  }

  /** Since it was asked last. */
  JsonObject since() {
    long now = SYSTEM.getProcessCpuTime();
    JsonObject answer =
        new JsonObject()
            .put("cpuMillis", (now - cpu) / 1_000_000)
            .put("loopMillis", longest.getAndSet(0) / 1_000_000);
    cpu = now;
    return answer;
  }

  /** Bytes in use after full collections. */
  static JsonObject memory() throws InterruptedException {
    for (int i = 0; i < 4; i++) {
      System.gc();
      Thread.sleep(100);
    }
    return new JsonObject()
        .put("heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed())
        .put("direct", PlatformDependent.usedDirectMemory());
  }
}
