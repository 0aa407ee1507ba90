package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.launcher.application.HookContext;
import io.vertx.launcher.application.VertxApplication;
import io.vertx.launcher.application.VertxApplicationHooks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** mcpbus started by a program, by a deployment and by the launcher of Vert.x. */
class EmbeddingTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final JsonObject BROKEN =
      new JsonObject()
          .put("command", "/no/such/command")
          .put("restart", new JsonObject().put("type", "temporary"));

  @TempDir Path folder;
  private Vertx vertx;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
  }

  @AfterEach
  void close() {
    TestBus.await(vertx.close());
  }

  @Test
  void a_program_adds_a_server_awaits_it_and_calls_its_tool() {
    McpBus bus = TestBus.await(McpBus.start(vertx, McpBus.Options.of()));

    TestBus.await(bus.add("echo", EchoServer.shell()));
    TestBus.await(bus.awaitReady(PATIENCE, "echo"));

    JsonObject result =
        TestBus.await(
            bus.server("echo")
                .send(
                    Addresses.TOOLS_CALL,
                    TestBus.toolCall("echo", new JsonObject().put("call", "one")),
                    CallOptions.DEFAULT));
    assertThat(result.encode()).contains("one ");
    assertThat(bus.port()).isEqualTo(-1);
  }

  @Test
  void await_ready_fails_with_the_name_and_the_reason_of_each_server() {
    McpBus bus =
        TestBus.await(
            McpBus.start(
                vertx,
                McpBus.Options.of(
                    new JsonObject()
                        .put(
                            "mcpServers",
                            new JsonObject()
                                .put("echo", EchoServer.shell())
                                .put("broken", BROKEN)
                                .put("empty", new JsonObject())
                                .put("asleep", EchoServer.shell().put("lazy", true))))));

    assertThatThrownBy(() -> TestBus.await(bus.awaitReady(PATIENCE)))
        .hasMessageContaining("broken: FAILED, ")
        .hasMessageContaining("START_FAILED")
        .hasMessageContaining("empty: left out, ")
        .message()
        .doesNotContain("echo:", "asleep:");
    assertThatThrownBy(() -> TestBus.await(bus.awaitReady(PATIENCE, "empty")))
        .hasMessageContaining("empty: left out, ");
    assertThatThrownBy(() -> TestBus.await(bus.awaitReady(PATIENCE, "Empty")))
        .hasMessageContaining("empty: left out, ");
    assertThatThrownBy(() -> TestBus.await(bus.awaitReady(PATIENCE, "nothing")))
        .hasMessageContaining("nothing: not configured");
    TestBus.await(bus.awaitReady(PATIENCE, "echo", "asleep"));
  }

  @Test
  void a_server_that_ends_its_calls_before_a_restart_is_awaited() {
    FakeMcpServer fake = FakeMcpServer.create(vertx, "fake").tool("slow", "done").hold("slow");
    McpBus bus = TestBus.await(McpBus.start(vertx, McpBus.Options.of()));
    TestBus.await(
        bus.add("fake", Servers.transport(fake.transport()).drain(Duration.ofMinutes(1))));
    TestBus.await(bus.awaitReady(PATIENCE));
    Future<ToolCallResult> call = bus.server("fake").callTool("slow", new JsonObject());
    Awaitility.await().until(() -> fake.openRequests().size() == 1);
    Future<ConnectionState> restarted = bus.server("fake").restart();
    Awaitility.await()
        .until(
            () -> TestBus.await(bus.server("fake").status()).state() == ConnectionState.DRAINING);

    Future<Void> ready = bus.awaitReady(PATIENCE);
    TestBus.await(bus.client().statuses());
    fake.release("slow");

    TestBus.await(ready);
    assertThat(TestBus.await(bus.server("fake").status()).epoch()).isEqualTo(2);
    assertThat(TestBus.await(restarted)).isEqualTo(ConnectionState.READY);
    assertThat(TestBus.await(call).text()).isEqualTo("done");
  }

  @Test
  void a_silent_server_is_not_awaited_longer_than_the_caller_wants() {
    McpBus bus = TestBus.await(McpBus.start(vertx, McpBus.Options.of()));
    TestBus.await(
        bus.add(
            "silent",
            new JsonObject().put("command", "sleep").put("args", new JsonArray().add("600"))));

    assertThatThrownBy(() -> TestBus.await(bus.awaitReady(Duration.ofMillis(300))))
        .hasMessageContaining("silent: CONNECTING");
    TestBus.await(bus.close());
  }

  @Test
  void a_deployment_takes_the_document_of_a_file() {
    JsonObject document =
        new JsonObject()
            .put("mcpServers", new JsonObject().put("echo", EchoServer.shell()))
            .put("bridge", new JsonObject().put("port", 0));

    String id =
        TestBus.await(
            vertx.deployVerticle(
                "dev.mcpbus.McpBusVerticle", new DeploymentOptions().setConfig(document)));

    JsonObject listed = list();
    assertThat(listed.getJsonArray("servers")).hasSize(1);
    TestBus.await(vertx.undeploy(id));
    assertThat(vertx.deploymentIDs()).isEmpty();
  }

  @Test
  void a_deployment_takes_the_name_of_a_file() throws IOException {
    TestBus.await(vertx.deployVerticle(new McpBusVerticle(), config(file())));

    assertThat(list().getJsonArray("servers")).hasSize(1);
  }

  @Test
  void a_deployment_with_a_document_that_cannot_be_used_fails_with_its_mistakes() {
    assertThatThrownBy(
            () ->
                TestBus.await(
                    vertx.deployVerticle(
                        new McpBusVerticle(), config(new JsonObject().put("mcpServer", 1)))))
        .hasMessageContaining("mcpServers");
    assertThatThrownBy(
            () ->
                TestBus.await(
                    vertx.deployVerticle(
                        new McpBusVerticle(),
                        config(new JsonObject().put("file", "x").put("bridge", 1)))))
        .hasMessageContaining("stands alone");
    assertThat(vertx.deploymentIDs()).isEmpty();
  }

  @Test
  void the_launcher_of_vertx_starts_it() throws Exception {
    CompletableFuture<Vertx> deployed = new CompletableFuture<>();
    VertxApplicationHooks hooks =
        new VertxApplicationHooks() {
          @Override
          public void afterVerticleDeployed(HookContext context) {
            deployed.complete(context.vertx());
          }

          @Override
          public void afterFailureToDeployVerticle(HookContext context, Throwable failure) {
            deployed.completeExceptionally(failure);
          }
        };

    new VertxApplication(
            new String[] {"dev.mcpbus.McpBusVerticle", "-conf", file().encode()}, hooks)
        .launch();

    Vertx launched = deployed.get(60, TimeUnit.SECONDS);
    assertThat(
            TestBus.await(
                    launched
                        .eventBus()
                        .<JsonObject>request(Addresses.SERVERS_LIST, new JsonObject()))
                .body()
                .getJsonArray("servers"))
        .hasSize(1);
    TestBus.await(launched.close());
  }

  private JsonObject list() {
    return TestBus.await(
            vertx.eventBus().<JsonObject>request(Addresses.SERVERS_LIST, new JsonObject()))
        .body();
  }

  private static DeploymentOptions config(JsonObject config) {
    return new DeploymentOptions().setConfig(config);
  }

  private JsonObject file() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("mcp.json"),
            new JsonObject()
                .put("mcpServers", new JsonObject().put("echo", EchoServer.shell()))
                .encodePrettily());
    return new JsonObject().put("file", file.toString());
  }
}
