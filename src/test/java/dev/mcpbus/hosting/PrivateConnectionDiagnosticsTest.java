package dev.mcpbus.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.gateway.Peers;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operators see of the connections that belong to one client each. */
class PrivateConnectionDiagnosticsTest {

  private static final JsonObject SERVER = new JsonObject().put("id", "s");

  private final List<JsonObject> shown = new CopyOnWriteArrayList<>();
  private TestBus bus;

  @BeforeEach
  void start() {
    bus = TestBus.start(new JsonObject());
    ScriptedPeer peer =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no");
                  case "initialize" -> ScriptedPeer.INITIALIZED;
                  case "tools/list" -> Peers.tools("one", "two", "three", "four", "slow");
                  case "tools/call" ->
                      params.encode().contains("slow") ? null : "\"result\":{\"content\":[]}";
                  default -> null;
                });
    for (String id : List.of("s", "other")) {
      TestBus.await(
          TestOptions.add(
              bus.bus(), new ConnectionId(id), peer.transport(), ConnectionOptions.DEFAULT));
      bus.awaitState(id, "READY");
    }
    bus.vertx().eventBus().<JsonObject>consumer(Addresses.RPC, shown -> note(shown.body()));
  }

  private void note(JsonObject message) {
    shown.add(message);
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private String lease() {
    JsonObject wish =
        SERVER.copy().put("input", "test.input").put("events", "test.events").put("ttl", 60_000);
    String lease = bus.<JsonObject>request(Addresses.SERVERS_LEASE, wish).getString("lease");
    bus.awaitState(lease, "READY");
    return lease;
  }

  private void release(String lease) {
    bus.request(Addresses.SERVERS_RELEASE, new JsonObject().put("lease", lease));
  }

  private Future<Message<Object>> call(String connection, String tool) {
    return bus.vertx()
        .eventBus()
        .request(
            "mcp." + connection + ".tools.call",
            Buffer.buffer(TestBus.toolCall(tool, new JsonObject()).encode()),
            new DeliveryOptions().addHeader("call-id", "c-" + tool));
  }

  private JsonArray calls(String list, JsonObject body) {
    return bus.<JsonObject>request(Addresses.SERVERS_CALLS, body).getJsonArray(list);
  }

  private static List<JsonObject> toolCalls(JsonArray calls) {
    return calls.stream()
        .map(JsonObject.class::cast)
        .filter(call -> "tools/call".equals(call.getString("method")))
        .toList();
  }

  private JsonObject activity(JsonObject body) {
    return bus.request(Addresses.SERVERS_ACTIVITY, body);
  }

  private static int sum(JsonObject activity, String list) {
    return activity.getJsonArray(list).stream().mapToInt(n -> ((Number) n).intValue()).sum();
  }

  @Test
  void a_call_is_seen_in_flight_with_its_connection_and_can_be_ended() {
    String lease = lease();
    Future<Message<Object>> slow = call(lease, "slow");
    await().until(() -> !toolCalls(calls("inFlight", SERVER)).isEmpty());

    JsonObject seen = toolCalls(calls("inFlight", new JsonObject())).get(0);
    assertThat(seen.getString("server")).isEqualTo("s");
    assertThat(seen.getString("lease")).isEqualTo(lease);
    assertThat(seen.getString("name")).isEqualTo("slow");
    assertThat(seen.getLong("ageMillis")).isNotNegative();
    assertThat(toolCalls(calls("inFlight", new JsonObject().put("id", "other")))).isEmpty();

    JsonObject end = new JsonObject().put("call", seen.getLong("call"));
    bus.request("mcp." + lease + ".calls.cancel", end);
    await().until(slow::isComplete);
    JsonObject ended = toolCalls(calls("recent", SERVER)).get(0);
    assertThat(ended.getString("outcome")).isEqualTo(FailureCode.CANCELLED.name());
    assertThat(ended.getString("lease")).isEqualTo(lease);
    assertThat(ended.getLong("call")).isEqualTo(seen.getLong("call"));
  }

  @Test
  void what_ended_outlives_the_connection_and_adds_up_with_the_shared_one() {
    String lease = lease();
    TestBus.await(call(lease, "one"));
    TestBus.await(call("s", "two"));
    release(lease);

    assertThat(toolCalls(calls("recent", SERVER)))
        .extracting(call -> call.getString("name"), call -> call.containsKey("lease"))
        .containsExactlyInAnyOrder(tuple("one", true), tuple("two", false));
    JsonObject all = activity(new JsonObject()).getJsonObject("servers");
    assertThat(all.fieldNames()).containsExactly("s");
    assertThat(sum(all.getJsonObject("s"), "calls")).isEqualTo(2);
    assertThat(sum(all.getJsonObject("s"), "failed")).isZero();
    assertThat(all.getJsonObject("s").getJsonArray("longest")).hasSize(60);
  }

  @Test
  void of_one_server_there_is_an_answer_without_a_call_and_none_of_an_unknown_one() {
    JsonObject idle = activity(SERVER).getJsonObject("servers");
    assertThat(sum(idle.getJsonObject("s"), "calls")).isZero();
    JsonObject some = new JsonObject().put("servers", new JsonArray().add("s").add("none"));
    assertThat(activity(some).getJsonObject("servers").fieldNames()).isEmpty();
    for (String address : List.of(Addresses.SERVERS_CALLS, Addresses.SERVERS_ACTIVITY)) {
      assertThat(bus.failure(address, new JsonObject().put("id", "none")).code())
          .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
      assertThat(bus.failure(address, new JsonObject().put("id", 7)).code())
          .isEqualTo(FailureCode.BAD_REQUEST);
    }
    JsonObject wrong = new JsonObject().put("servers", "s");
    assertThat(bus.failure(Addresses.SERVERS_ACTIVITY, wrong).code())
        .isEqualTo(FailureCode.BAD_REQUEST);
  }

  @Test
  void the_last_hundred_of_a_server_are_kept() {
    String lease = lease();
    IntStream.range(0, 2 * PrivateConnectionDiagnostics.MAX_ENDED - 1)
        .forEach(i -> TestBus.await(call(lease, "one")));
    TestBus.await(call(lease, "two"));
    List<JsonObject> kept =
        toolCalls(calls("recent", SERVER)).stream().filter(c -> c.containsKey("lease")).toList();
    assertThat(kept).hasSize(PrivateConnectionDiagnostics.MAX_ENDED);
    assertThat(kept.get(0).getString("name")).isEqualTo("two");
    assertThat(sum(activity(SERVER).getJsonObject("servers").getJsonObject("s"), "calls"))
        .isEqualTo(200);
  }

  @Test
  void messages_are_shown_of_connections_that_exist_and_of_those_that_come() {
    String before = lease();
    JsonObject show = SERVER.copy().put("mode", "bus").put("seconds", 600);
    assertThat(bus.<JsonObject>request(Addresses.SERVERS_RPCLOG, show).getString("until"))
        .isNotNull();
    TestBus.await(call(before, "one"));
    String after = lease();
    TestBus.await(call("s", "two"));
    await().until(() -> of(before).size() == 2 && of(null).size() == 2);
    await("its handshake is shown, too")
        .until(() -> of(after).stream().anyMatch(text -> text.contains("\"initialize\"")));

    bus.request(Addresses.SERVERS_RPCLOG, SERVER.copy().putNull("mode"));
    TestBus.await(call(before, "three"));
    lease();
    TestBus.await(call("s", "four"));
    assertThat(shown)
        .noneMatch(message -> message.getString("message").contains("\"three\",\"arguments\""));
    assertThat(of(before)).hasSize(2);
    assertThat(shown).allMatch(message -> "s".equals(message.getString("server")));
    assertThat(shown.stream().map(message -> message.getString("lease")).distinct())
        .containsExactlyInAnyOrder(before, after, null);
  }

  @Test
  void a_mode_that_there_is_not_changes_nothing() {
    String lease = lease();
    JsonObject wrong = SERVER.copy().put("mode", "loud");
    assertThat(bus.failure(Addresses.SERVERS_RPCLOG, wrong).code())
        .isEqualTo(FailureCode.BAD_REQUEST);
    TestBus.await(call(lease, "one"));
    assertThat(shown).isEmpty();
  }

  private List<String> of(@Nullable String lease) {
    return shown.stream()
        .filter(message -> Objects.equals(lease, message.getString("lease")))
        .map(message -> message.getString("message"))
        .toList();
  }
}
