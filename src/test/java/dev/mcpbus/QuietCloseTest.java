package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Pids;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Whatever ends first, nothing is written to the log and no child is left. */
class QuietCloseTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private Vertx vertx;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    log.start();
    root.addAppender(log);
  }

  @AfterEach
  void close() {
    root.detachAppender(log);
    TestBus.await(vertx.close());
  }

  /** Ends what is left, and looks at the log and at the children. */
  private void assertQuiet() {
    TestBus.await(vertx.close());
    assertThat(log.list.stream().filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN)))
        .as("warnings")
        .isEmpty();
    Awaitility.await("the child to end").atMost(PATIENCE).until(() -> Pids.in(folder).isEmpty());
  }

  @Test
  void the_bus_ends_first() {
    McpBus bus = started();

    TestBus.await(bus.close());

    assertThat(vertx.deploymentIDs()).isEmpty();
    assertQuiet();
  }

  @Test
  void vertx_ends_first() {
    McpBus bus = started();

    TestBus.await(vertx.close());
    TestBus.await(bus.close());
    assertQuiet();
  }

  @Test
  void both_end_at_the_same_time_and_twice() {
    McpBus bus = started();

    Future<Void> first = bus.close();
    Future<Void> both = vertx.close();
    Future<Void> second = bus.close();
    TestBus.await(Future.join(first, second, both));
    TestBus.await(bus.close());
    assertQuiet();
  }

  @Test
  void vertx_ends_during_the_start() {
    CompletableFuture<McpBus> starting =
        McpBus.start(vertx, options()).toCompletionStage().toCompletableFuture();

    TestBus.await(vertx.close());

    assertThat(starting).isCompletedExceptionally();
    assertQuiet();
  }

  @Test
  void vertx_ends_while_servers_connect() {
    TestBus.await(McpBus.start(vertx, options()));

    TestBus.await(vertx.close());
    assertQuiet();
  }

  @Test
  void the_deployment_is_undeployed() {
    String id =
        TestBus.await(
            vertx.deployVerticle(
                new McpBusVerticle(), new DeploymentOptions().setConfig(document())));

    TestBus.await(vertx.undeploy(id));

    assertThat(vertx.deploymentIDs()).isEmpty();
    assertQuiet();
  }

  @Test
  void the_verticle_that_started_it_is_undeployed_and_forgets_it() {
    VerticleBase forgetful =
        new VerticleBase() {
          @Override
          public Future<?> start() {
            return McpBus.start(vertx, options());
          }
        };
    String id = TestBus.await(vertx.deployVerticle(forgetful));

    TestBus.await(vertx.undeploy(id));

    Awaitility.await("the bus to end")
        .atMost(PATIENCE)
        .until(() -> vertx.deploymentIDs().isEmpty());
    assertQuiet();
  }

  @Test
  void vertx_ends_with_the_deployment() {
    TestBus.await(
        vertx.deployVerticle(new McpBusVerticle(), new DeploymentOptions().setConfig(document())));
    Awaitility.await("the child").atMost(PATIENCE).until(() -> !Pids.in(folder).isEmpty());

    TestBus.await(vertx.close());
    assertQuiet();
  }

  @Test
  void a_call_in_flight_fails_and_nothing_else_is_told() {
    McpBus bus = started();
    CompletableFuture<JsonObject> call =
        bus.server("echo")
            .send(
                Addresses.TOOLS_CALL,
                TestBus.toolCall("hang", new JsonObject()),
                CallOptions.timeout(Duration.ofSeconds(20)))
            .toCompletionStage()
            .toCompletableFuture();

    TestBus.await(vertx.close());

    assertThat(call).isCompletedExceptionally();
    assertQuiet();
  }

  private McpBus started() {
    McpBus bus = TestBus.await(McpBus.start(vertx, options()));
    TestBus.await(bus.awaitReady(PATIENCE));
    assertThat(Pids.in(folder)).isNotEmpty();
    return bus;
  }

  private McpBus.Options options() {
    return McpBus.Options.of(document());
  }

  private JsonObject document() {
    return new JsonObject()
        .put(
            "mcpServers",
            new JsonObject()
                .put(
                    "echo", EchoServer.shell().put("cwd", folder.toString()).put("drain", "200ms")))
        .put("bridge", new JsonObject().put("port", 0));
  }
}
