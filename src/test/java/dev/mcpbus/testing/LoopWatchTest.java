package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LoopWatchTest {

  @Test
  void a_loop_that_sleeps_is_blocked() {
    try (LoopWatch watch = LoopWatch.begin(100)) {
      Vertx vertx = Vertx.vertx(strict());
      try {
        vertx.runOnContext(now -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(400)));
        Awaitility.await().until(() -> !watch.found().isEmpty());
        assertThat(watch.found().get(0)).contains("has been blocked for", "for a processor");
      } finally {
        TestBus.await(vertx.close());
      }
    }
  }

  private static VertxOptions strict() {
    return new VertxOptions()
        .setBlockedThreadCheckInterval(20)
        .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
        .setMaxEventLoopExecuteTime(100);
  }
}
