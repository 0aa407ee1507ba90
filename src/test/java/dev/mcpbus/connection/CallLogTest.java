package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which calls are in flight, how they ended, and an operator who ends one. */
class CallLogTest {

  private final TestBus bus = TestBus.start(new JsonObject());
  private final ScriptedPeer peer =
      ScriptedPeer.discover(
          bus.vertx(),
          (method, params, connection) ->
              switch (method) {
                case "tools/list" ->
                    "\"result\":{\"tools\":["
                        + tool("never")
                        + tool("bad")
                        + tool("ok", "")
                        + "],\"ttlMs\":60000}";
                case "tools/call" -> answer(params.getString("name"));
                case "prompts/get" -> "\"result\":{\"messages\":[]}";
                default -> null;
              });

  private static String tool(String name) {
    return tool(name, ",");
  }

  private static String tool(String name, String then) {
    return "{\"name\":\"" + name + "\",\"inputSchema\":{\"type\":\"object\"}}" + then;
  }

  private static @Nullable String answer(String tool) {
    return switch (tool) {
      case "bad" -> "\"result\":{\"content\":[],\"isError\":true}";
      case "ok" -> "\"result\":{\"content\":[],\"isError\":false}";
      default -> null;
    };
  }

  @BeforeEach
  void add() {
    bus.add("s", peer.transport(), ConnectionOptions.DEFAULT, Duration.ofMillis(200));
    bus.awaitState("s", "READY");
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private Future<Object> call(String tool, DeliveryOptions options) {
    return bus.send("mcp.s.tools.call", TestBus.toolCall(tool, new JsonObject()), options);
  }

  private JsonObject calls() {
    return bus.request("mcp.s.calls", new JsonObject());
  }

  private JsonArray inFlight() {
    return calls().getJsonArray("inFlight");
  }

  private List<String> outcomes() {
    return calls().getJsonArray("recent").stream()
        .map(JsonObject.class::cast)
        .filter(one -> !one.getString("method").endsWith("/list")) // those of the directory
        .map(one -> one.getString("name") + " " + one.getString("outcome"))
        .toList();
  }

  private static McpFailure failure(Future<?> call) {
    await().until(call::isComplete);
    return McpFailure.of(call.cause());
  }

  @Test
  void a_call_in_flight_shows_what_it_is_whose_it_is_and_its_time_left() {
    DeliveryOptions options =
        new DeliveryOptions()
            .addHeader(Headers.PRINCIPAL, "-alice")
            .addHeader(Headers.CALL_ID, "alice/1")
            .addHeader(Headers.DEADLINE, "60000");
    Future<Object> waiting = call("never", options);
    await().until(() -> inFlight().size() == 1);

    JsonObject one = inFlight().getJsonObject(0);
    assertThat(one.getString("method")).isEqualTo("tools/call");
    assertThat(one.getString("name")).isEqualTo("never");
    assertThat(one.getString("who")).isEqualTo("alice");
    assertThat(one.getBoolean("hasCallId")).isTrue();
    assertThat(one.getLong("ageMillis")).isBetween(0L, 60_000L);
    assertThat(one.getLong("deadlineMillis")).isBetween(1L, 60_000L);
    assertThat(waiting.isComplete()).isFalse();
  }

  @Test
  void an_operator_ends_a_call_that_has_no_call_id() {
    Future<Object> waiting = call("never", new DeliveryOptions());
    await().until(() -> inFlight().size() == 1);
    JsonObject one = inFlight().getJsonObject(0);
    assertThat(one.containsKey("who")).isFalse();
    assertThat(one.getBoolean("hasCallId")).isFalse();

    JsonObject number = new JsonObject().put("call", one.getLong("call"));
    assertThat(bus.<JsonObject>request("mcp.s.calls.cancel", number).getBoolean("cancelled"))
        .isTrue();
    McpFailure ended = failure(waiting);
    assertThat(ended.code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(ended.getMessage()).isEqualTo("cancelled by an operator");
    await().until(() -> inFlight().isEmpty());
    assertThat(outcomes()).containsExactly("never CANCELLED");
    assertThat(bus.<JsonObject>request("mcp.s.calls.cancel", number).getBoolean("cancelled"))
        .as("it is over")
        .isFalse();
    assertThat(bus.failure("mcp.s.calls.cancel", new JsonObject()).code())
        .isEqualTo(FailureCode.BAD_REQUEST);
  }

  @Test
  void an_ended_call_shows_how_it_ended_the_last_one_first() {
    bus.callTool("s", "ok", new JsonObject());
    bus.callTool("s", "bad", new JsonObject());
    failure(call("nope", new DeliveryOptions()));
    bus.request("mcp.s.prompts.get", new JsonObject().put("name", "p"));
    assertThat(outcomes()).containsExactly("p OK", "nope UNKNOWN_TOOL", "bad TOOL_ERROR", "ok OK");
    JsonObject last = calls().getJsonArray("recent").getJsonObject(0);
    assertThat(last.getLong("millis")).isNotNegative();
    assertThat(last.getString("time")).endsWith("Z");
    assertThat(last.getString("method")).isEqualTo("prompts/get");
  }

  @Test
  void a_raw_request_is_one_call_with_the_method_that_it_sends() {
    JsonObject raw =
        new JsonObject()
            .put("method", "tools/call")
            .put("params", TestBus.toolCall("ok", new JsonObject()));
    bus.request("mcp.s.request", raw);
    assertThat(outcomes()).containsExactly("ok OK");
    assertThat(inFlight()).isEmpty();
  }

  @Test
  void the_last_hundred_are_kept_and_their_names_are_bounded() {
    for (int i = 0; i < 230; i++) {
      failure(call("x".repeat(300) + i, new DeliveryOptions()));
    }
    JsonArray recent = calls().getJsonArray("recent");
    assertThat(recent).hasSize(100);
    assertThat(recent.getJsonObject(0).getLong("call"))
        .isEqualTo(recent.getJsonObject(99).getLong("call") + 99);
    assertThat(recent.getJsonObject(0).getString("name")).hasSize(256);
  }

  @Test
  void a_method_that_a_caller_made_up_is_cut() {
    JsonObject request = new JsonObject().put("method", "y".repeat(100_000));
    bus.send("mcp.s.request", request, new DeliveryOptions());
    await().until(() -> calls().getJsonArray("inFlight").size() == 1);
    JsonObject open = calls().getJsonArray("inFlight").getJsonObject(0);
    assertThat(open.getString("method")).hasSize(256);
    bus.request("mcp.s.calls.cancel", new JsonObject().put("call", open.getLong("call")));
    assertThat(calls().getJsonArray("recent").getJsonObject(0).getString("method")).hasSize(256);
  }

  @Test
  void calls_that_wait_for_a_session_are_in_flight_and_can_be_ended() {
    ScriptedPeer silent = new ScriptedPeer(bus.vertx(), (method, params, connection) -> null);
    bus.add("t", silent.transport(), ConnectionOptions.DEFAULT, Duration.ofMillis(200));
    Future<Object> waiting = bus.send("mcp.t.ping", new JsonObject(), new DeliveryOptions());
    await()
        .until(
            () ->
                bus.<JsonObject>request("mcp.t.calls", new JsonObject())
                        .getJsonArray("inFlight")
                        .size()
                    == 1);
    bus.request("mcp.t.calls.cancel", new JsonObject().put("call", 1));
    McpFailure ended = failure(waiting);
    assertThat(ended.getMessage()).isEqualTo("cancelled by an operator before it was sent");
    assertThat(ended.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  @Test
  void the_activity_counts_calls_of_callers_with_their_ends_and_no_lists() {
    assertThat(bus.<JsonObject>request("mcp.servers.activity", new JsonObject()))
        .as("the list of the directory is no call")
        .isEqualTo(new JsonObject("{\"servers\":{}}"));
    bus.callTool("s", "ok", new JsonObject());
    bus.callTool("s", "bad", new JsonObject());
    failure(call("nope", new DeliveryOptions()));
    bus.request("mcp.s.prompts.get", new JsonObject().put("name", "p"));
    bus.request("mcp.s.prompts.list", new JsonObject());
    JsonObject wanted = new JsonObject().put("servers", new JsonArray().add("s").add("none"));
    JsonObject all = bus.request("mcp.servers.activity", wanted);
    assertThat(all.fieldNames()).containsExactly("servers");
    JsonObject activity = all.getJsonObject("servers").getJsonObject("s");
    assertThat(sum(activity, "calls")).isEqualTo(4);
    assertThat(sum(activity, "failed")).isEqualTo(2);
    assertThat(sum(activity, "millis")).isGreaterThanOrEqualTo(sum(activity, "longest"));
    wanted = new JsonObject().put("servers", new JsonArray().add("t"));
    assertThat(bus.<JsonObject>request("mcp.servers.activity", wanted).getJsonObject("servers"))
        .isEmpty();
    assertThat(bus.failure("mcp.servers.activity", new JsonObject().put("servers", "s")).code())
        .isEqualTo(FailureCode.BAD_REQUEST);
  }

  private static long sum(JsonObject activity, String list) {
    assertThat(activity.getJsonArray(list)).hasSize(60);
    return activity.getJsonArray(list).stream().mapToLong(one -> ((Number) one).longValue()).sum();
  }

  @Test
  void the_calls_of_all_servers_name_theirs() {
    call("never", new DeliveryOptions());
    await().until(() -> inFlight().size() == 1);
    bus.callTool("s", "bad", new JsonObject());
    JsonObject all = bus.request("mcp.servers.calls", new JsonObject());
    JsonObject one = all.getJsonArray("inFlight").getJsonObject(0);
    assertThat(one.getString("server")).isEqualTo("s");
    assertThat(one.getString("name")).isEqualTo("never");
    assertThat(all.getJsonArray("recent").getJsonObject(0).getString("outcome"))
        .isEqualTo("TOOL_ERROR");
    assertThat(all.containsKey("missing")).isFalse();
  }
}
