package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * All event loops of a Vert.x stand still until it is closed, as in a process that is suspended.
 */
public final class Standstill implements AutoCloseable {

  private final CountDownLatch end = new CountDownLatch(1);

  /** More contexts than event loops: each loop holds one, the others wait behind it. */
  public Standstill(Vertx vertx) throws InterruptedException {
    int contexts = 4 * Runtime.getRuntime().availableProcessors();
    CountDownLatch all = new CountDownLatch(contexts);
    for (int i = 0; i < contexts; i++) {
      new Thread(() -> vertx.getOrCreateContext().runOnContext(now -> hold(all))).start();
    }
    assertThat(all.await(200, TimeUnit.MILLISECONDS)).isFalse();
  }

  private void hold(CountDownLatch all) {
    all.countDown();
    try {
      boolean unused = end.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lasts so long at least. */
  public void last(Duration time) throws InterruptedException {
    assertThat(end.await(time.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
  }

  @Override
  public void close() {
    end.countDown();
  }
}
