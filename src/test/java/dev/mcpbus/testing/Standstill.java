package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * All event loops of a Vert.x stand still until it is closed, as in a process that is suspended.
 */
public final class Standstill implements AutoCloseable {

  private final CountDownLatch end = new CountDownLatch(1);

  public Standstill(Vertx vertx) throws InterruptedException {
    List<EventExecutor> loops = new ArrayList<>();
    ((VertxInternal) vertx).nettyEventLoopGroup().forEach(loops::add);
    CountDownLatch all = new CountDownLatch(loops.size());
    loops.forEach(loop -> loop.execute(() -> hold(all)));
    assertThat(all.await(20, TimeUnit.SECONDS)).as("every event loop stands still").isTrue();
  }

  private void hold(CountDownLatch all) {
    all.countDown();
    try {
      boolean unused = end.await(60, TimeUnit.SECONDS);
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
