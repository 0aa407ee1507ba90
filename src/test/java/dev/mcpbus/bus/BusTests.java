package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waiting for futures from a test's own thread. */
public final class BusTests {

  private BusTests() {}

  public static <T> T await(Future<T> future) {
    try {
      return future.await(60, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("no ending within 60 s", e);
    }
  }

  public static McpFailure failure(Future<?> future) {
    try {
      future.otherwiseEmpty().await(60, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("no ending within 60 s", e);
    }
    assertThat(future.failed()).as("the call fails").isTrue();
    assertThat(future.cause()).isInstanceOf(McpFailure.class);
    return (McpFailure) future.cause();
  }
}
