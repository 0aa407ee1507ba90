package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.gateway.Peers;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.MetaServer;
import dev.mcpbus.testing.OtlpReceiver;
import dev.mcpbus.testing.OtlpReceiver.SpanData;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces of calls to real child processes, as an OTLP receiver of our own gets them. */
class TracingIT {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CALLER = "00f067aa0ba902b7";
  private static final String PARENT = "00-" + TRACE + "-" + CALLER + "-01";
  private static final int SERVER = 2;
  private static final int CLIENT = 3;

  private Vertx vertx;
  private OtlpReceiver collector;
  private @Nullable McpBus bus;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    collector = OtlpReceiver.start();
  }

  @AfterEach
  void close() {
    if (bus != null) {
      TestBus.await(bus.close());
    }
    TestBus.await(vertx.close());
    collector.close();
  }

  private static JsonObject entry(String era) {
    List<String> command = MetaServer.command(era);
    return new JsonObject()
        .put("command", command.get(0))
        .put("args", new JsonArray(command.subList(1, command.size())));
  }

  private McpHttp run(TelemetryOptions telemetry) {
    bus =
        TestBus.await(
            TestOptions.of(
                    McpBus.Options.of()
                        .withServer("initialize", entry("initialize"))
                        .withServer("discover", entry("discover"))
                        .withPort(0))
                .withTelemetry(telemetry)
                .start(vertx));
    return new McpHttp(bus.port(), "/mcp");
  }

  private TelemetryOptions tracing() {
    return new TelemetryOptions(true, true, collector.url(), null, "here");
  }

  /** Ends mcpbus, which sends what is left. */
  private List<SpanData> sent() {
    if (bus != null) {
      TestBus.await(bus.close());
    }
    bus = null;
    return collector.spans();
  }

  private static JsonObject call(String server, JsonObject meta) {
    return Peers.call(server + "__meta").put("_meta", meta);
  }

  private static JsonObject carrying() {
    return new JsonObject()
        .put("traceparent", PARENT)
        .put("tracestate", "rojo=1")
        .put("baggage", "user=ada");
  }

  private static McpHttp.Answer made(McpHttp client, boolean session, JsonObject params) {
    if (session) {
      return client.initialize().call("tools/call", params);
    }
    JsonObject request = client.described("tools/call", params);
    return client.post(request, McpHttp.headers(request));
  }

  private static SpanData one(List<SpanData> spans, int kind, String name) {
    List<SpanData> found =
        spans.stream().filter(span -> span.kind() == kind && span.name().equals(name)).toList();
    assertThat(found).as(name + " in " + spans).hasSize(1);
    return found.get(0);
  }

  @ParameterizedTest
  @CsvSource({"false,discover", "false,initialize", "true,discover", "true,initialize"})
  void a_call_is_one_trace_from_the_client_to_the_server_in_both_eras(
      boolean session, String server) {
    McpHttp client = run(tracing());
    McpHttp.Answer answer = made(client, session, call(server, carrying()));
    JsonObject meta = new JsonObject(McpHttp.text(answer.result()));

    List<SpanData> spans = sent();
    SpanData door = one(spans, SERVER, "tools/call meta");
    SpanData connection = one(spans, CLIENT, "tools/call meta");
    assertThat(door.traceId()).isEqualTo(TRACE);
    assertThat(door.parentId()).isEqualTo(CALLER);
    assertThat(connection.traceId()).isEqualTo(TRACE);
    assertThat(connection.parentId()).isEqualTo(door.spanId());
    assertThat(meta.getString("traceparent"))
        .isEqualTo("00-" + TRACE + "-" + connection.spanId() + "-01");
    assertThat(meta.getString("tracestate")).isEqualTo("rojo=1");
    assertThat(meta.getString("baggage")).isEqualTo("user=ada");

    Map<String, String> shared =
        Map.of(
            "mcp.method.name", "tools/call",
            "gen_ai.tool.name", "meta",
            "gen_ai.operation.name", "execute_tool",
            "mcpbus.server", server);
    assertThat(door.attributes()).containsAllEntriesOf(shared).containsEntry("mcpbus.door", "mcp");
    assertThat(connection.attributes())
        .containsAllEntriesOf(shared)
        .containsEntry("network.transport", "pipe")
        .containsEntry(
            "mcp.protocol.version", server.equals("discover") ? "2026-07-28" : "2025-11-25")
        .containsKey("jsonrpc.request.id");
    assertThat(door.service()).isEqualTo("here");
    assertThat(door.status()).isZero();
    assertThat(door.nanos()).isGreaterThanOrEqualTo(connection.nanos()).isPositive();
  }

  @Test
  void what_the_message_names_is_the_parent_and_its_http_request_a_link() {
    McpHttp client = run(tracing());
    String transport = "11111111111111111111111111111111";
    JsonObject request = client.described("tools/call", call("discover", carrying()));
    String[] own = McpHttp.headers(request);
    String[] headers = java.util.Arrays.copyOf(own, own.length + 2);
    headers[own.length] = "traceparent";
    headers[own.length + 1] = "00-" + transport + "-2222222222222222-01";
    assertThat(client.post(request, headers).status()).isEqualTo(200);

    SpanData door = one(sent(), SERVER, "tools/call meta");
    assertThat(door.parentId()).isEqualTo(CALLER);
    assertThat(door.links()).containsExactly(transport + "-2222222222222222");
  }

  @Test
  void a_rest_call_is_a_trace_as_well_and_a_failure_has_its_type() {
    run(tracing());
    McpHttp rest = new McpHttp(port(), "/api/servers/discover/tools/meta");
    assertThat(rest.post("{}", "traceparent", PARENT).status()).isEqualTo(200);
    McpHttp unknown = new McpHttp(port(), "/api/servers/discover/tools/no-such-tool");
    assertThat(unknown.post("{}").status()).isEqualTo(404);

    List<SpanData> spans = sent();
    SpanData connection = one(spans, CLIENT, "tools/call meta");
    assertThat(connection.traceId()).isEqualTo(TRACE);
    assertThat(spans)
        .filteredOn(span -> span.spanId().equals(connection.parentId()))
        .singleElement()
        .satisfies(
            door -> {
              assertThat(door.parentId()).isEqualTo(CALLER);
              assertThat(door.attributes()).containsEntry("mcpbus.door", "api");
            });
    assertThat(spans)
        .filteredOn(span -> span.status() == 2)
        .singleElement()
        .satisfies(
            failed -> {
              assertThat(failed.attributes()).containsEntry("error.type", "UNKNOWN_TOOL");
              assertThat(failed.statusText()).contains("no-such-tool");
            });
  }

  private int port() {
    return bus == null ? -1 : bus.port();
  }

  @ParameterizedTest
  @ValueSource(strings = {"discover", "initialize"})
  void with_tracing_off_the_context_reaches_the_server_as_it_came(String server) {
    McpHttp client = run(TelemetryOptions.OFF);
    McpHttp.Answer answer = made(client, false, call(server, carrying()));
    JsonObject meta = new JsonObject(McpHttp.text(answer.result()));
    assertThat(meta.getString("traceparent")).isEqualTo(PARENT);
    assertThat(meta.getString("tracestate")).isEqualTo("rojo=1");
    assertThat(meta.getString("baggage")).isEqualTo("user=ada");
    assertThat(sent()).isEmpty();
  }

  @Test
  void what_is_not_sampled_is_not_sent_and_goes_on_unsampled() {
    McpHttp client = run(new TelemetryOptions(false, true, collector.url(), 0.0, null));
    McpHttp.Answer answer = made(client, false, call("discover", new JsonObject()));
    JsonObject meta = new JsonObject(McpHttp.text(answer.result()));
    // The second flag says that the id is random.
    assertThat(meta.getString("traceparent")).matches(".*-0[02]");
    assertThat(sent()).isEmpty();
  }

  @Test
  void a_collector_that_never_answers_costs_no_call_and_no_end() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + silent.getLocalPort();
      McpHttp client = run(new TelemetryOptions(false, true, url, null, null));
      for (int i = 0; i < 100; i++) {
        assertThat(made(client, false, call("discover", carrying())).status()).isEqualTo(200);
      }
      long from = System.nanoTime();
      sent();
      assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(10));
    }
  }

  @Test
  void requests_of_the_connection_itself_are_no_traces() {
    McpHttp client = run(tracing());
    await().until(() -> client.discover("tools/list", new JsonObject()).status() == 200);
    assertThat(sent()).filteredOn(span -> span.kind() == CLIENT).isEmpty();
  }
}
