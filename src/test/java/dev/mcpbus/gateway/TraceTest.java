package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Headers;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The trace of a caller reaches the server through every door, also where nothing is measured. */
class TraceTest {

  private static final TraceContext HTTP =
      new TraceContext(
          "00-11111111111111111111111111111111-1111111111111111-01", "http=1", "door=http");
  private static final TraceContext META =
      new TraceContext(
          "00-22222222222222222222222222222222-2222222222222222-00", "meta=2", "door=meta");

  private TestBus bus;
  private ScriptedPeer old;
  private ScriptedPeer modern;

  @BeforeEach
  void start() {
    bus = TestBus.startWithGateway(new JsonObject(), GatewayOptions.DEFAULT);
    old = Peers.initialize(bus, "old", TraceTest::answer);
    modern = Peers.discover(bus, "new", TraceTest::answer);
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private static @Nullable String answer(String method, JsonObject params, int connection) {
    return switch (method) {
      case "tools/list" -> Peers.tools("t");
      case "tools/call" -> Peers.text("done");
      default -> null;
    };
  }

  private static String[] http(String... more) {
    List<String> all = new ArrayList<>(List.of(more));
    all.addAll(List.of("traceparent", HTTP.traceparent(), "tracestate", HTTP.tracestate()));
    all.addAll(List.of("baggage", HTTP.baggage()));
    return all.toArray(String[]::new);
  }

  private static JsonObject meta() {
    return new JsonObject()
        .put("traceparent", META.traceparent())
        .put("tracestate", META.tracestate())
        .put("baggage", META.baggage());
  }

  /** The trace in {@code _meta} of the last call that a server has received. */
  private @Nullable TraceContext arrived(String server) {
    List<JsonObject> calls = (server.equals("old") ? old : modern).received("tools/call");
    JsonObject meta =
        calls
            .get(calls.size() - 1)
            .getJsonObject("params")
            .getJsonObject("_meta", new JsonObject());
    return TraceContext.of(
        meta.getString("traceparent"), meta.getString("tracestate"), meta.getString("baggage"));
  }

  private void discover(String server, boolean own) {
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    JsonObject params = Peers.call(server + "__t");
    JsonObject request = client.described("tools/call", own ? params.put("_meta", meta()) : params);
    assertThat(client.post(request, http(McpHttp.headers(request))).status()).isEqualTo(200);
  }

  private void session(String server, boolean own) {
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    McpHttp.Session session = client.initialize();
    JsonObject params = Peers.call(server + "__t");
    JsonObject request = client.request("tools/call", own ? params.put("_meta", meta()) : params);
    assertThat(client.post(request, http(session.headers())).status()).isEqualTo(200);
  }

  private void rpc(String server, boolean own) {
    JsonObject params = Peers.call(server + ":t");
    JsonObject request =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", 1)
            .put("method", "tools/call")
            .put("params", own ? params.put("_meta", meta()) : params);
    assertThat(new McpHttp(bus.port(), "/rpc").post(request, http()).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"old", "new"})
  void headers_of_http_reach_servers_of_both_eras_through_every_door(String server) {
    for (Runnable door : doors(server, false)) {
      door.run();
      assertThat(arrived(server)).isEqualTo(HTTP);
    }
    McpHttp rest = new McpHttp(bus.port(), "/api/servers/" + server + "/tools/t");
    assertThat(rest.post("{}", http()).status()).isEqualTo(200);
    assertThat(arrived(server)).isEqualTo(HTTP);
  }

  @ParameterizedTest
  @ValueSource(strings = {"old", "new"})
  void what_the_message_names_itself_counts_more_than_headers_of_http(String server) {
    for (Runnable door : doors(server, true)) {
      door.run();
      assertThat(arrived(server)).isEqualTo(META);
    }
  }

  private List<Runnable> doors(String server, boolean own) {
    return Stream.<Runnable>of(
            () -> discover(server, own), () -> session(server, own), () -> rpc(server, own))
        .toList();
  }

  @Test
  void a_program_on_the_bus_names_it_in_headers_and_what_is_not_valid_is_dropped() {
    DeliveryOptions options =
        new DeliveryOptions()
            .addHeader(Headers.TRACEPARENT, "00-aa-bb-01")
            .addHeader(Headers.TRACESTATE, "a=1")
            .addHeader(Headers.BAGGAGE, "b=2");
    bus.request("mcp.new.tools.call", Peers.call("t"), options);
    assertThat(arrived("new")).isEqualTo(new TraceContext(null, null, "b=2"));
  }

  @Test
  void a_call_that_may_ask_its_client_carries_the_trace_as_well() {
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    JsonObject capabilities = new JsonObject().put("elicitation", new JsonObject());
    JsonObject request =
        client.described(
            "tools/call", Peers.call("old__t").put("_meta", McpHttp.meta(capabilities)));
    assertThat(client.post(request, http(McpHttp.headers(request))).status()).isEqualTo(200);
    assertThat(arrived("old")).isEqualTo(HTTP);
  }
}
