package dev.mcpbus.connection;

import static dev.mcpbus.testing.ScriptedPeer.DISCOVERED;
import static dev.mcpbus.testing.ScriptedPeer.INITIALIZED;
import static dev.mcpbus.testing.ScriptedPeer.error;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Finding a server's era where all requests share one channel, as over stdio. */
class EraTest {

  private static final ConnectionOptions QUICK =
      RecordCopy.with(
          ConnectionOptions.DEFAULT,
          Map.of(
              "probeTimeout", Duration.ofMillis(100), "handshakeTimeout", Duration.ofSeconds(5)));

  private static final String UNSUPPORTED =
      "\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":[%s],"
          + "\"requested\":\"2026-07-28\"}}";

  @SuppressWarnings("NullAway.Init") // set before each test
  private TestBus bus;

  @BeforeEach
  void start() {
    bus = TestBus.start(new JsonObject());
  }

  @AfterEach
  void stop() {
    bus.close();
  }

  private ScriptedPeer peer(ConnectionOptions options, ScriptedPeer.Script script) {
    ScriptedPeer peer = new ScriptedPeer(bus.vertx(), script);
    TestBus.await(TestOptions.add(bus.bus(), new ConnectionId("peer"), peer.transport(), options));
    return peer;
  }

  private String era() {
    return bus.awaitState("peer", "READY").getString("era");
  }

  @Test
  void a_discover_result_with_a_common_version_selects_the_discover_era() {
    ScriptedPeer peer = peer(QUICK, (method, params, n) -> DISCOVERED);
    assertThat(era()).isEqualTo("DISCOVER");
    assertThat(peer.methods()).doesNotContain("initialize", "notifications/initialized");
    assertThat(bus.status("peer").getString("protocolVersion")).isEqualTo("2026-07-28");
    assertThat(bus.status("peer").getJsonObject("server").getString("name")).isEqualTo("peer");
  }

  @Test
  void every_request_of_the_discover_era_has_version_client_and_capabilities() {
    ScriptedPeer peer = peer(QUICK, (method, params, n) -> DISCOVERED);
    era();
    JsonObject meta =
        peer.received("server/discover").get(0).getJsonObject("params").getJsonObject("_meta");
    assertThat(meta.getString("io.modelcontextprotocol/protocolVersion")).isEqualTo("2026-07-28");
    assertThat(meta.getJsonObject("io.modelcontextprotocol/clientInfo").getString("name"))
        .isEqualTo("mcpbus");
    assertThat(meta.getJsonObject("io.modelcontextprotocol/clientCapabilities")).isEmpty();
    assertThat(meta.fieldNames()).doesNotContain("io.modelcontextprotocol/logLevel");
  }

  @Test
  void after_a_refusal_that_offers_our_version_the_probe_is_repeated_once() {
    ScriptedPeer peer =
        peer(
            QUICK,
            new ScriptedPeer.Script() {
              private boolean refused;

              @Override
              public String answer(String method, JsonObject params, int n) {
                boolean first = !refused;
                refused = true;
                return first ? String.format(UNSUPPORTED, "\"2026-07-28\"") : DISCOVERED;
              }
            });
    assertThat(era()).isEqualTo("DISCOVER");
    assertThat(peer.methods()).doesNotContain("initialize");
  }

  @Test
  void a_refusal_that_offers_a_version_of_the_initialize_era_leads_to_initialize() {
    peer(
        QUICK,
        (method, params, n) ->
            method.equals("initialize")
                ? INITIALIZED
                : String.format(UNSUPPORTED, "\"2025-11-25\""));
    assertThat(era()).isEqualTo("INITIALIZE");
  }

  @Test
  void a_refusal_without_a_common_version_is_final() {
    ScriptedPeer peer =
        peer(QUICK, (method, params, n) -> String.format(UNSUPPORTED, "\"2030-01-01\""));
    JsonObject status = bus.awaitState("peer", "FAILED");
    assertThat(status.getJsonObject("lastError").getString("code"))
        .isEqualTo("UNSUPPORTED_VERSION");
    assertThat(status.getJsonObject("lastError").getString("message")).contains("2030-01-01");
    assertThat(peer.methods()).doesNotContain("initialize");
  }

