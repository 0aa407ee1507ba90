package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.testing.TestBus;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One bus for each Vert.x. */
class OneBusTest {

  private Vertx vertx;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
  }

  @AfterEach
  void close() {
    TestBus.await(vertx.close());
  }

  private Future<McpBus> start() {
    return McpBus.start(vertx, McpBus.Options.of());
  }

  private void assertFree() {
    TestBus.await(TestBus.await(start()).close());
  }

  @Test
  void a_second_bus_is_refused_with_the_holder_and_the_remedies_until_the_first_has_closed() {
    McpBus first = TestBus.await(start());

    assertThatThrownBy(() -> TestBus.await(start()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(
            getClass().getName() + ".start (line ", "McpClient.create(vertx)", "a second Vert.x");

    TestBus.await(first.close());
    assertFree();
  }

  @Test
  void of_many_starts_at_once_one_is_served() throws InterruptedException {
    int many = 16;
    CountDownLatch go = new CountDownLatch(1);
    List<Future<McpBus>> starts = new ArrayList<>();
    List<Thread> threads =
        IntStream.range(0, many)
            .mapToObj(
                i ->
                    new Thread(
                        () -> {
                          try {
                            go.await();
                          } catch (InterruptedException e) {
                            return;
                          }
                          Future<McpBus> started = start();
                          synchronized (starts) {
                            starts.add(started);
                          }
                        }))
            .toList();
    threads.forEach(Thread::start);
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    Awaitility.await().until(() -> starts.stream().allMatch(Future::isComplete));
    assertThat(starts).hasSize(many);
    assertThat(starts.stream().filter(Future::succeeded)).hasSize(1);
  }

  @Test
  void a_failed_start_gives_the_claim_back() {
    McpBus.Options taken = McpBus.Options.of().withPort(0);
    try (TestBus other = TestBus.startWithBridge(new JsonObject())) {
      assertThatThrownBy(() -> TestBus.await(McpBus.start(vertx, taken.withPort(other.port()))));
    }
    assertFree();
  }

  @Test
  void a_deployment_of_two_instances_fails_and_leaves_nothing() {
    assertThatThrownBy(
            () ->
                TestBus.await(
                    vertx.deployVerticle(
                        McpBusVerticle.class.getName(), new DeploymentOptions().setInstances(2))))
        .hasMessageContainingAll(
            McpBusVerticle.class.getName(), "in the deployment ", "one instance");
    Awaitility.await().until(() -> vertx.deploymentIDs().isEmpty());
    assertFree();
  }

  @Test
  void a_second_deployment_fails_and_the_first_goes_on() {
    String first = TestBus.await(vertx.deployVerticle(new McpBusVerticle()));
    assertThatThrownBy(() -> TestBus.await(vertx.deployVerticle(new McpBusVerticle())))
        .hasMessageContaining("in the deployment " + first);
    assertThatThrownBy(() -> TestBus.await(start())).hasMessageContaining(first);

    TestBus.await(vertx.undeploy(first));
    assertFree();
  }

  @Test
  void a_bus_that_its_verticle_forgets_ends_with_it() {
    String id =
        TestBus.await(
            vertx.deployVerticle(
                new VerticleBase() {
                  @Override
                  public Future<?> start() {
                    return McpBus.start(Objects.requireNonNull(vertx), McpBus.Options.of());
                  }
                }));
    TestBus.await(vertx.undeploy(id));
    assertFree();
  }
}
