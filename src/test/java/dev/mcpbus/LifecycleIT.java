package dev.mcpbus;

import static dev.mcpbus.testing.Entries.scripted;
import static dev.mcpbus.testing.TestBus.address;
import static dev.mcpbus.testing.TestBus.await;
import static dev.mcpbus.testing.TestBus.server;
import static dev.mcpbus.testing.TestBus.toolCall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.CancellationToken;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.client.ServerStatus;
import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.Pids;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * From the first call to the last: how connections begin, rest, fail and end, on request or not.
 */
class LifecycleIT {

  private static final Duration SOON = Duration.ofSeconds(10);
  private static final String CANARY = "canary-77d1-secret";

  private static String text(JsonObject result) {
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }

  private static String echo(TestBus bus, String id, String text) {
    return text(bus.callTool(id, "echo", new JsonObject().put("text", text)));
  }

  private static long pid(JsonObject status) {
    return status.getJsonObject("transport").getLong("pid");
  }

  private static McpFailure failure(Future<?> call) {
    try {
      throw new AssertionError("expected a failure but got " + await(call));
    } catch (RuntimeException e) {
      return McpFailure.of(e);
    }
  }

  @Test
  void a_lazy_server_starts_with_its_first_call() {
    try (TestBus bus = TestBus.start(server("s", scripted("good").put("lazy", true)))) {
      JsonObject before = bus.status("s");
      assertThat(before.getString("state")).isEqualTo("IDLE");
      assertThat(before.getLong("epoch")).isZero();
      assertThat(bus.events(Events.CONNECTED)).isEmpty();

      assertThat(echo(bus, "s", "first")).isEqualTo("first");
      assertThat(bus.status("s").getString("state")).isEqualTo("READY");
      assertThat(bus.status("s").getLong("epoch")).isEqualTo(1);
    }
  }

  @Test
  void an_idle_server_is_stopped_and_wakes_up_for_the_next_call() {
    JsonObject entry = scripted("good").put("idleStop", "400ms");
    try (TestBus bus = TestBus.start(server("s", entry))) {
      long first = pid(bus.awaitState("s", "READY"));
      bus.awaitState("s", "IDLE");
      Awaitility.await().atMost(SOON).until(() -> !Pids.runs(first));

      assertThat(echo(bus, "s", "awake")).isEqualTo("awake");
      JsonObject again = bus.status("s");
      assertThat(again.getLong("epoch")).isEqualTo(2);
      assertThat(again.getInteger("restarts")).as("resting is no failure").isZero();
      assertThat(pid(again)).isNotEqualTo(first);
    }
  }

  private static JsonObject shell(String script) {
    return new JsonObject().put("command", "/bin/sh").put("args", List.of("-c", script));
  }

  private static List<String> texts(JsonArray lines) {
    return lines.stream().map(line -> ((JsonObject) line).getString("text")).toList();
  }

  @Test
  void why_a_start_failed_and_what_the_process_said_is_there_after_it() {
    JsonObject entry =
        shell("echo booting; echo \"key $KEY\" >&2; read line; printf 'Password: ' >&2; exit 3");
    entry.put("env", new JsonObject().put("KEY", CANARY));
    try (TestBus bus = TestBus.start(server("s", entry))) {
      JsonArray endings =
          Awaitility.await()
              .atMost(SOON)
              .until(
                  () ->
                      ((JsonObject) bus.request(address("s", Addresses.HISTORY), new JsonObject()))
                          .getJsonArray("endings"),
                  all -> all.size() > 1);

      JsonObject ending = endings.getJsonObject(endings.size() - 1);
      assertThat(ending.getLong("epoch")).isEqualTo(1);
      assertThat(ending.getBoolean("wasReady")).isFalse();
      assertThat(ending.getString("code")).isEqualTo("HANDSHAKE_FAILED");
      assertThat(ending.getString("message")).contains("exit code 3");
      assertThat(texts(ending.getJsonArray("output"))).contains("booting", "key ***", "Password: ");

      JsonObject logs = bus.request(address("s", Addresses.LOGS), new JsonObject());
      assertThat(texts(logs.getJsonArray("lines"))).contains("booting", "key ***", "Password: ");
      assertThat(logs.encode()).contains("\"from\":\"stdout\"").doesNotContain(CANARY);
      McpFailure wrong =
          bus.failure(address("s", Addresses.LOGS), new JsonObject().put("limit", 0));
      assertThat(wrong.code()).isEqualTo(FailureCode.BAD_REQUEST);
    }
  }

