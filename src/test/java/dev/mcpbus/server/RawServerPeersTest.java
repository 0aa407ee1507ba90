package dev.mcpbus.server;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.testing.TestBus;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server with the peers that it will really meet: our own connection, and the SDK's client. */
class RawServerPeersTest {

  private final TestBus bus = TestBus.start(new JsonObject());
  private final Sample sample = new Sample();

  @AfterEach
  void stop() {
    bus.close();
  }

  private void overTheBus(JsonObject entry) {
    TestBus.await(bus.vertx().deployVerticle(sample.server.deployable("my.sample")));
    bus.<JsonObject>request(
        Addresses.SERVERS_ADD,
        new JsonObject()
            .put("name", "sample")
            .put("config", entry.put("address", "my.sample").put("validate", "never")));
    ready();
  }

  private void ready() {
    bus.awaitState("sample", "READY");
    await().until(() -> bus.status("sample").getBoolean("toolsListed", false));
  }

  @ParameterizedTest
  @EnumSource
  void a_connection_over_the_bus_calls_it_in_every_version(ProtocolVersion version) {
    overTheBus(new JsonObject().put("protocolVersion", version.wire()));
    assertThat(bus.status("sample").encode()).contains(version.wire());
    assertThat(bus.callTool("sample", "echo", new JsonObject().put("text", "hello")).encode())
        .contains("hello");
    assertThat(sample.requests.get(0).version()).isEqualTo(version);
    assertThat(sample.requests.get(0).client().name()).isEqualTo("mcpbus");
    assertThat(bus.callTool("sample", "throws", new JsonObject()).encode())
        .contains("\"isError\":true", "no such city");
    assertThat(bus.callTool("sample", "echo", new JsonObject()).encode())
        .contains("\"isError\":true", "arguments of tool 'echo'");
    JsonObject twice =
        bus.request(
            address("sample", Addresses.REQUEST),
            new JsonObject()
                .put("method", "sample/double")
                .put("params", new JsonObject().put("n", 4)));
    assertThat(twice.getInteger("twice")).isEqualTo(8);
    McpFailure unknown =
        bus.failure(
            address("sample", Addresses.REQUEST), new JsonObject().put("method", "no/such"));
    assertThat(unknown.data().encode()).contains("-32601");
    bus.<JsonObject>request(address("sample", Addresses.PING), new JsonObject());
  }

  @ParameterizedTest
  @EnumSource(names = {"V2025_11_25", "V2026_07_28"})
  void a_connection_receives_changed_tools_progress_and_updates(ProtocolVersion version) {
    overTheBus(new JsonObject().put("protocolVersion", version.wire()));
    List<JsonObject> progress = new CopyOnWriteArrayList<>();
    bus.vertx().eventBus().<JsonObject>consumer("my.progress", m -> progress.add(m.body()));
    bus.<JsonObject>request(
        address("sample", Addresses.TOOLS_CALL),
        TestBus.toolCall("tell", new JsonObject()),
        new DeliveryOptions().addHeader(Headers.PROGRESS, "my.progress"));
    await().until(() -> progress.size() == 1);
    assertThat(progress.get(0).getString("message")).isEqualTo("half");

    bus.<JsonObject>request(
        address("sample", Addresses.RESOURCES_SUBSCRIBE), new JsonObject().put("uri", "a:1"));
    // The server's own view, because the answer may be older than the subscription.
    await()
        .until(
            () -> {
              sample.server.notifyClients(
                  Methods.RESOURCE_UPDATED, new JsonObject().put("uri", "a:1"));
              return !bus.events(Events.RESOURCE_UPDATED).isEmpty();
            });

    sample.server.tool("late", "Came later.", Sample.NO_ARGUMENTS, (r, a) -> sample.gate.future());
    bus.awaitEvent("sample", Events.TOOLS_CHANGED);
    await()
        .until(
            () ->
                bus.<JsonObject>request(Addresses.ALL_TOOLS_LIST, new JsonObject())
                    .encode()
                    .contains("Came later."));
  }

  @Test
  void two_connections_are_two_sessions_and_a_cancelled_call_is_cancelled() {
    overTheBus(new JsonObject());
    TestBus.await(
        TestOptions.add(
            bus.bus(),
            new ConnectionId("memory"),
            sample.server.inMemory(bus.vertx().getOrCreateContext()),
            ConnectionOptions.DEFAULT));
    bus.awaitState("memory", "READY");
    assertThat(sample.server.sessions()).hasSize(2);
    assertThat(bus.callTool("memory", "echo", new JsonObject().put("text", "x")).encode())
        .contains("x");
    McpFailure late =
        bus.failure(
            address("memory", Addresses.TOOLS_CALL),
            TestBus.toolCall("wait", new JsonObject()),
            new DeliveryOptions().addHeader(Headers.DEADLINE, "100"));
    assertThat(late.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    await().until(() -> sample.waiting().isCancelled());
  }

  @Test
  void a_client_of_the_sdk_lists_calls_and_hears() {
    List<Integer> changes = new CopyOnWriteArrayList<>();
    List<Double> progress = new CopyOnWriteArrayList<>();
    try (McpSyncClient client =
        McpClient.sync(
                new SdkOverTransport(
                    bus.vertx(), sample.server.inMemory(bus.vertx().getOrCreateContext())))
            .requestTimeout(Duration.ofSeconds(20))
            .toolsChangeConsumer(tools -> changes.add(tools.size()))
            .progressConsumer(sent -> progress.add(sent.progress()))
            .build()) {
      assertThat(client.initialize().serverInfo().name()).isEqualTo("sample");
      assertThat(client.listTools().tools()).hasSize(6);
      CallToolResult result =
          client.callTool(CallToolRequest.builder("echo").arguments(Map.of("text", "hi")).build());
      assertThat(((TextContent) result.content().get(0)).text()).isEqualTo("hi");
      assertThat(client.callTool(CallToolRequest.builder("throws").build()).isError()).isTrue();
      client.callTool(CallToolRequest.builder("tell").meta(Map.of("progressToken", "t")).build());
      await().until(() -> progress.equals(List.of(1.0)));
      assertThat(client.callTool(CallToolRequest.builder("echo").build()).isError()).isTrue();
      sample.server.removeTool("wait");
      await().until(() -> changes.equals(List.of(5)));
      client.ping();
    }
  }
}
