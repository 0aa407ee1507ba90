package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.ConnectionFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.InboundSpan;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.MetricsPage;
import dev.mcpbus.bus.OutboundSpan;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.gateway.Peers;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each operation that begins ends exactly once, with its outcome, whatever becomes of the call. */
class TelemetryIT {

  /** Remembers what it is told. */
  private static final class Recorder implements ConnectionTelemetry {

    final List<Recorded> sent = new CopyOnWriteArrayList<>();
    final List<Recorded> received = new CopyOnWriteArrayList<>();
    final List<String> life = new CopyOnWriteArrayList<>();

    @Override
    public TelemetryOperation sent(OutboundSpan request) {
      Recorded operation = new Recorded(request.method(), request.item());
      sent.add(operation);
      return operation;
    }

    TelemetryOperation received(InboundSpan request) {
      Recorded operation = new Recorded(request.method(), null);
      received.add(operation);
      return operation;
    }

    void sessionEnded(String version) {
      life.add("session " + version);
    }

    @Override
    public void bytes(int out, int in) {}

    @Override
    public void dropped() {}

    @Override
    public void restarted() {
      life.add("restarted");
    }

    @Override
    public void ready(@Nullable String version, long pid) {
      life.add("ready " + version + (pid > 0 ? " child" : ""));
    }

    @Override
    public void ended(@Nullable McpFailure reason) {
      life.add("ended " + (reason == null ? "" : reason.code()));
    }

    @Override
    public void close() {
      life.add("closed");
    }
  }

  /** One operation and its endings. */
  private static final class Recorded implements TelemetryOperation {

    final String method;
    private @Nullable String item;
    final List<String> endings = new CopyOnWriteArrayList<>();

    Recorded(String method, @Nullable String item) {
      this.method = method;
      this.item = item;
    }

    @Override
    public @Nullable TraceContext trace() {
      return null;
    }

    @Override
    public void target(String server, @Nullable String named) {
      item = named;
    }

    @Override
    public void succeeded(boolean toolError) {
      endings.add(toolError ? "tool error" : "success");
    }

    @Override
    public void failed(McpFailure failure) {
      endings.add(failure.code().name());
    }

    @Override
    public String toString() {
      return method + " " + item + " " + endings;
    }
  }

  private static final ConnectionId ID = new ConnectionId("s");
  private static final String ADDRESS = "mcp.s.tools.call";

  private final Recorder recorder = new Recorder();
  private Vertx vertx;
  private McpBus bus;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    Telemetry.use(vertx, new Facade(recorder));
    List<String> command = ScriptedServer.command("good");
    JsonObject entry =
        new JsonObject()
            .put("command", command.get(0))
            .put("args", new JsonArray(command.subList(1, command.size())));
    bus =
        TestBus.await(McpBus.start(vertx, McpBus.Options.of().withServer("s", entry).withPort(0)));
    TestBus.await(bus.client().awaitReady(Duration.ofSeconds(20)));
  }

  /** The program's own telemetry, which mcpbus neither replaces nor closes. */
  private record Facade(Recorder all) implements Telemetry {
    @Override
    public ConnectionTelemetry connection(ConnectionFacts facts) {
      return all;
    }

    @Override
    public TelemetryOperation received(InboundSpan request) {
      return all.received(request);
    }

    @Override
    public void sessionEnded(String version, long nanos) {
      all.sessionEnded(version);
    }

    @Override
    public void repeated(String server, FailureCode code) {}

    @Override
    public @Nullable MetricsPage page() {
      return null;
    }

    @Override
    public Future<Void> close() {
      throw new AssertionError("it belongs to the program");
    }
  }

  @AfterEach
  void close() {
    TestBus.await(bus.close());
    assertThat(Telemetry.of(vertx)).isNotNull();
    TestBus.await(vertx.close());
    assertThat(recorder.sent).allSatisfy(one -> assertThat(one.endings).hasSize(1));
    assertThat(recorder.received).allSatisfy(one -> assertThat(one.endings).hasSize(1));
  }

  private Future<Message<Buffer>> call(String tool, DeliveryOptions options) {
    return vertx
        .eventBus()
        .request(ADDRESS, Peers.call(tool).toBuffer(), options.setSendTimeout(30_000));
  }

  private List<Recorded> calls() {
    return recorder.sent.stream().filter(one -> one.method.equals("tools/call")).toList();
  }

  @Test
  void results_errors_and_failures_of_a_tool() {
    TestBus.await(call("echo", new DeliveryOptions()));
    Message<Buffer> failed = TestBus.await(call("error", new DeliveryOptions()));
    assertThat(failed.headers().get(Headers.TOOL_ERROR)).isEqualTo("true");
    assertThatThrownBy(() -> TestBus.await(call("rpc-error", new DeliveryOptions())));
    assertThat(calls())
        .extracting(Recorded::toString)
        .containsExactly(
            "tools/call echo [success]",
            "tools/call error [tool error]",
            "tools/call rpc-error [UPSTREAM_ERROR]");
  }

  @Test
  void a_deadline_a_cancellation_and_the_end_of_the_child() {
    DeliveryOptions soon = new DeliveryOptions().addHeader(Headers.DEADLINE, "100");
    assertThatThrownBy(() -> TestBus.await(call("hang", soon)));
    Future<Message<Buffer>> cancelled =
        call("hang", new DeliveryOptions().addHeader(Headers.CALL_ID, "mine"));
    await().until(() -> calls().size() == 2);
    CallCancellation.publish(vertx, ID, "mine");
    assertThatThrownBy(() -> TestBus.await(cancelled));
    assertThatThrownBy(() -> TestBus.await(call("crash", new DeliveryOptions())));
    assertThat(calls())
        .extracting(Recorded::toString)
        .containsExactly(
            "tools/call hang [CALL_TIMEOUT]",
            "tools/call hang [CANCELLED]",
            "tools/call crash [UPSTREAM_EXITED]");
    await()
        .untilAsserted(
            () ->
                assertThat(recorder.life)
                    .containsSubsequence(
                        "ready 2025-11-25 child",
                        "ended UPSTREAM_EXITED",
                        "restarted",
                        "ready 2025-11-25 child"));
  }

  @Test
  void a_call_in_flight_when_mcpbus_ends() {
    Future<Message<Buffer>> waiting = call("hang", new DeliveryOptions());
    await().until(() -> calls().size() == 1);
    TestBus.await(bus.close());
    assertThatThrownBy(() -> TestBus.await(waiting));
    assertThat(calls()).singleElement().satisfies(one -> assertThat(one.endings).hasSize(1));
  }

  @Test
  void requests_of_clients_at_the_gateway_of_both_eras() {
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    client.discover("tools/call", Peers.call("s__echo"));
    client.discover("tools/call", Peers.call("s__no-such"));
    client.discover("tools/list", new JsonObject());
    McpHttp.Session session = client.initialize();
    session.call("tools/call", Peers.call("s__error"));
    session.call("made/up", new JsonObject());
    session.end();
    assertThat(recorder.received)
        .extracting(Recorded::toString)
        .containsExactly(
            "tools/call echo [success]",
            "tools/call null [UNKNOWN_TOOL]",
            "tools/list null [success]",
            "initialize null [success]",
            "tools/call error [tool error]",
            "made/up null [UPSTREAM_ERROR]");
    assertThat(recorder.life).contains("session 2025-11-25");
  }
}