  @Test
  void a_stop_is_in_the_history_and_output_outlives_it() {
    JsonObject entry = scripted("good");
    try (TestBus bus = TestBus.start(server("s", entry))) {
      bus.awaitState("s", "READY");
      bus.request(address("s", Addresses.DISCONNECT), new JsonObject());
      bus.awaitState("s", "IDLE");
      JsonObject history = bus.request(address("s", Addresses.HISTORY), new JsonObject());
      JsonObject ending = history.getJsonArray("endings").getJsonObject(0);
      assertThat(ending.getBoolean("wasReady")).isTrue();
      assertThat(ending.getString("code")).isEqualTo("UNAVAILABLE");
      assertThat(ending.getString("message")).isEqualTo("the session was stopped");
    }
  }

  @Test
  void a_call_in_flight_keeps_an_idle_server_up() {
    JsonObject entry = scripted("good").put("idleStop", "300ms");
    try (TestBus bus = TestBus.start(server("s", entry))) {
      bus.awaitState("s", "READY");
      assertThat(text(bus.callTool("s", "sleep", new JsonObject().put("ms", 1_000))))
          .isEqualTo("slept");
      bus.awaitState("s", "IDLE");
    }
  }

  @Test
  void the_tools_only_scope_refuses_a_server_that_offers_more_and_says_how_to_admit_it() {
    JsonObject servers =
        new JsonObject()
            .put("more", scripted("lying").put("toolsOnly", true))
            .put("none", scripted("toolless").put("toolsOnly", true))
            .put("less", scripted("good").put("toolsOnly", true));
    try (TestBus bus = TestBus.start(servers)) {
      bus.awaitState("less", "READY");
      JsonObject status = bus.awaitState("more", "FAILED");
      assertThat(status.getJsonObject("lastError").getString("code")).isEqualTo("SCOPE_REJECTED");
      McpFailure refused =
          bus.failure(address("more", Addresses.TOOLS_CALL), toolCall("echo", new JsonObject()));
      assertThat(refused.code()).isEqualTo(FailureCode.SCOPE_REJECTED);
      assertThat(refused.sent()).isEqualTo(McpFailure.Sent.NO);
      assertThat(refused.getMessage())
          .contains("offers prompts and resources")
          .contains("set \"toolsOnly\": false for server 'more'");
      JsonObject none = bus.awaitState("none", "FAILED").getJsonObject("lastError");
      assertThat(none.getString("code")).isEqualTo("SCOPE_REJECTED");
      assertThat(none.getString("message"))
          .contains("offers no tools")
          .contains("set \"toolsOnly\": false for server 'none'");
      assertThat(status.getJsonObject("transport").containsKey("pid"))
          .as("nothing of it is left running")
          .isFalse();
    }
  }

  @Test
  void the_pool_has_started_when_each_server_has_had_its_first_attempt() {
    JsonObject servers =
        new JsonObject()
            .put("good", scripted("good"))
            .put("bad", shell("exit 3"))
            .put("later", scripted("good").put("lazy", true));
    try (TestBus bus = TestBus.start(servers)) {
      Awaitility.await().atMost(SOON).until(() -> !bus.events(Events.POOL_STARTED).isEmpty());
      assertThat(bus.events(Events.POOL_STARTED)).hasSize(1);
      // Without a number: not everybody may see each server.
      assertThat(bus.events(Events.POOL_STARTED).get(0).fieldNames())
          .containsExactlyInAnyOrder("type", "time");
      List<JsonObject> before =
          bus.events().subList(0, bus.events().indexOf(bus.events(Events.POOL_STARTED).get(0)));
      assertThat(before)
          .anyMatch(event -> is(event, "good", Events.CONNECTED))
          .anyMatch(event -> is(event, "bad", Events.DISCONNECTED));
      assertThat(bus.status("later").getString("state")).isEqualTo("IDLE");
    }
  }

