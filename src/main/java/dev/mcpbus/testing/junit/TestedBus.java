package dev.mcpbus.testing.junit;

import dev.mcpbus.McpBus;
import dev.mcpbus.testing.FakeMcpServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** The bus and the fake servers of one test, and what it may not leave. For the test's thread. */
final class TestedBus {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration SETTLES = Duration.ofSeconds(5);
  private static final long PAUSE_MILLIS = 5;

  private final Vertx vertx;
  private final boolean ownsVertx;
  private final boolean alone;
  private final McpBus bus;
  private final Set<Long> children = children();
  private final Map<String, FakeMcpServer> fakes = new LinkedHashMap<>();
  private final Map<String, FakeMcpServer> toConnect = new LinkedHashMap<>();
  private boolean begun;

  /**
   * @param alone whether no other test runs, so that each new child process is of this one
   */
  TestedBus(Vertx vertx, boolean ownsVertx, McpBus.Options options, boolean alone) {
    this.vertx = vertx;
    this.ownsVertx = ownsVertx;
    this.alone = alone;
    this.bus =
        await(
            McpBus.start(vertx, options)
                .recover(
                    failure ->
                        (ownsVertx ? vertx.close() : Future.<Void>succeededFuture())
                            .transform(closed -> Future.failedFuture(failure))),
            "the start");
  }

  McpBus bus() {
    return bus;
  }

  Vertx vertx() {
    return vertx;
  }

  FakeMcpServer fake(FakeServer declared) {
    String id = declared.value();
    FakeMcpServer known = fakes.get(id);
    if (known != null) {
      return known;
    }
    FakeMcpServer made = FakeMcpServer.create(vertx, id);
    fakes.put(id, made);
    if (declared.connect()) {
      toConnect.put(id, made);
      if (begun) {
        begin();
      }
    }
    return made;
  }

  /** Connects what is not connected yet. */
  void begin() {
    begun = true;
    toConnect.forEach((id, fake) -> await(bus.add(id, fake.transport()), "adding " + id));
    if (!toConnect.isEmpty()) {
      String[] ids = toConnect.keySet().toArray(String[]::new);
      await(bus.awaitReady(PATIENCE, ids), "the start of " + toConnect.keySet());
    }
    toConnect.clear();
  }

  /** Closes everything, and throws an {@link AssertionError} that names what the test has left. */
  void end() {
    List<String> left = new ArrayList<>();
    fakes.forEach(
        (id, fake) -> {
          if (!settles(() -> fake.openRequests().isEmpty())) {
            fake.openRequests().forEach(one -> left.add(id + " has not answered " + one));
          }
        });
    await(bus.close(), "closing the bus");
    fakes.forEach(
        (id, fake) -> {
          if (!settles(() -> fake.connections() == 0)) {
            left.add(fake.connections() + " connections to " + id);
          }
        });
    if (alone && !settles(() -> children.containsAll(children()))) {
      Set<Long> more = children();
      more.removeAll(children);
      left.add("child processes " + more);
    }
    if (ownsVertx) {
      await(vertx.close(), "closing Vert.x");
    }
    if (!left.isEmpty()) {
      throw new AssertionError("the test has left: " + String.join("; ", left));
    }
  }

  private static Set<Long> children() {
    return ProcessHandle.current()
        .children()
        .filter(ProcessHandle::isAlive)
        .map(ProcessHandle::pid)
        .collect(Collectors.toSet());
  }

  private static boolean settles(BooleanSupplier condition) {
    long end = System.nanoTime() + SETTLES.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        return false;
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }

  private static <T> T await(Future<T> future, String what) {
    try {
      return future.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError(what + " took more than " + PATIENCE.toSeconds() + " s", e);
    }
  }
}
