package dev.mcpbus.spring;

import dev.mcpbus.McpBus;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the bus with its bean, so that other beans can call in their own start, and ends it after
 * the web server has answered its last request. A bus that has ended does not start again. Called
 * on the threads of Spring, which it blocks.
 */
final class McpBusLifecycle implements SmartLifecycle, DisposableBean {

  private static final int SECONDS = 30;

  /** Below that of Spring Boot's web server: the higher phase stops first. */
  private static final int PHASE = DEFAULT_PHASE - 4_096;

  private final McpBus bus;
  private volatile boolean running = true;

  McpBusLifecycle(Vertx vertx, McpBus.Options options) throws TimeoutException {
    this.bus = McpBus.start(vertx, options).await(SECONDS, TimeUnit.SECONDS);
  }

  McpBus bus() {
    return bus;
  }

  @Override
  public void start() {
    // The constructor has started it.
  }

  @Override
  public void stop(Runnable done) {
    running = false;
    bus.close().onComplete(closed -> done.run());
  }

  @Override
  public void stop() {
    stop(() -> {});
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public boolean isPauseable() {
    return false;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  /** For an application that fails in its start, which stops nothing. */
  @Override
  public void destroy() throws TimeoutException {
    bus.close().await(SECONDS, TimeUnit.SECONDS);
  }
}