  private static boolean is(JsonObject event, String id, String type) {
    return id.equals(event.getString("id")) && type.equals(event.getString("type"));
  }

  @Test
  void a_server_that_never_connected_is_disconnected_between_two_attempts() {
    JsonObject slow =
        new JsonObject().put("backoff", new JsonObject().put("initial", 60_000).put("max", 60_000));
    try (TestBus bus = TestBus.start(server("s", shell("exit 3").put("restart", slow)))) {
      JsonObject status = bus.awaitState("s", "RECONNECTING");
      assertThat(status.getString("status")).isEqualTo("disconnected");
      Awaitility.await().atMost(SOON).until(() -> bus.status("s").getString("nextAttempt") != null);
      assertThat(bus.status("s").getString("status")).isEqualTo("disconnected");
    }
  }

  @Test
  void two_servers_of_one_id_are_refused_with_the_names() {
    assertThatThrownBy(
            () ->
                TestBus.start(
                    new JsonObject().put("git", scripted("good")).put("GIT", scripted("good"))))
        .hasMessageContaining("the servers 'git' and 'GIT' have the same id 'git'")
        .hasMessageContaining("rename one of them");
  }

  @Test
  void disconnect_connect_and_restart_do_what_they_say() {
    try (TestBus bus = TestBus.start(server("s", scripted("good")))) {
      long first = pid(bus.awaitState("s", "READY"));

      bus.request(address("s", Addresses.DISCONNECT), new JsonObject());
      bus.awaitState("s", "IDLE");
      Awaitility.await().atMost(SOON).until(() -> !Pids.runs(first));
      McpFailure down =
          bus.failure(address("s", Addresses.TOOLS_CALL), toolCall("echo", new JsonObject()));
      assertThat(down.code()).isEqualTo(FailureCode.UNAVAILABLE);
      assertThat(down.sent()).isEqualTo(McpFailure.Sent.NO);
      assertThat(down.getMessage()).contains("mcp.s.connect");

      bus.request(address("s", Addresses.CONNECT), new JsonObject());
      JsonObject second = bus.awaitState("s", "READY");
      assertThat(second.getLong("epoch")).isEqualTo(2);
      assertThat(echo(bus, "s", "back")).isEqualTo("back");

      bus.request(address("s", Addresses.RESTART), new JsonObject());
      Awaitility.await()
          .atMost(SOON)
          .until(
              () ->
                  bus.status("s").getLong("epoch") == 3
                      && bus.status("s").getString("state").equals("READY"));
      assertThat(Pids.runs(pid(second))).isFalse();
      assertThat(bus.status("s").getInteger("restarts")).as("asked for, no failure").isZero();
    }
  }

  @Test
  void restart_completes_when_the_new_session_serves() {
    try (TestBus bus = TestBus.start(server("s", scripted("good")))) {
      McpServerClient server = McpClient.create(bus.vertx()).server("s");
      bus.awaitState("s", "READY");
      for (int epoch = 2; epoch <= 25; epoch++) {
        assertThat(await(server.restart())).isEqualTo(ConnectionState.READY);
        ServerStatus status = await(server.status());
        assertThat(status.epoch()).isEqualTo(epoch);
        assertThat(status.state()).isEqualTo(ConnectionState.READY);
      }
      await(server.disconnect());
      assertThat(await(server.restart())).isEqualTo(ConnectionState.READY);
      await(server.disconnect());
      assertThat(await(server.connect())).isEqualTo(ConnectionState.READY);
      assertThat(await(server.connect())).isEqualTo(ConnectionState.READY);
      assertThat(await(server.status()).epoch()).isEqualTo(27);
    }
  }

