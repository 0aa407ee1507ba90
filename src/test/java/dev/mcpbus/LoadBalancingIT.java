package dev.mcpbus;

import static dev.mcpbus.bus.BusTests.failure;
import static dev.mcpbus.testing.Entries.scripted;
import static dev.mcpbus.testing.TestBus.address;
import static dev.mcpbus.testing.TestBus.await;
import static dev.mcpbus.testing.TestBus.server;
import static dev.mcpbus.testing.TestBus.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.gateway.Peers;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.testing.CountingServer;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.Pids;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several connections of one server on one node: processes, and instances over HTTP. */
class LoadBalancingIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  private static JsonObject three() {
    return scripted("good")
        .put("replicas", 3)
        .put(
            "restart",
            new JsonObject().put("backoff", new JsonObject().put("initial", 10).put("max", 20)));
  }

  private static String text(JsonObject result) {
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }

  private static DeliveryOptions as(String principal) {
    return new DeliveryOptions().addHeader("tenant", principal);
  }

  private static List<JsonObject> replicas(TestBus bus) {
    return bus.status("s").getJsonArray("replicas", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .toList();
  }

  private static List<JsonObject> awaitReady(TestBus bus, int count) {
    return Awaitility.await()
        .atMost(SOON)
        .until(
            () -> replicas(bus),
            all ->
                all.stream().filter(one -> one.getString("state").equals("READY")).count()
                    == count);
  }

  private static Set<Long> pids(List<JsonObject> replicas) {
    Set<Long> pids = new TreeSet<>();
    replicas.forEach(one -> pids.add(one.getLong("pid")));
    return pids;
  }

  private static Map<String, Integer> spread(TestBus bus, int calls) {
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < calls; i++) {
      counts.merge(served(bus), 1, Integer::sum);
    }
    return counts;
  }

  /** The process that answers. */
  private static String served(TestBus bus) {
    return served(bus, new DeliveryOptions());
  }

  private static String served(TestBus bus, DeliveryOptions options) {
    JsonObject result =
        bus.request(
            address("s", Addresses.TOOLS_CALL), toolCall("pids", new JsonObject()), options);
    return text(result).strip();
  }

  @Test
  void three_processes_take_the_calls_in_turn_and_the_status_shows_each() {
    try (TestBus bus = TestBus.start(server("s", three()))) {
      List<JsonObject> all = awaitReady(bus, 3);
      assertThat(pids(all)).hasSize(3);
      assertThat(all).extracting(one -> one.getInteger("replica")).containsExactly(0, 1, 2);
      Map<String, Integer> counts = spread(bus, 30);
      assertThat(counts.values()).hasSize(3).allMatch(calls -> calls >= 8);
      assertThat(bus.events(Events.CONNECTED)).as("one server, one event").hasSize(1);
      assertThat(await(McpClient.create(bus.vertx()).server("s").listTools()).items()).isNotEmpty();
    }
  }

  @Test
  void a_process_that_dies_takes_its_own_calls_along_and_the_others_go_on() {
    try (TestBus bus = TestBus.start(server("s", three()))) {
      awaitReady(bus, 3);
      List<Future<Object>> hanging = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        hanging.add(
            bus.send(
                address("s", Addresses.TOOLS_CALL),
                toolCall("sleep", new JsonObject().put("ms", 3_000)),
                new DeliveryOptions()));
      }
      Awaitility.await().atMost(SOON).until(() -> busy(bus) == 3);
      McpFailure crash =
          bus.failure(address("s", Addresses.TOOLS_CALL), toolCall("crash", new JsonObject()));
      assertThat(crash.code()).isEqualTo(FailureCode.UPSTREAM_EXITED);
      for (int i = 0; i < 30; i++) {
        served(bus); // none fails, and none waits for the one that is gone
      }
      long lost =
          hanging.stream()
              .filter(
                  one -> {
                    try {
                      await(one);
                      return false;
                    } catch (RuntimeException e) {
                      assertThat(McpFailure.of(e).code()).isEqualTo(FailureCode.UPSTREAM_EXITED);
                      return true;
                    }
                  })
              .count();
      assertThat(lost).isEqualTo(1);
      assertThat(bus.events(Events.DISCONNECTED)).as("the server is there").isEmpty();
      awaitReady(bus, 3);
      assertThat(spread(bus, 30)).hasSize(3);
    }
  }

  @Test
  void the_same_key_goes_to_the_same_process_and_a_lost_one_moves_only_its_own_keys() {
    JsonObject entry = three().put("balance", "sticky").put("balanceKey", "tenant");
    try (TestBus bus = TestBus.start(server("s", entry))) {
      awaitReady(bus, 3);
      Map<String, String> homes = new HashMap<>();
      for (int i = 0; i < 24; i++) {
        String tenant = "tenant-" + i;
        homes.put(tenant, servedFor(bus, tenant));
        assertThat(servedFor(bus, tenant)).isEqualTo(homes.get(tenant));
      }
      assertThat(new HashSet<>(homes.values())).hasSize(3);

      String lost = homes.get("tenant-0");
      bus.failure(
          address("s", Addresses.TOOLS_CALL), toolCall("crash", new JsonObject()), as("tenant-0"));
      Awaitility.await().atMost(SOON).until(() -> !Pids.runs(Long.parseLong(lost)));
      homes.forEach(
          (tenant, home) -> {
            if (!home.equals(lost)) {
              assertThat(servedFor(bus, tenant)).as(tenant).isEqualTo(home);
            }
          });
    }
  }

  private static String servedFor(TestBus bus, String tenant) {
    return served(bus, as(tenant));
  }

  @Test
  void the_one_with_the_fewest_calls_in_flight_takes_the_next() {
    JsonObject entry = three().put("balance", "least-pending");
    try (TestBus bus = TestBus.start(server("s", entry))) {
      awaitReady(bus, 3);
      // Each has listed its tools: reading them is a request in flight, too.
      Awaitility.await().atMost(SOON).until(() -> spread(bus, 3).size() == 3 && busy(bus) == 0);
      // Two hanging calls occupy two of the three.
      DeliveryOptions named = new DeliveryOptions().addHeader(Headers.CALL_ID, "h1");
      bus.send(address("s", Addresses.TOOLS_CALL), toolCall("hang", new JsonObject()), named);
      Awaitility.await().atMost(SOON).until(() -> busy(bus) == 1);
      DeliveryOptions other = new DeliveryOptions().addHeader(Headers.CALL_ID, "h2");
      bus.send(address("s", Addresses.TOOLS_CALL), toolCall("hang", new JsonObject()), other);
      Awaitility.await().atMost(SOON).until(() -> busy(bus) == 2);
      assertThat(spread(bus, 12)).hasSize(1);
      assertThat(
              ((JsonObject)
                      bus.request(
                          address("s", Addresses.CANCEL), new JsonObject().put("callId", "h1")))
                  .getBoolean("cancelled"))
          .as("whichever of them has the call")
          .isTrue();
      Awaitility.await().atMost(SOON).until(() -> busy(bus) == 1);
      assertThat(spread(bus, 12)).hasSize(2);
    }
  }

  private static long busy(TestBus bus) {
    return replicas(bus).stream().filter(one -> one.getInteger("pending", 0) > 0).count();
  }

  @Test
  void restart_goes_round_one_by_one_disconnect_and_remove_reach_all() {
    try (TestBus bus = TestBus.start(server("s", three()))) {
      Set<Long> before = pids(awaitReady(bus, 3));
      bus.request(address("s", Addresses.RESTART), new JsonObject());
      Awaitility.await()
          .atMost(SOON)
          .until(
              () -> {
                served(bus); // no call fails meanwhile
                List<JsonObject> now = replicas(bus);
                return now.size() == 3
                    && now.stream()
                        .allMatch(
                            one ->
                                one.getString("state").equals("READY")
                                    && !before.contains(one.getLong("pid")));
              });
      bus.request(address("s", Addresses.DISCONNECT), new JsonObject());
      Awaitility.await()
          .atMost(SOON)
          .until(
              () -> replicas(bus).stream().allMatch(one -> one.getString("state").equals("IDLE")));
      McpFailure down =
          bus.failure(address("s", Addresses.TOOLS_CALL), toolCall("echo", new JsonObject()));
      assertThat(down.code()).isEqualTo(FailureCode.UNAVAILABLE);
      bus.request(address("s", Addresses.CONNECT), new JsonObject());
      Set<Long> again = pids(awaitReady(bus, 3));
      bus.request(Addresses.SERVERS_REMOVE, new JsonObject().put("id", "s"));
      again.forEach(pid -> Awaitility.await().atMost(SOON).until(() -> !Pids.runs(pid)));
    }
  }

  @Test
  void restarting_is_answered_when_all_have_gone_round_also_what_was_asked_meanwhile() {
    try (TestBus bus = TestBus.start(server("s", three()))) {
      awaitReady(bus, 3);
      McpServerClient server = McpClient.create(bus.vertx()).server("s");
      Future<ConnectionState> first = server.restart();
      Future<ConnectionState> second = server.restart();
      Future<ConnectionState> third = server.restart();
      assertThat(TestBus.await(first).serves()).isTrue();
      assertThat(replicas(bus)).allMatch(one -> one.getLong("epoch") >= 2);
      assertThat(TestBus.await(second).serves()).isTrue();
      assertThat(TestBus.await(third).serves()).isTrue();
      assertThat(replicas(bus))
          .allMatch(one -> one.getString("state").equals("READY") && one.getLong("epoch") == 3);

      TestBus.await(server.disconnect());
      assertThat(TestBus.await(server.connect()).serves()).isTrue();
      TestBus.await(server.disconnect());
      assertThat(TestBus.await(server.restart()).serves()).isTrue();
    }
  }

  @Test
  void what_is_asked_while_the_first_replica_is_down_waits_for_the_round_that_runs() {
    try (TestBus bus = TestBus.start(server("s", three()))) {
      awaitReady(bus, 3);
      McpServerClient server = McpClient.create(bus.vertx()).server("s");
      Future<ConnectionState> first = server.restart();
      Future<ConnectionState> second = server.restart();
      Awaitility.await()
          .atMost(SOON)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> !replicas(bus).get(0).getString("state").equals("READY"));
      Future<ConnectionState> third = server.restart();
      List.of(first, second, third).forEach(TestBus::await);
      assertThat(replicas(bus))
          .allMatch(one -> one.getString("state").equals("READY") && one.getLong("epoch") == 3);
    }
  }

  @Test
  void a_disconnect_ends_a_rolling_restart_and_those_that_wait_for_their_turn() {
    try (TestBus bus = TestBus.start(server("s", three()))) {
      awaitReady(bus, 3);
      McpServerClient server = McpClient.create(bus.vertx()).server("s");
      Future<ConnectionState> running = server.restart();
      Future<ConnectionState> waiting = server.restart();
      Awaitility.await()
          .atMost(SOON)
          .until(() -> replicas(bus).stream().anyMatch(one -> one.getLong("epoch") == 2));
      TestBus.await(server.disconnect());
      assertThat(failure(running)).hasMessageContaining("a caller disconnected it");
      assertThat(failure(waiting)).hasMessageContaining("a caller disconnected it");
      assertThat(replicas(bus)).allMatch(one -> one.getString("state").equals("IDLE"));
    }
  }

  @Test
  void disconnecting_is_answered_when_all_sessions_are_over() {
    try (TestBus bus = TestBus.start(server("s", three()))) {
      awaitReady(bus, 3);
      // Not the first one's, which answers.
      DeliveryOptions second =
          new DeliveryOptions()
              .addHeader(Headers.TO, Addresses.TOOLS_CALL)
              .addHeader(Headers.ALONE, "true");
      bus.send(
          new ReplicaId(new ConnectionId("s"), 1).address(),
          toolCall("sleep", new JsonObject().put("ms", 2_000)),
          second);
      Awaitility.await().atMost(SOON).until(() -> busy(bus) == 1);
      JsonObject after =
          bus.request(address("s", Addresses.DISCONNECT), new JsonObject().put("wait", true));
      assertThat(after.getString("state")).isEqualTo("IDLE");
      assertThat(replicas(bus)).allMatch(one -> one.getString("state").equals("IDLE"));
    }
  }

  @Test
  void a_lazy_server_starts_all_its_connections_when_calls_come() {
    try (TestBus bus = TestBus.start(server("s", three().put("lazy", true)))) {
      assertThat(replicas(bus)).allMatch(one -> one.getString("state").equals("IDLE"));
      Awaitility.await()
          .atMost(SOON)
          .until(
              () -> {
                served(bus);
                return replicas(bus).stream()
                    .allMatch(one -> one.getString("state").equals("READY"));
              });
    }
  }

  @Test
  void an_instance_whose_breaker_is_open_gets_nothing_but_probes_while_another_serves() {
    JsonObject entry =
        three()
            .put("replicas", 2)
            .put("balance", "sticky")
            .put("balanceKey", "tenant")
            .put("breaker", new JsonObject().put("openFor", "500ms").put("errors", true));
    try (TestBus bus = TestBus.start(server("s", entry))) {
      awaitReady(bus, 2);
      String home = servedFor(bus, "a");
      for (int i = 0; i < 6; i++) {
        bus.<JsonObject>request(
            address("s", Addresses.TOOLS_CALL), toolCall("error", new JsonObject()), as("a"));
      }
      String other = servedFor(bus, "a");
      assertThat(other).isNotEqualTo(home);
      assertThat(replicas(bus)).anyMatch(one -> one.getString("state").equals("DEGRADED"));
      Awaitility.await().atMost(SOON).until(() -> servedFor(bus, "a").equals(home));
      awaitReady(bus, 2);
    }
  }

  @Test
  void while_a_probe_hangs_no_other_call_is_refused_for_it() {
    JsonObject entry =
        three()
            .put("replicas", 2)
            .put("balance", "sticky")
            .put("balanceKey", "tenant")
            .put("breaker", new JsonObject().put("openFor", "300ms"));
    try (TestBus bus = TestBus.start(server("s", entry))) {
      awaitReady(bus, 2);
      // One that is late before it is sent does not count.
      Awaitility.await()
          .atMost(SOON)
          .until(
              () -> {
                McpFailure late =
                    bus.failure(
                        address("s", Addresses.TOOLS_CALL),
                        toolCall("hang", new JsonObject()),
                        as("a").addHeader(Headers.DEADLINE, "150"));
                assertThat(late.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
                return replicas(bus).stream().anyMatch(one -> isInState("open", one));
              });
      // Of these calls one is the probe, and hangs.
      Awaitility.await()
          .atMost(SOON)
          .until(
              () -> {
                DeliveryOptions probe = as("a").addHeader(Headers.DEADLINE, "60000");
                bus.send(
                    address("s", Addresses.TOOLS_CALL), toolCall("hang", new JsonObject()), probe);
                return replicas(bus).stream().anyMatch(one -> isInState("halfOpen", one));
              });
      long end = System.nanoTime() + Duration.ofMillis(3_500).toNanos();
      while (System.nanoTime() < end) {
        served(bus); // with the hanging probe in flight, the other one serves each of them
      }
      assertThat(replicas(bus)).anyMatch(one -> isInState("halfOpen", one));
    }
  }

  private static boolean isInState(String breaker, JsonObject replica) {
    return breaker.equals(replica.getJsonObject("breaker").getString("state"));
  }

  @Test
  void a_list_of_urls_is_a_connection_to_each() {
    CountingServer two = new CountingServer();
    try (CountingServer one = new CountingServer()) {
      JsonObject entry =
          one.entry().put("urls", new JsonArray().add(url(one)).add(url(two))).put("ping", OFTEN);
      entry.remove("url");
      try (TestBus bus = TestBus.start(server("s", entry))) {
        List<JsonObject> all = awaitReady(bus, 2);
        assertThat(all)
            .extracting(each -> each.getString("target"))
            .containsExactly(url(one), url(two));
        int first = 0;
        for (int i = 0; i < 10; i++) {
          first += one.knows(text(bus.callTool("s", "echo", new JsonObject()))) ? 1 : 0;
        }
        assertThat(first).as("lists take turns, too").isBetween(3, 7);
        two.close();
        Awaitility.await()
            .atMost(SOON)
            .until(
                () ->
                    replicas(bus).stream()
                        .anyMatch(each -> !each.getString("state").equals("READY")));
        for (int i = 0; i < 10; i++) {
          assertThat(one.knows(text(bus.callTool("s", "echo", new JsonObject())))).isTrue();
        }
        assertThat(bus.status("s").getString("state")).isEqualTo("READY");
      }
    } finally {
      two.close();
    }
  }

  @Test
  void clients_with_a_session_of_their_own_are_spread_over_the_urls() {
    try (CountingServer one = new CountingServer();
        CountingServer two = new CountingServer()) {
      JsonObject entry = one.entry().put("urls", new JsonArray().add(url(one)).add(url(two)));
      entry.remove("url");
      try (TestBus bus = TestBus.startWithGateway(server("s", entry), GatewayOptions.DEFAULT)) {
        awaitReady(bus, 2);
        int first = 0;
        for (int i = 0; i < 12; i++) {
          McpHttp.Session client = new McpHttp(bus.port(), "/mcp/s").initialize();
          String session = text(client.call("tools/call", Peers.call("echo")).result());
          assertThat(text(client.call("tools/call", Peers.call("echo")).result()))
              .as("it stays with its instance")
              .isEqualTo(session);
          first += one.knows(session) ? 1 : 0;
        }
        assertThat(first).isBetween(1, 11);
      }
    }
  }

  @Test
  void a_changed_number_of_connections_begins_and_ends_some() {
    try (TestBus bus = TestBus.start(server("s", three()))) {
      Set<Long> before = pids(awaitReady(bus, 3));
      change(bus, three().put("replicas", 2));
      Awaitility.await().atMost(SOON).until(() -> replicas(bus).size() == 2);
      Awaitility.await()
          .atMost(SOON)
          .until(
              () ->
                  awaitReady(bus, 2).stream()
                      .noneMatch(one -> before.contains(one.getLong("pid"))));
      change(bus, three().put("replicas", 1));
      Awaitility.await().atMost(SOON).until(() -> !bus.status("s").containsKey("replicas"));
      bus.awaitState("s", "READY");
      change(bus, three());
      assertThat(pids(awaitReady(bus, 3))).hasSize(3);
      assertThat(spread(bus, 30)).hasSize(3);
    }
  }

  @ParameterizedTest
  @CsvSource({"1,1", "1,3", "3,1"})
  void a_change_of_the_definition_is_no_wrong_name_to_who_calls_meanwhile(int from, int to) {
    try (TestBus bus = TestBus.start(server("s", three().put("replicas", from)))) {
      bus.awaitState("s", "READY");
      AtomicBoolean over = new AtomicBoolean();
      List<McpFailure> failures = new CopyOnWriteArrayList<>();
      Future<?> callers =
          Future.join(
              Stream.generate(() -> caller(bus, McpClient.create(bus.vertx()), over, failures))
                  .limit(4)
                  .toList());
      int timeout = 30_000; // another definition each time
      for (int replicas : List.of(to, from, to, from)) {
        change(bus, three().put("replicas", replicas).put("timeout", timeout++));
        served(bus);
      }
      over.set(true);
      await(callers);
      assertThat(failures)
          .allSatisfy(one -> assertThat(one.code()).isEqualTo(FailureCode.UNAVAILABLE))
          .allSatisfy(one -> assertThat(one.sent()).isEqualTo(McpFailure.Sent.NO));
    }
  }

  /** Calls again and again, each time when the call before has ended. */
  private static Future<Void> caller(
      TestBus bus, McpClient client, AtomicBoolean over, List<McpFailure> failures) {
    return client
        .server("s")
        .callTool("pids", Map.of())
        .onFailure(failure -> failures.add(McpFailure.of(failure)))
        .transform(call -> bus.vertx().timer(1)) // a refusal comes at once
        .compose(
            turn -> over.get() ? Future.succeededFuture() : caller(bus, client, over, failures));
  }

  @Test
  void a_disconnected_server_stays_so_through_a_change_of_its_definition() {
    try (TestBus bus = TestBus.start(server("s", three()))) {
      awaitReady(bus, 3);
      McpClient client = McpClient.create(bus.vertx());
      McpServerClient server = client.server("s");
      await(server.disconnect());

      change(bus, three().put("timeout", "90s"));
      change(bus, three().put("timeout", "80s").put("replicas", 1));
      change(bus, three().put("timeout", "70s").put("replicas", 2));

      Awaitility.await().atMost(SOON).until(() -> replicas(bus).size() == 2);
      await(client.awaitReady(SOON, "s"));
      McpFailure down = failure(server.callTool("echo", Map.of()));
      assertThat(down).hasMessageContaining("disconnected; send to mcp.s.connect");
      assertThat(replicas(bus))
          .allMatch(one -> one.getString("state").equals("IDLE") && one.getLong("epoch") == 0);
      assertThat(bus.status("s").getBoolean("disconnected")).isTrue();

      assertThat(await(server.connect())).isEqualTo(ConnectionState.READY);
      assertThat(bus.status("s").containsKey("disconnected")).isFalse();
      change(bus, three().put("timeout", "60s").put("replicas", 1));
      bus.awaitState("s", "READY");

      await(server.disconnect());
      JsonObject last = three().put("replicas", 1);
      await(client.removeServer("s"));
      await(client.addServer("s", last));
      bus.awaitState("s", "READY");
    }
  }

  private static void change(TestBus bus, JsonObject entry) {
    ServerDefinition changed =
        ConfigReader.readServer(
                "s", entry, ConfigEnvironment.system(), Path.of("."), ServerSettings.DEFAULT)
            .usable()
            .orElseThrow();
    await(
        Reload.of(
            bus.bus(),
            new ConfigDiff(List.of(), List.of(changed), List.of(), List.of(), null, List.of())));
  }

  private static final JsonObject OFTEN =
      new JsonObject().put("interval", 50).put("timeout", 500).put("threshold", 1);

  private static String url(CountingServer server) {
    return server.entry().getString("url");
  }
}
