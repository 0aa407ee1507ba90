package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.supervisor.RestartStrategy;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.bus.BusServer;
import io.vertx.core.Future;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that belong to one client each. */
class PrivateConnectionTest {

  private static final JsonObject CAN = new JsonObject().put("sampling", new JsonObject());

  private TestBus bus;
  private ScriptedPeer peer;
  private final List<JsonObject> events = new CopyOnWriteArrayList<>();

  /** What the holder says who is asked to do without a connection. */
  private final AtomicReference<Consumer<Message<JsonObject>>> answering =
      new AtomicReference<>(asked -> asked.reply(new JsonObject().put("inUse", false)));

  @BeforeEach
  void start() {
    bus = TestBus.start(new JsonObject());
    peer =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no");
                  case "initialize" -> ScriptedPeer.INITIALIZED;
                  case "tools/list" -> "\"result\":{\"tools\":[]}";
                  default -> null;
                });
    add("s", ConnectionOptions.DEFAULT);
    bus.awaitState("s", "READY");
    bus.vertx()
        .eventBus()
        .<JsonObject>consumer(
            "test.events",
            event -> {
              if ("roomWanted".equals(event.body().getString("type"))) {
                Objects.requireNonNull(answering.get()).accept(event);
              } else {
                events.add(event.body());
              }
            });
  }

  private void add(String id, ConnectionOptions options) {
    TestBus.await(TestOptions.add(bus.bus(), new ConnectionId(id), peer.transport(), options));
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private static JsonObject wish(String id, long ttl) {
    return new JsonObject()
        .put("id", id)
        .put("capabilities", CAN)
        .put("input", "test.input")
        .put("events", "test.events")
        .put("ttl", ttl);
  }

  private String lease(long ttl) {
    return bus.<JsonObject>request("mcp.servers.lease", wish("s", ttl)).getString("lease");
  }

  @Test
  void a_lease_states_how_long_a_call_may_take() {
    add(
        "slow",
        RecordCopy.with(ConnectionOptions.DEFAULT, "maxCallDuration", Duration.ofMinutes(30)));
    JsonObject answer = bus.request("mcp.servers.lease", wish("slow", 60_000));
    assertThat(answer.getLong("maxCallMillis")).isEqualTo(1_800_000);
  }

  @Test
  void a_lease_states_its_holders_capabilities_and_tells_its_holder_alone() {
    String lease = lease(60_000);
    bus.awaitState(lease, "READY");
    assertThat(
            peer.received("initialize")
                .get(1)
                .getJsonObject("params")
                .getJsonObject("capabilities"))
        .isEqualTo(CAN);
    await().until(() -> events.stream().anyMatch(e -> "connected".equals(e.getString("type"))));
    assertThat(events).allMatch(event -> lease.equals(event.getString("id")));
    JsonObject servers = bus.request("mcp.servers.list", new JsonObject());
    assertThat(servers.getJsonArray("servers")).hasSize(1);
    assertThat(bus.events()).noneMatch(event -> lease.equals(event.getString("id")));
  }

  @Test
  void a_lease_states_the_name_and_the_version_of_its_client() {
    JsonObject client =
        new JsonObject()
            .put("name", "editor")
            .put("title", "An editor")
            .put("version", "2")
            .put("icons", new JsonArray().add(new JsonObject().put("src", "data:,")));
    String lease =
        bus.<JsonObject>request(
                "mcp.servers.lease",
                wish("s", 60_000).put("clientInfo", client).put("protocolVersion", "2025-03-26"))
            .getString("lease");
    bus.awaitState(lease, "READY");

    JsonObject shared = peer.received("initialize").get(0).getJsonObject("params");
    assertThat(shared.getJsonObject("clientInfo").getString("name")).isEqualTo("mcpbus");
    assertThat(shared.getString("protocolVersion")).isEqualTo("2025-11-25");
    JsonObject own = peer.received("initialize").get(1).getJsonObject("params");
    assertThat(own.getJsonObject("clientInfo")).isEqualTo(client);
    assertThat(own.getString("protocolVersion")).isEqualTo("2025-03-26");
  }

  @Test
  void a_lease_that_knows_the_era_sends_no_probe() {
    int probes = peer.received("server/discover").size();
    String lease =
        bus.<JsonObject>request("mcp.servers.lease", wish("s", 60_000).put("era", "INITIALIZE"))
            .getString("lease");
    bus.awaitState(lease, "READY");
    assertThat(peer.received("server/discover")).hasSize(probes);
    assertThat(peer.received("initialize")).hasSize(2);
  }

  @Test
  void questions_of_its_server_go_to_its_holder_only() {
    bus.vertx()
        .eventBus()
        .<JsonObject>consumer(
            "mcp.input", asked -> asked.reply(new JsonObject().put("everybody", true)));
    bus.vertx()
        .eventBus()
        .<JsonObject>consumer(
            "test.input",
            asked ->
                asked.reply(
                    new JsonObject()
                        .put("role", "assistant")
                        .put("model", asked.body().getString("id"))
                        .put("content", new JsonObject().put("type", "text").put("text", "x"))));
    String lease = lease(60_000);
    bus.awaitState(lease, "READY");
    peer.say(
        2, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"sampling/createMessage\",\"params\":{}}");
    await().until(() -> !peer.answers(5).isEmpty());
    assertThat(peer.answers(5).get(0).getJsonObject("result").getString("model")).isEqualTo(lease);
  }

  @Test
  void released_it_is_gone() {
    String lease = lease(60_000);
    bus.awaitState(lease, "READY");
    bus.request("mcp.servers.release", new JsonObject().put("lease", lease));
    assertThat(bus.failure("mcp." + lease + ".status", new JsonObject()).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(bus.failure("mcp.servers.release", new JsonObject().put("lease", lease)).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  @Test
  void not_renewed_it_ends_by_itself() {
    String lease = lease(1);
    await().until(() -> isGone(lease));
  }

  private boolean isGone(String lease) {
    try {
      bus.request("mcp." + lease + ".status", new JsonObject());
      return false;
    } catch (RuntimeException e) {
      return McpFailure.of(e).code() == FailureCode.UNKNOWN_CONNECTION;
    }
  }

  @Test
  void it_ends_with_its_server() {
    String lease = lease(60_000);
    bus.awaitState(lease, "READY");
    bus.request("mcp.servers.remove", new JsonObject().put("id", "s"));
    await("its holder receives an event, so that its next request opens another")
        .until(
            () ->
                events.stream()
                    .anyMatch(
                        event ->
                            "gaveUp".equals(event.getString("type"))
                                && lease.equals(event.getString("id"))));
    assertThat(bus.failure("mcp." + lease + ".status", new JsonObject()).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  private String owned(String owner) {
    return bus.<JsonObject>request("mcp.servers.lease", wish("s", 60_000).put("owner", owner))
        .getString("lease");
  }

  private void idle(String lease) {
    bus.request(
        "mcp.servers.lease",
        new JsonObject().put("lease", lease).put("ttl", 60_000).put("inUse", false));
  }

  @Test
  void a_server_has_at_most_64_in_use_and_the_next_failure_names_the_remedy() {
    for (int i = 0; i < 64; i++) {
      lease(60_000);
    }
    McpFailure refused = bus.failure("mcp.servers.lease", wish("s", 60_000));
    assertThat(refused.code()).isEqualTo(FailureCode.OVERLOADED);
    assertThat(refused.getMessage()).contains("\"shared\": true");
  }

  @Test
  void at_the_bound_the_one_idle_longest_ends_and_its_holder_receives_an_event() {
    List<String> leases = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      leases.add(lease(60_000));
    }
    idle(leases.get(7));
    idle(leases.get(3));
    idle(leases.get(7)); // a renewal is no use
    String fresh = lease(60_000);
    bus.awaitState(fresh, "READY");
    assertThat(isGone(leases.get(7))).isTrue();
    assertThat(isGone(leases.get(3))).isFalse();
    await()
        .until(
            () ->
                events.stream()
                    .anyMatch(
                        e ->
                            leases.get(7).equals(e.getString("id"))
                                && "gaveUp".equals(e.getString("type"))));
    JsonObject shown =
        bus.<JsonObject>request("mcp.servers.nodes", new JsonObject())
            .getJsonObject("limits")
            .getJsonObject("servers.privateConnections");
    assertThat(shown.getInteger("used")).isEqualTo(64);
    assertThat(shown.getInteger("inUse")).isEqualTo(63);
  }

  @Test
  void a_new_request_waits_for_a_holder_that_has_just_paused() {
    List<String> leases = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      leases.add(lease(60_000));
    }
    Future<Message<JsonObject>> wanted =
        bus.vertx().eventBus().request("mcp.servers.lease", wish("s", 60_000));
    bus.request("mcp.servers.nodes", new JsonObject()); // is answered behind it
    assertThat(wanted.isComplete()).isFalse();
    idle(leases.get(5));
    bus.awaitState(TestBus.await(wanted).body().getString("lease"), "READY");
    assertThat(isGone(leases.get(5))).isTrue();
  }

  @Test
  void a_wish_that_waits_for_a_server_that_is_removed_starts_nothing() {
    for (int i = 0; i < 64; i++) {
      lease(60_000);
    }
    Future<Message<JsonObject>> wanted =
        bus.vertx().eventBus().request("mcp.servers.lease", wish("s", 60_000));
    bus.request("mcp.servers.remove", new JsonObject().put("id", "s"));
    await().until(wanted::isComplete);
    assertThat(McpFailure.of(wanted.cause()).code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(
            bus.<JsonObject>request("mcp.servers.nodes", new JsonObject())
                .getJsonObject("limits")
                .getJsonObject("servers.privateConnections")
                .getInteger("used"))
        .isZero();
  }

  @Test
  void a_holder_that_uses_it_again_keeps_it() {
    List<String> leases = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      leases.add(lease(60_000));
    }
    idle(leases.get(7));
    idle(leases.get(3));
    answering.set(
        asked ->
            asked.reply(
                new JsonObject().put("inUse", leases.get(7).equals(asked.body().getString("id")))));
    lease(60_000);
    assertThat(isGone(leases.get(7))).isFalse();
    assertThat(isGone(leases.get(3))).isTrue();
  }

  @Test
  void one_principal_cannot_take_all_of_them() {
    int his = 0;
    while (his < 64 && !isRefused("greedy")) {
      his++;
    }
    assertThat(his).isEqualTo(48);
    for (int i = 0; i < 12; i++) {
      owned("another");
    }
    assertThat(isRefused("a third")).isFalse();
  }

  private boolean isRefused(String owner) {
    try {
      owned(owner);
      return false;
    } catch (RuntimeException e) {
      assertThat(McpFailure.of(e).code()).isEqualTo(FailureCode.OVERLOADED);
      return true;
    }
  }

  @Test
  void a_server_that_is_declared_shared_is_not_leased() {
    add("common", RecordCopy.with(ConnectionOptions.DEFAULT, "shared", true));
    JsonObject answer = bus.request("mcp.servers.lease", wish("common", 60_000));
    assertThat(answer)
        .isEqualTo(new JsonObject().put("shared", true).put("maxCallMillis", 600_000));
  }

  /** With one slot, a hundred silent servers would keep it for a hundred seconds at least. */
  @Test
  void a_client_gets_its_connection_while_configured_servers_hang_in_their_start() {
    JsonObject hanging = new JsonObject();
    for (int i = 0; i < 100; i++) {
      hanging.put("h-" + i, new JsonObject().put("type", "bus").put("address", "test.silent"));
    }
    try (TestBus other =
        TestBus.start(
            hanging,
            null,
            SupervisorOptions.of(RestartStrategy.ONE_FOR_ONE, 1),
            vertx ->
                TestBus.await(
                    BusServer.listen(vertx, "test.silent", channel -> new SilentReceiver())))) {
      ScriptedPeer good =
          new ScriptedPeer(
              other.vertx(),
              (method, params, connection) ->
                  method.equals("initialize") ? ScriptedPeer.INITIALIZED : "\"result\":{}");
      ConnectionOptions lazy =
          RecordCopy.with(
              ConnectionOptions.DEFAULT,
              Map.of("protocolVersion", ProtocolVersion.LATEST_INITIALIZE, "lazy", true));
      TestBus.await(TestOptions.add(other.bus(), new ConnectionId("s"), good.transport(), lazy));
      JsonObject leased = other.request("mcp.servers.lease", wish("s", 60_000));
      other.awaitState(leased.getString("lease"), "READY");
      other.request("mcp.s.ping", new JsonObject());
    }
  }

  /** A server that reads and says nothing. */
  private static final class SilentReceiver implements Channel.Receiver {

    @Override
    public void onMessage(Envelope message) {}

    @Override
    public void onRequestFailed(long id, TransportException reason) {}

    @Override
    public void onClosed(TransportException reason) {}
  }
}