  @Test
  void connect_and_restart_fail_with_the_reason_where_no_session_comes() {
    JsonObject once = new JsonObject().put("intensity", new JsonObject().put("restarts", 0));
    JsonObject slow = new JsonObject().put("backoff", new JsonObject().put("initial", 60_000));
    JsonObject servers =
        new JsonObject()
            .put("missing", new JsonObject().put("command", "mcpbus-no-such-command"))
            .put("exits", scripted("exit-at-start").put("restart", once))
            .put("later", scripted("exit-at-start").put("restart", slow))
            .put("hangs", scripted("hang"));
    try (TestBus bus = TestBus.start(servers)) {
      McpClient client = McpClient.create(bus.vertx());
      bus.awaitState("missing", "FAILED");
      bus.awaitState("exits", "FAILED");
      for (String id : List.of("missing", "exits")) {
        FailureCode code =
            id.equals("missing") ? FailureCode.START_FAILED : FailureCode.HANDSHAKE_FAILED;
        assertThat(failure(client.server(id).connect()).code()).isEqualTo(code);
        bus.awaitState(id, "FAILED");
        assertThat(failure(client.server(id).restart()).code()).isEqualTo(code);
      }

      Awaitility.await()
          .atMost(SOON)
          .until(() -> bus.status("later").getValue("nextAttempt") != null);
      Future<ConnectionState> later = client.server("later").connect();
      await(client.server("later").disconnect());
      assertThat(failure(later)).hasMessageContaining("disconnected");

      Future<ConnectionState> hangs = client.server("hangs").restart();
      await(client.server("hangs").status());
      await(client.removeServer("hangs"));
      assertThat(failure(hangs).code()).isEqualTo(FailureCode.UNAVAILABLE);
    }
  }

  @Test
  void servers_come_and_go_at_run_time_and_secrets_are_masked() {
    try (TestBus bus = TestBus.startWithBridge(server("s", scripted("good")))) {
      JsonObject config =
          scripted("good")
              .put("env", new JsonObject().put("API_KEY", CANARY))
              .put("toolsOnly", true);
      JsonObject added =
          bus.request(
              Addresses.SERVERS_ADD,
              new JsonObject().put("name", "Late Comer").put("config", config));
      assertThat(added.getString("id")).isEqualTo("late-comer");
      JsonObject ready = bus.awaitState("late-comer", "READY");
      assertThat(text(bus.callTool("late-comer", "env", new JsonObject().put("text", "API_KEY"))))
          .as("the server itself has it")
          .isEqualTo(CANARY);

      JsonObject got = bus.request(Addresses.SERVERS_GET, new JsonObject().put("id", "late-comer"));
      JsonObject list = bus.request(Addresses.SERVERS_LIST, new JsonObject());
      assertThat(got.getJsonObject("config").getJsonObject("env").getString("API_KEY"))
          .isEqualTo("***");
      assertThat(got.encode() + list.encode() + added.encode()).doesNotContain(CANARY);
      assertThat(Http.get(bus.port(), "/api/servers/late-comer").body()).doesNotContain(CANARY);
      assertThat(list.getJsonArray("servers")).hasSize(2);

      McpFailure twice =
          bus.failure(
              Addresses.SERVERS_ADD,
              new JsonObject().put("name", "late_comer").put("config", config));
      assertThat(twice.code()).isEqualTo(FailureCode.BAD_REQUEST);
      assertThat(twice.getMessage()).contains("exists already").doesNotContain(CANARY);
      McpFailure wrong =
          bus.failure(
              Addresses.SERVERS_ADD,
              new JsonObject().put("name", "w").put("config", new JsonObject().put("comand", "x")));
      assertThat(wrong.code()).isEqualTo(FailureCode.BAD_REQUEST);
      assertThat(wrong)
          .hasMessageStartingWith("server \"")
          .hasMessageEndingWith("\": unknown key \"comand\". Did you mean \"command\"?");

      bus.request(Addresses.SERVERS_REMOVE, new JsonObject().put("id", "late-comer"));
      assertThat(
              bus.failure(
                      address("late-comer", Addresses.TOOLS_CALL),
                      toolCall("echo", new JsonObject()))
                  .code())
          .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
      assertThat(Pids.runs(pid(ready))).isFalse();
      assertThat(bus.events(Events.SERVER_ADDED)).hasSize(2);
      assertThat(bus.events(Events.SERVER_REMOVED)).hasSize(1);
    }
  }