  @ParameterizedTest
  @ValueSource(ints = {-32601, -32602, -32600, -32000, -32002, 500})
  void any_other_error_leads_to_initialize(int code) {
    ScriptedPeer peer =
        peer(
            QUICK,
            (method, params, n) ->
                method.equals("initialize") ? INITIALIZED : error(code, "what?"));
    assertThat(era()).isEqualTo("INITIALIZE");
    assertThat(peer.connections()).isEqualTo(1);
    assertThat(peer.methods()).startsWith("server/discover", "initialize");
  }

  @ParameterizedTest
  @ValueSource(ints = {-32020, -32021})
  void an_error_of_the_modern_range_does_not_lead_to_initialize(int code) {
    ScriptedPeer peer = peer(QUICK, (method, params, n) -> error(code, "what?"));
    bus.awaitState("peer", "RECONNECTING", "FAILED");
    assertThat(peer.methods()).doesNotContain("initialize");
  }

  @Test
  void no_answer_leads_to_initialize() {
    ScriptedPeer peer =
        peer(QUICK, (method, params, n) -> method.equals("initialize") ? INITIALIZED : null);
    assertThat(era()).isEqualTo("INITIALIZE");
    assertThat(peer.connections()).isEqualTo(1);
  }

  @Test
  void a_slow_server_of_the_discover_era_keeps_its_era() {
    ScriptedPeer peer = peer(QUICK, (method, params, n) -> null);
    Awaitility.await().until(() -> peer.methods().contains("initialize"));
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":1," + DISCOVERED + "}");
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":2," + ScriptedPeer.error(-32601, "no") + "}");
    assertThat(era()).isEqualTo("DISCOVER");
    assertThat(bus.status("peer").getString("protocolVersion")).isEqualTo("2026-07-28");
    assertThat(peer.methods()).doesNotContain("notifications/initialized");
    assertThat(peer.connections()).isEqualTo(1);
  }

  @Test
  void a_slow_server_of_the_discover_era_may_be_silent_on_initialize() {
    ScriptedPeer peer = peer(QUICK, (method, params, n) -> null);
    Awaitility.await().until(() -> peer.methods().contains("initialize"));
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":1," + DISCOVERED + "}");
    assertThat(era()).isEqualTo("DISCOVER");
    assertThat(peer.connections()).isEqualTo(1);
  }

  /** As the TypeScript SDK: {@code initialize} makes the process one of the older era. */
  @Test
  void a_slow_server_of_both_eras_gets_a_channel_that_has_seen_the_probe_alone() {
    ScriptedPeer peer =
        peer(
            QUICK,
            (method, params, n) -> n > 1 && method.equals("server/discover") ? DISCOVERED : null);
    Awaitility.await().until(() -> peer.methods().contains("initialize"));
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":1," + DISCOVERED + "}");
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":2," + INITIALIZED + "}");
    assertThat(era()).isEqualTo("DISCOVER");
    assertThat(peer.connections()).isEqualTo(2);
    assertThat(peer.received("initialize")).hasSize(1);
    assertThat(bus.status("peer").getInteger("restarts")).isZero();
  }

  @Test
  void a_child_that_exits_on_the_probe_gets_a_new_process_and_initialize() {
    ScriptedPeer[] peer = new ScriptedPeer[1];
    peer[0] =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, n) -> {
              if (method.equals("server/discover")) {
                peer[0].hangUp();
                return null;
              }
              return INITIALIZED;
            });
    TestBus.await(TestOptions.add(bus.bus(), new ConnectionId("peer"), peer[0].transport(), QUICK));
    assertThat(era()).isEqualTo("INITIALIZE");
    assertThat(peer[0].connections()).isEqualTo(2);
    assertThat(bus.status("peer").getInteger("restarts")).isZero();
  }

  /**
   * A server whose process boots for longer than the probe time-out, and exits when it then reads a
   * probe.
   *
   * @param without answers {@code initialize} where the process got no probe
   */
  private ScriptedPeer bootsLongerThanTheProbe(ScriptedPeer.Script without) {
    ScriptedPeer[] peer = new ScriptedPeer[1];
    Set<Integer> probed = ConcurrentHashMap.newKeySet();
    peer[0] =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, n) -> {
              if (method.equals("server/discover")) {
                probed.add(n);
              } else if (probed.contains(n)) {
                peer[0].hangUp(); // by now it has booted, and reads the probe first
              } else {
                String answer = without.answer(method, params, n);
                if (answer == null) {
                  peer[0].hangUp();
                }
                return answer;
              }
              return null;
            });
    TestBus.await(TestOptions.add(bus.bus(), new ConnectionId("peer"), peer[0].transport(), QUICK));
    return peer[0];
  }

  @Test
  void a_child_that_boots_slowly_and_exits_on_the_probe_gets_a_new_process_and_initialize() {
    ScriptedPeer peer = bootsLongerThanTheProbe((method, params, n) -> INITIALIZED);
    assertThat(era()).isEqualTo("INITIALIZE");
    assertThat(peer.connections()).isEqualTo(2);
    assertThat(peer.received("server/discover")).hasSize(1);
    assertThat(bus.status("peer").getInteger("restarts")).isZero();
    assertThat(bus.status("peer").getString("eraSince")).isNotBlank();
  }

  @Test
  void where_the_new_process_does_not_get_ready_either_the_restart_does_not_probe() {
    ScriptedPeer peer = bootsLongerThanTheProbe((method, params, n) -> n == 2 ? null : INITIALIZED);
    assertThat(era()).isEqualTo("INITIALIZE");
    assertThat(peer.connections()).isEqualTo(3);
    assertThat(peer.received("server/discover")).hasSize(1);
    assertThat(bus.status("peer").getString("eraSince")).isNotBlank();
  }

  @Test
  void a_child_that_exits_on_everything_has_one_process_in_every_other_attempt() {
    List<String> openings = new CopyOnWriteArrayList<>();
    ScriptedPeer[] peer = new ScriptedPeer[1];
    peer[0] =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, n) -> {
              openings.add(method);
              peer[0].hangUp();
              return null;
            });
    TestBus.await(TestOptions.add(bus.bus(), new ConnectionId("peer"), peer[0].transport(), QUICK));
    Awaitility.await().until(() -> bus.events(Events.RESTARTING).size() >= 4);
    assertThat(openings)
        .startsWith(
            "server/discover",
            "initialize",
            "initialize", // the first two attempts
            "server/discover",
            "initialize",
            "initialize");
  }

  @Test
  void the_era_is_remembered_over_a_restart_and_probed_again_after_a_failure() {
    boolean[] discover = {false};
    ScriptedPeer peer =
        peer(
            QUICK,
            (method, params, n) -> {
              if (discover[0]) {
                return method.equals("initialize") ? error(-32601, "gone") : DISCOVERED;
              }
              return method.equals("initialize") ? INITIALIZED : error(-32601, "what?");
            });
    assertThat(era()).isEqualTo("INITIALIZE");
    peer.hangUp();
    Awaitility.await().until(() -> peer.received("initialize").size() == 2);
    assertThat(peer.received("server/discover")).hasSize(1);
    bus.awaitState("peer", "READY");
    assertThat(bus.status("peer").getString("eraSince")).isNotBlank();

    discover[0] = true;
    peer.hangUp();
    Awaitility.await().until(() -> "DISCOVER".equals(bus.status("peer").getString("era")));
  }

  @Test
  void a_pinned_version_skips_the_probe() {
    ScriptedPeer peer =
        peer(
            RecordCopy.with(QUICK, "protocolVersion", ProtocolVersion.V2025_06_18),
            (method, params, n) -> INITIALIZED.replace("2025-11-25", "2025-06-18"));
    assertThat(era()).isEqualTo("INITIALIZE");
    assertThat(peer.methods()).startsWith("initialize").doesNotContain("server/discover");
    assertThat(
            peer.received("initialize").get(0).getJsonObject("params").getString("protocolVersion"))
        .isEqualTo("2025-06-18");
  }

  @Test
  void a_server_that_does_not_speak_the_pinned_version_is_refused() {
    peer(
        RecordCopy.with(QUICK, "protocolVersion", ProtocolVersion.V2025_06_18),
        (method, params, n) -> INITIALIZED);
    JsonObject error = bus.awaitState("peer", "FAILED").getJsonObject("lastError");
    assertThat(error.getString("code")).isEqualTo("UNSUPPORTED_VERSION");
    assertThat(error.getString("message")).contains("2025-06-18", "protocolVersion");
  }

  @Test
  void a_pinned_version_of_the_discover_era_never_falls_back() {
    ScriptedPeer peer =
        peer(
            RecordCopy.with(QUICK, "protocolVersion", ProtocolVersion.V2026_07_28),
            (method, params, n) -> error(-32601, "what?"));
    bus.awaitState("peer", "RECONNECTING", "FAILED");
    assertThat(peer.methods()).doesNotContain("initialize");
  }
}
