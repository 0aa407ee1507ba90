package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.memory.InMemoryTransport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** mcpbus inside a program that brings its own transport. */
class EmbeddedTest {

  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  /** A server in the process: tells the params of every request back as the result. */
  private record Mirror(Channel channel) implements Channel.Receiver {
    @Override
    public void onMessage(Envelope message) {
      RawJson id = message.id();
      if (id == null) {
        return;
      }
      RawJson result =
          message.method().equals("initialize")
              ? RawJson.of(
                  "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"mirror\",\"version\":\"1\"}}")
              : message.params();
      try {
        channel.send(
            OutboundMessage.response(Envelope.Kind.RESULT, MessageWriter.result(id, result)));
      } catch (TransportException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void onRequestFailed(long id, TransportException reason) {}

    @Override
    public void onClosed(TransportException reason) {}
  }

  @Test
  void a_transport_of_the_programs_own_has_the_settings_of_an_entry_and_the_defaults() {
    Vertx vertx = Vertx.vertx();
    List<JsonObject> logged = new CopyOnWriteArrayList<>();
    vertx.eventBus().<JsonObject>consumer(Addresses.RPC, line -> logged.add(line.body()));
    McpBus bus =
        TestBus.await(
            McpBus.start(
                vertx,
                McpBus.Options.of()
                    .withRpcLog(RpcLogMode.BUS)
                    .with("defaults", new JsonObject().put("drain", "700ms"))
                    .withServer("first", Servers.transport(mirror(vertx)))));
    try {
      TestBus.await(bus.add("second", mirror(vertx)));
      TestBus.await(
          bus.add("third", Servers.transport(mirror(vertx)).rpcLog(RpcLogMode.OFF).lazy(true)));
      TestBus.await(bus.awaitReady(Duration.ofSeconds(30), "first", "second"));

      assertThat(TestBus.await(bus.server("third").status()).state())
          .isEqualTo(ConnectionState.IDLE);
      TestBus.await(bus.server("third").connect());
      assertThat(logged)
          .extracting(line -> line.getString("server"))
          .contains("first", "second")
          .doesNotContain("third");
    } finally {
      TestBus.await(vertx.close());
    }
  }

  @Test
  void one_mistake_in_a_name_has_one_error_wherever_it_is_made() {
    Vertx vertx = Vertx.vertx();
    JsonObject entry = new JsonObject().put("address", "nowhere");
    McpBus bus = TestBus.await(McpBus.start(vertx, McpBus.Options.of().withServer("GIT", entry)));
    try {
      for (String bad : List.of("", " - ", "a\u202eb", "x".repeat(1_001))) {
        List<Callable<Future<?>>> ways =
            List.of(
                () -> Future.succeededFuture(McpBus.Options.of().withServer(bad, entry)),
                () ->
                    Future.succeededFuture(
                        McpBus.Options.of().withServer(bad, Servers.transport(mirror(vertx)))),
                () -> bus.add(bad, entry),
                () -> bus.add(bad, mirror(vertx)),
                () -> bus.client().addServer(bad, Servers.bus("nowhere")));
        assertThat(ways.stream().map(EmbeddedTest::failure).distinct())
            .as("all say the same of " + bad)
            .singleElement()
            .satisfies(
                one -> {
                  assertThat(one.code()).isEqualTo(FailureCode.BAD_REQUEST);
                  assertThat(one.message()).contains("name").endsWith("Choose another name");
                });
      }
      Servers own = Servers.transport(mirror(vertx));
      List<Callable<Future<?>>> far =
          List.of(
              () -> bus.client().addServer("far", own),
              () -> bus.client().connectToServer("far", own),
              () -> bus.client().connectOnce("far", own, CallOptions.DEFAULT));
      assertThat(far.stream().map(EmbeddedTest::failure).map(SameFailure::message).distinct())
          .as("no address of the bus takes a transport")
          .singleElement()
          .asString()
          .contains("cannot be sent", "McpBus.add");
      List<Callable<Future<?>>> taken =
          List.of(
              () -> bus.add("git", entry),
              () -> bus.add("Git", mirror(vertx)),
              () -> bus.client().addServer("g i t".replace(" ", ""), Servers.bus("nowhere")));
      assertThat(taken.stream().map(EmbeddedTest::failure).map(SameFailure::message).distinct())
          .singleElement()
          .asString()
          .startsWith("a server 'git' exists already (\"GIT\", the embedding program); remove it");
    } finally {
      TestBus.await(vertx.close());
    }
  }

  @Test
  void a_bus_that_is_closed_says_so() {
    Vertx vertx = Vertx.vertx();
    McpBus bus = TestBus.await(McpBus.start(vertx, McpBus.Options.of()));
    TestBus.await(bus.close());
    try {
      List<Callable<Future<?>>> ways =
          List.of(
              () -> bus.add("one", new JsonObject().put("address", "nowhere")),
              () -> bus.add("one", Servers.bus("nowhere")),
              () -> bus.add("one", mirror(vertx)),
              () -> bus.awaitReady(Duration.ofSeconds(60)),
              bus::metrics);
      assertThat(ways.stream().map(EmbeddedTest::failure).map(SameFailure::message).distinct())
          .containsExactly("this McpBus is closed; McpBus.start starts another");
    } finally {
      TestBus.await(vertx.close());
    }
  }

  @Test
  void an_unknown_tool_is_refused_with_those_that_it_may_mean_and_none_that_is_hidden() {
    Vertx vertx = Vertx.vertx();
    RawServer lab = RawServer.of("lab", "1");
    for (String name : List.of("look", "lock")) {
      lab.tool(
          new JsonObject()
              .put("name", name)
              .put("inputSchema", new JsonObject().put("type", "object")),
          (request, arguments) -> Future.succeededFuture(ToolResult.text(name)));
    }
    Servers entry = Servers.transport(lab.inMemory(vertx.getOrCreateContext()));
    McpBus bus =
        TestBus.await(
            McpBus.start(
                vertx,
                McpBus.Options.of()
                    .withServer("all", entry)
                    .withServer("some", entry.set("disabledTools", new JsonArray().add("lock")))));
    try {
      TestBus.await(bus.awaitReady(Duration.ofSeconds(60)));
      assertThat(failure(() -> bus.server("all").callTool("lok", Map.of())))
          .isEqualTo(
              new SameFailure(
                  FailureCode.UNKNOWN_TOOL,
                  "the server offers no tool 'lok'; did you mean 'lock' or 'look'?"));
      String shown = "the server offers no tool '%s'; did you mean 'look'?";
      assertThat(failure(() -> bus.server("some").callTool("lok", Map.of())).message())
          .isEqualTo(shown.formatted("lok"));
      assertThat(failure(() -> bus.server("some").callTool("lock", Map.of())).message())
          .isEqualTo(shown.formatted("lock"));
      assertThat(failure(() -> bus.server("all").callTool("sing", Map.of())).message())
          .isEqualTo("the server offers no tool 'sing'; ask tools.list for the names");
    } finally {
      TestBus.await(vertx.close());
    }
  }

  private record SameFailure(FailureCode code, String message) {}

  private static SameFailure failure(Callable<Future<?>> way) {
    try {
      TestBus.await(way.call());
      throw new AssertionError("it was taken");
    } catch (Exception e) {
      McpFailure failure = McpFailure.of(e);
      return new SameFailure(failure.code(), String.valueOf(failure.getMessage()));
    }
  }

  private static InMemoryTransport mirror(Vertx vertx) {
    return new InMemoryTransport("mirror", vertx.getOrCreateContext(), Mirror::new);
  }

  @Test
  void a_transport_of_the_programs_own_becomes_a_connection_like_any_other() {
    try (TestBus bus = TestBus.start(new JsonObject())) {
      ConnectionId id = new ConnectionId("mirror");
      InMemoryTransport pair =
          new InMemoryTransport("mirror", bus.vertx().getOrCreateContext(), Mirror::new);
      TestBus.await(TestOptions.add(bus.bus(), id, pair, ConnectionOptions.DEFAULT));
      bus.awaitState("mirror", "READY");

      JsonObject mirrored =
          bus.request(
              Addresses.of(id, Addresses.REQUEST),
              new JsonObject()
                  .put("method", "mirror/me")
                  .put("params", new JsonObject().put("_meta", new JsonObject().put("own", 1))),
              new DeliveryOptions()
                  .addHeader(Headers.TRACEPARENT, TRACE)
                  .addHeader(Headers.PROGRESS, "test.progress"));
      JsonObject meta = mirrored.getJsonObject("_meta");
      assertThat(meta.getInteger("own")).isEqualTo(1);
      assertThat(meta.getString("traceparent")).isEqualTo(TRACE);
      assertThat(meta.getString("progressToken")).isNotBlank();

      assertThatThrownBy(
              () -> TestBus.await(TestOptions.add(bus.bus(), id, pair, ConnectionOptions.DEFAULT)))
          .isInstanceOf(McpFailure.class)
          .hasMessageContaining("exists already");
      assertThat(bus.status("mirror").getString("state")).isEqualTo("READY");
    }
  }
}