  @Test
  void connect_to_server_gives_the_connected_server_or_the_failure() {
    try (TestBus bus = TestBus.start(new JsonObject())) {
      McpClient client = McpClient.create(bus.vertx());
      McpServerClient good = await(client.connectToServer("good", scripted("good")));
      assertThat(await(good.status()).state().serves()).isTrue();
      McpServerClient lazy =
          await(client.connectToServer("lazy", scripted("good").put("lazy", true)));
      assertThat(await(lazy.status()).state().serves()).isTrue();

      McpFailure exits = failure(client.connectToServer("exits", scripted("exit-at-start")));
      assertThat(exits.code()).isEqualTo(FailureCode.HANDSHAKE_FAILED);
      assertThat(exits.getMessage()).contains("no licence found");
      McpFailure missing =
          failure(
              client.connectToServer(
                  "missing", new JsonObject().put("command", "mcpbus-no-such-command")));
      assertThat(missing.code()).isEqualTo(FailureCode.START_FAILED);
      McpFailure silent =
          failure(
              client.connectToServer("silent", scripted("hang").put("handshakeTimeout", "300ms")));
      assertThat(silent.code()).isEqualTo(FailureCode.HANDSHAKE_TIMEOUT);
      assertThat(await(client.listServers())).contains("exits", "missing", "silent");

      Future<McpServerClient> waiting = client.connectToServer("slow", scripted("hang"));
      bus.awaitEvent("slow", Events.STATE_CHANGED);
      await(client.close());
      assertThat(failure(waiting).code()).isEqualTo(FailureCode.CANCELLED);
    }
  }

  @Test
  void connect_once_leaves_the_id_free_after_a_failure_a_cancellation_and_its_time() {
    try (TestBus bus = TestBus.start(new JsonObject())) {
      McpClient client = McpClient.create(bus.vertx());
      CallOptions none = CallOptions.DEFAULT;
      McpServerClient good = await(client.connectOnce("good", scripted("good"), none));
      assertThat(await(good.statusByPing(none))).isEqualTo("connected");
      assertThat(failure(client.connectOnce("good", scripted("good"), none)).code())
          .isEqualTo(FailureCode.BAD_REQUEST);

      McpFailure exits = failure(client.connectOnce("x", scripted("exit-at-start"), none));
      assertThat(exits.code()).isEqualTo(FailureCode.HANDSHAKE_FAILED);
      assertThat(await(client.listServers())).containsExactly("good");
      assertThat(await(client.server("x").statusByPing(none))).isEqualTo("disconnected");

      CallOptions brief = CallOptions.timeout(Duration.ofMillis(300));
      assertThat(failure(client.connectOnce("x", scripted("hang"), brief)).code())
          .isEqualTo(FailureCode.CALL_TIMEOUT);
      assertThat(await(client.hasServer("x"))).isFalse();

      CancellationToken token = new CancellationToken();
      Future<?> waiting = client.connectOnce("x", scripted("hang"), none.withCancel(token));
      Awaitility.await().atMost(SOON).until(() -> bus.events(Events.STATE_CHANGED).size() > 0);
      Awaitility.await().atMost(SOON).until(() -> await(client.hasServer("x")));
      token.cancel();
      assertThat(failure(waiting).code()).isEqualTo(FailureCode.CANCELLED);
      assertThat(await(client.hasServer("x"))).isFalse();
      assertThat(failure(client.connectOnce("x", scripted("good"), none.withCancel(token))).code())
          .isEqualTo(FailureCode.CANCELLED);

      assertThat(await(client.connectOnce("x", scripted("good"), none)).id()).hasToString("x");
    }
  }

  @Test
  void a_disconnect_completes_when_the_session_is_over_and_says_the_state_after() {
    JsonObject servers =
        new JsonObject()
            .put("a", scripted("good"))
            .put("b", scripted("good"))
            .put("down", scripted("exit-at-start"));
    try (TestBus bus = TestBus.start(servers)) {
      McpClient client = McpClient.create(bus.vertx());
      bus.awaitState("a", "READY");
      bus.awaitState("b", "READY");
      Awaitility.await()
          .atMost(SOON)
          .until(() -> bus.status("down").getValue("nextAttempt") != null);
      long pid = pid(bus.status("a"));
      Future<ToolCallResult> call =
          client.server("a").callTool("sleep", new JsonObject().put("ms", 300));
      Awaitility.await()
          .atMost(SOON)
          .until(() -> text(bus.callTool("a", "count", new JsonObject())).equals("1"));

      assertThat(await(client.disconnectServer("a"))).isEqualTo(ConnectionState.IDLE);

      assertThat(call.result().text()).isEqualTo("slept");
      assertThat(Pids.runs(pid)).isFalse();
      assertThat(await(client.disconnectServer("a"))).isEqualTo(ConnectionState.IDLE);
      assertThat(await(client.disconnectAllServers()))
          .extracting(ServerStatus::state)
          .containsExactly(ConnectionState.IDLE, ConnectionState.IDLE, ConnectionState.IDLE);
      assertThat(bus.status("down").getValue("nextAttempt")).isNull();
      assertThat(await(client.listServers())).containsExactlyInAnyOrder("a", "b", "down");
    }
  }

  @Test
  void while_a_server_restarts_calls_wait_or_are_refused_as_configured() {
    JsonObject backoff = new JsonObject().put("initial", "700ms").put("jitter", 0);
    JsonObject restart = new JsonObject().put("backoff", backoff);
    JsonObject servers =
        new JsonObject()
            .put("waits", scripted("good").put("restart", restart))
            .put(
                "refuses",
                scripted("good").put("restart", restart).put("whenUnavailable", "refuse"));
    try (TestBus bus = TestBus.start(servers)) {
      for (String id : List.of("waits", "refuses")) {
        bus.awaitState(id, "READY");
        McpFailure crash =
            bus.failure(address(id, Addresses.TOOLS_CALL), toolCall("crash", new JsonObject()));
        assertThat(crash.code()).isEqualTo(FailureCode.UPSTREAM_EXITED);
        bus.awaitState(id, "RECONNECTING");
      }
      // The state is the connection's; when it tries again is said by the supervisor, a bit later.
      Awaitility.await().until(() -> bus.status("refuses").getString("nextAttempt") != null);
      McpFailure refused =
          bus.failure(address("refuses", Addresses.TOOLS_CALL), toolCall("echo", new JsonObject()));
      assertThat(refused.code()).isEqualTo(FailureCode.UNAVAILABLE);
      assertThat(refused.sent()).isEqualTo(McpFailure.Sent.NO);
      assertThat(refused.retryAfterMillis()).isBetween(0L, 700L);
      assertThat(echo(bus, "waits", "later")).isEqualTo("later");
      assertThat(bus.status("waits").getInteger("restarts")).isEqualTo(1);
    }
  }

  @Test
  void a_server_that_is_frozen_is_degraded_then_replaced() {
    JsonObject ping =
        new JsonObject().put("interval", "150ms").put("timeout", "200ms").put("threshold", 3);
    JsonObject servers =
        new JsonObject()
            .put("s", scripted("good").put("ping", ping).put("closeGrace", "200ms"))
            .put("other", scripted("good"));
    try (TestBus bus = TestBus.start(servers)) {
      long frozen = pid(bus.awaitState("s", "READY"));
      bus.awaitState("other", "READY");
      Pids.signal("STOP", frozen);

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  bus.events(Events.CONNECTED).stream()
                      .anyMatch(
                          event ->
                              event.getString("id").equals("s") && event.getLong("epoch") == 2));

      List<String> moves =
          bus.events(Events.STATE_CHANGED).stream()
              .filter(event -> event.getString("id").equals("s"))
              .map(event -> event.getString("to"))
              .toList();
      assertThat(moves).containsSubsequence("READY", "DEGRADED", "RECONNECTING", "READY");
      assertThat(
              bus.events(Events.HEALTH_CHECK_FAILED).stream()
                  .map(event -> event.getInteger("failures")))
          .containsSubsequence(1, 2, 3);
      assertThat(Pids.runs(frozen)).isFalse();
      assertThat(echo(bus, "s", "thawed")).isEqualTo("thawed");
      assertThat(bus.status("other").getLong("epoch")).isEqualTo(1);
    }
  }

  @Test
  void the_rpc_log_on_the_bus_shows_both_directions_and_no_secret() {
    JsonObject entry =
        scripted("good").put("rpcLog", "bus").put("env", new JsonObject().put("PLAIN", CANARY));
    try (TestBus bus = TestBus.start(server("s", entry))) {
      List<JsonObject> seen = new CopyOnWriteArrayList<>();
      bus.vertx()
          .eventBus()
          .<JsonObject>consumer(Addresses.RPC, message -> seen.add(message.body()));
      bus.awaitState("s", "READY");

      // Out as an argument, back as a result; once by its name, once by its value.
      JsonObject arguments =
          new JsonObject().put("text", CANARY).put("password", "hunter2-" + "canary");
      assertThat(text(bus.callTool("s", "echo", arguments))).isEqualTo(CANARY);
      assertThat(text(bus.callTool("s", "env", new JsonObject().put("text", "PLAIN"))))
          .isEqualTo(CANARY);

      Awaitility.await()
          .atMost(SOON)
          .until(
              () ->
                  seen.stream().filter(m -> m.getString("message").contains("content")).count()
                      == 2);
      assertThat(seen).allMatch(m -> m.getString("server").equals("s") && m.containsKey("time"));
      assertThat(seen.stream().map(m -> m.getString("direction"))).contains("sent", "received");
      assertThat(seen).noneMatch(m -> m.encode().contains(CANARY));
      assertThat(seen).noneMatch(m -> m.encode().contains("hunter2"));
      assertThat(seen).anyMatch(m -> m.getString("message").contains("\"password\":\"***\""));
    }
  }

  @Test
  void a_server_that_is_disconnected_by_its_caller_ends_the_calls_in_flight_after_the_drain() {
    JsonObject entry = scripted("good").put("drain", "300ms");
    try (TestBus bus = TestBus.start(server("s", entry))) {
      bus.awaitState("s", "READY");
      Future<Object> hanging =
          bus.send(
              address("s", Addresses.TOOLS_CALL),
              toolCall("hang", new JsonObject()),
              new DeliveryOptions());
      Future<JsonObject> quick =
          bus.send(
              address("s", Addresses.TOOLS_CALL),
              toolCall("sleep", new JsonObject().put("ms", 50)),
              new DeliveryOptions());
      Awaitility.await()
          .atMost(SOON)
          .until(() -> text(bus.callTool("s", "count", new JsonObject())).equals("2"));
      bus.request(address("s", Addresses.DISCONNECT), new JsonObject());
      assertThat(text(await(quick))).isEqualTo("slept");
      McpFailure ended = failure(hanging);
      assertThat(ended.sent()).isEqualTo(McpFailure.Sent.MAYBE);
      assertThat(ended.code()).isEqualTo(FailureCode.OUTCOME_UNKNOWN);
      bus.awaitState("s", "IDLE");
      assertThat(new JsonArray(bus.events(Events.GAVE_UP))).isEmpty();
    }
  }
}
