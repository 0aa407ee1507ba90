package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.Standstill;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which client has which task, and what it learns of it. All servers call their only task "1". */
class TasksTest {

  private static final String EXTENSION = "io.modelcontextprotocol/tasks";
  private static final String RELATED = "io.modelcontextprotocol/related-task";
  private static final JsonObject KNOWS_TASKS =
      new JsonObject().put("extensions", new JsonObject().put(EXTENSION, new JsonObject()));
  private static final ApiKeys.Fresh ADA = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh BOB = ApiKeys.generate(new SecureRandom());

  private final Set<String> cancelled = ConcurrentHashMap.newKeySet();

  /** Servers whose {@code tasks/get} fails. */
  private final Set<String> broken = ConcurrentHashMap.newKeySet();

  private final TestBus bus =
      TestBus.startWithAuth(
          new JsonObject(),
          BridgeOptions.DEFAULT.withPort(0),
          TestOptions.ofKeys(List.of(key("ada", ADA), key("bob", BOB))));

  @AfterEach
  void close() {
    bus.close();
  }

  private static AuthOptions.ApiKey key(String name, ApiKeys.Fresh key) {
    return new AuthOptions.ApiKey(name, key.hash(), Set.of(), false, null, null);
  }

  private static String[] as(ApiKeys.Fresh key, String... more) {
    String[] all = new String[more.length + 2];
    System.arraycopy(more, 0, all, 2, more.length);
    all[0] = "Authorization";
    all[1] = "Bearer " + key.key();
    return all;
  }

  private static JsonObject task(String status) {
    return new JsonObject()
        .put("taskId", "1")
        .put("status", status)
        .put("createdAt", "2026-11-21T10:00:00Z")
        .put("lastUpdatedAt", "2026-11-21T10:00:00Z")
        .put("_meta", related());
  }

  /** By which servers say to which task a message belongs. */
  private static JsonObject related() {
    return new JsonObject()
        .put("io.modelcontextprotocol/related-task", new JsonObject().put("taskId", "1"));
  }

  /** Whether a call becomes a task is known once the tools of its server are. */
  private ScriptedPeer connected(String id, ScriptedPeer peer) {
    TestBus.await(
        TestOptions.add(
            bus.bus(), new ConnectionId(id), peer.transport(), ConnectionOptions.DEFAULT));
    bus.awaitState(id, "READY");
    await("the tools of " + id).until(() -> tools().contains("\"" + id + "__work\""));
    return peer;
  }

  private String tools() {
    return ask(ADA, "tools/list", new JsonObject()).encode();
  }

  private ScriptedPeer discover(String id) {
    String discovered =
        ScriptedPeer.DISCOVERED.replace(
            "\"capabilities\":{", "\"capabilities\":{\"extensions\":{\"" + EXTENSION + "\":{}},");
    return connected(
        id,
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> discovered;
                  case "tools/call" ->
                      result(task("working").put("ttlMs", 60_000).put("resultType", "task"));
                  case "tasks/get" ->
                      broken.contains(id)
                          ? ScriptedPeer.error(-32602, "task '1' is broken")
                          : result(
                              task(cancelled.contains(id) ? "cancelled" : "working")
                                  .put("result", new JsonObject().put("_meta", related()))
                                  .put("ttlMs", 60_000)
                                  .put("pollIntervalMs", 70));
                  case "tasks/cancel" -> {
                    cancelled.add(id);
                    yield "\"result\":{\"resultType\":\"complete\"}";
                  }
                  default -> listed(method);
                }));
  }

  private static String result(JsonObject result) {
    return "\"result\":" + result.encode();
  }

  private static @Nullable String listed(String method) {
    return switch (method) {
      case "tools/list" -> Peers.tools("work");
      case "resources/list" -> "\"result\":{\"resources\":[],\"ttlMs\":60000}";
      case "prompts/list" -> "\"result\":{\"prompts\":[],\"ttlMs\":60000}";
      case "resources/templates/list" -> "\"result\":{\"resourceTemplates\":[],\"ttlMs\":60000}";
      default -> null;
    };
  }

  private ScriptedPeer older(String id) {
    String initialized =
        Peers.INITIALIZE.replace(
            "\"capabilities\":{",
            "\"capabilities\":{\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":"
                + "{\"call\":{}}}},");
    JsonArray tools =
        new JsonArray()
            .add(
                new JsonObject()
                    .put("name", "work")
                    .put("inputSchema", new JsonObject().put("type", "object"))
                    .put("execution", new JsonObject().put("taskSupport", "required")));
    return connected(
        id,
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                  case "initialize" -> initialized;
                  case "tools/list" -> result(new JsonObject().put("tools", tools));
                  case "tools/call" ->
                      result(new JsonObject().put("task", task("working").put("ttl", 60_000)));
                  case "tasks/result" -> result(new JsonObject().put("_meta", related()));
                  case "tasks/get" -> result(task("input_required").put("pollInterval", 60));
                  case "tasks/cancel" -> result(task("cancelled"));
                  default -> listed(method);
                }));
  }

  private McpHttp client() {
    return new McpHttp(bus.port(), "/mcp");
  }

  private JsonObject ask(ApiKeys.Fresh who, String method, JsonObject params) {
    McpHttp client = client();
    JsonObject meta =
        new JsonObject().put("io.modelcontextprotocol/clientCapabilities", KNOWS_TASKS);
    JsonObject request = client.described(method, params.copy().put("_meta", meta));
    return client.post(request, as(who, McpHttp.headers(request))).json();
  }

  private static JsonObject named(String id) {
    return new JsonObject().put("taskId", id);
  }

  private String begin(ApiKeys.Fresh who, String tool) {
    JsonObject result = ask(who, "tools/call", Peers.call(tool)).getJsonObject("result");
    assertThat(result.getString("resultType")).isEqualTo("task");
    return result.getString("taskId");
  }

  @Test
  void a_task_is_found_at_its_own_server_and_by_its_own_principal_alone() {
    discover("one");
    discover("two");
    older("old");
    String one = begin(ADA, "one__work");
    String two = begin(ADA, "two__work");
    String old = begin(ADA, "old__work");
    assertThat(Set.of(one, two, old, "1")).hasSize(4);
    ask(ADA, "tasks/cancel", named(two));
    assertThat(status(ADA, one)).isEqualTo("working");
    assertThat(status(ADA, two)).isEqualTo("cancelled");
    assertThat(status(ADA, old)).isEqualTo("working");
    JsonObject never = ask(BOB, "tasks/get", named("no-such-task")).getJsonObject("error");
    for (String id : List.of(one, two, old)) {
      for (String method : List.of("tasks/get", "tasks/cancel")) {
        assertThat(ask(BOB, method, named(id)).getJsonObject("error")).isEqualTo(never);
      }
      JsonObject update = named(id).put("inputResponses", new JsonObject());
      assertThat(ask(BOB, "tasks/update", update).getJsonObject("error")).isEqualTo(never);
    }
    assertThat(cancelled).containsExactly("two");
  }

  @Test
  void a_task_of_a_client_that_has_hung_up_while_its_request_waited_is_not_begun()
      throws Exception {
    ScriptedPeer peer = older("old");
    begin(ADA, "old__work");
    JsonObject meta =
        new JsonObject().put("io.modelcontextprotocol/clientCapabilities", KNOWS_TASKS);
    JsonObject call =
        client().described("tools/call", Peers.call("old__work").put("_meta", meta)).put("id", 7);
    StringBuilder head = new StringBuilder("POST /mcp HTTP/1.1\r\nHost: localhost:" + bus.port());
    String[] headers = as(ADA, McpHttp.headers(call));
    for (int i = 0; i < headers.length; i += 2) {
      head.append("\r\n").append(headers[i]).append(": ").append(headers[i + 1]);
    }
    head.append("\r\nContent-Type: application/json\r\nAccept: application/json, ");
    head.append("text/event-stream\r\nContent-Length: ").append(call.encode().length());
    String request = head.append("\r\n\r\n").append(call.encode()).toString();
    try (Standstill standstill = new Standstill(bus.vertx())) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), bus.port())) {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      }
      standstill.last(Duration.ofMillis(700));
    }
    begin(ADA, "old__work"); // what came before has begun, or never does
    await("the task after it").until(() -> peer.received("tools/call").size() >= 2);
    assertThat(peer.received("tools/call")).hasSize(2);
  }

  @Test
  void who_does_not_state_the_extension_gets_the_error_for_that_whatever_the_id() {
    discover("one");
    for (String id : List.of(begin(ADA, "one__work"), "no-such-task")) {
      for (String method : List.of("tasks/get", "tasks/cancel", "tasks/update")) {
        McpHttp client = client();
        JsonObject params = named(id).put("inputResponses", new JsonObject());
        JsonObject request = client.described(method, params);
        McpHttp.Answer answer = client.post(request, as(ADA, McpHttp.headers(request)));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error().getInteger("code")).as(method).isEqualTo(-32021);
        assertThat(answer.error().encode())
            .contains("requiredCapabilities", "io.modelcontextprotocol/tasks");
      }
    }
  }

  private String status(ApiKeys.Fresh who, String id) {
    JsonObject result = ask(who, "tasks/get", named(id)).getJsonObject("result");
    assertThat(result.getString("taskId")).isEqualTo(id);
    return result.getString("status");
  }

  @Test
  void a_parked_task_is_promised_no_longer_than_its_connection_lets_a_call_run() {
    older("old");
    JsonObject task = ask(ADA, "tools/call", Peers.call("old__work")).getJsonObject("result");
    Duration kept = Duration.ofMinutes(10);
    assertThat(task.getLong("ttlMs"))
        .isEqualTo(ConnectionOptions.DEFAULT.maxCallDuration().plus(kept).toMillis());
  }

  @Test
  void the_capability_is_stated_where_a_server_behind_has_it() {
    Peers.initialize(bus, "plain", (method, params, connection) -> null);
    assertThat(capabilities().containsKey("extensions")).isFalse();
    assertThat(session(ADA).initialized().getJsonObject("capabilities").containsKey("tasks"))
        .isFalse();
    assertThat(ask(ADA, "tasks/get", named("x")).getJsonObject("error").getInteger("code"))
        .isEqualTo(-32601);
    older("old");
    await().until(() -> capabilities().containsKey("extensions"));
    assertThat(session(ADA).initialized().getJsonObject("capabilities").getJsonObject("tasks"))
        .isEqualTo(
            new JsonObject("{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}"));
  }

  private JsonObject capabilities() {
    return ask(ADA, "server/discover", new JsonObject())
        .getJsonObject("result")
        .getJsonObject("capabilities");
  }

  private McpHttp.Session session(ApiKeys.Fresh who) {
    return client()
        .initialize("2025-11-25", new JsonObject().put("elicitation", new JsonObject()), as(who));
  }

  private static JsonObject asTask(String tool) {
    return Peers.call(tool).put("task", new JsonObject().put("ttl", 60_000));
  }

  @Test
  void an_initialize_client_reads_a_discover_servers_task_in_its_own_form() {
    ScriptedPeer peer = discover("m");
    McpHttp.Session session = session(ADA);
    JsonObject task = session.call("tools/call", asTask("m__work")).result().getJsonObject("task");
    assertThat(task.getLong("ttl")).isEqualTo(60_000);
    assertThat(task.containsKey("ttlMs") || task.containsKey("resultType")).isFalse();
    String id = task.getString("taskId");
    JsonObject got = session.call("tasks/get", named(id)).result();
    assertThat(got.getLong("pollInterval")).isEqualTo(70);
    assertThat(got.getString("taskId")).isEqualTo(id);
    assertThat(ids(session)).containsExactly(id);
    assertThat(ids(session(ADA))).isEmpty();
    JsonObject gone = session.call("tasks/cancel", named(id)).result();
    assertThat(gone.getString("status")).isEqualTo("cancelled");
    assertThat(session.call("tasks/cancel", named(id)).error().getInteger("code"))
        .isEqualTo(-32602);
    assertThat(session(BOB).call("tasks/get", named(id)).error())
        .isEqualTo(session(BOB).call("tasks/get", named("none")).error());
    try (McpHttp.Stream stream = session.listen()) {
      await().until(() -> stream.status() == 200);
      peer.notify("notifications/tasks", task("completed").put("ttlMs", 5));
      await().until(() -> stream.methods().contains("notifications/tasks/status"));
      JsonObject told = stream.messages().get(0).getJsonObject("params");
      assertThat(told.getString("taskId")).isEqualTo(id);
      assertThat(told.getLong("ttl")).isEqualTo(5);
    }
  }

  /** The server answers at once, and mcpbus keeps the result for the client. */
  @Test
  void the_kept_result_of_a_task_is_paid_until_its_session_ends() {
    connected(
        "quick",
        ScriptedPeer.discover(
            bus.vertx(),
            (method, params, connection) ->
                method.equals("tools/call") ? Peers.text("a".repeat(300_000)) : listed(method)));
    discover("m");
    McpHttp.Session session = session(ADA);
    for (int i = 1; i <= 3; i++) {
      JsonObject task =
          session.call("tools/call", asTask("quick__work")).result().getJsonObject("task");
      assertThat(session.call("tasks/result", named(task.getString("taskId"))).status())
          .isEqualTo(200);
      assertThat(ByteBudget.of(bus.vertx()).used()).isGreaterThan(300_000L * i);
    }
    assertThat(session.end()).isEqualTo(204);
    await().until(() -> ByteBudget.of(bus.vertx()).used() < 100_000);
  }

  @Test
  void an_error_of_a_server_names_the_task_as_the_client_does() {
    discover("m");
    String id = begin(ADA, "m__work");
    McpHttp.Session session = session(ADA);
    String own = id(session.call("tools/call", asTask("m__work")));
    broken.add("m");

    JsonObject discover = ask(ADA, "tasks/get", named(id)).getJsonObject("error");
    assertThat(discover.getString("message")).isEqualTo("task '" + id + "' is broken");
    for (String method : List.of("tasks/get", "tasks/cancel")) {
      JsonObject initialize = session.call(method, named(own)).error();
      assertThat(initialize.getString("message")).isEqualTo("task '" + own + "' is broken");
      assertThat(initialize.getInteger("code")).isEqualTo(-32602);
    }
  }

  @Test
  void the_id_of_a_servers_own_reaches_no_client_in_any_place() {
    ScriptedPeer peer = discover("m");
    older("old");
    McpHttp.Session session = session(ADA);
    for (String server : List.of("m", "old")) {
      McpHttp.Answer begun = session.call("tools/call", asTask(server + "__work"));
      String id = id(begun);
      for (McpHttp.Answer answer :
          List.of(
              begun,
              session.call("tasks/get", named(id)),
              session.call("tasks/list", new JsonObject()),
              // that of the other server waits for its end
              session.call(server.equals("m") ? "tasks/get" : "tasks/result", named(id)),
              session.call("tasks/cancel", named(id)))) {
        assertThat(answer.body()).contains(id).doesNotContain("\"taskId\":\"1\"");
      }
    }
    JsonObject begun = ask(ADA, "tools/call", Peers.call("m__work")).getJsonObject("result");
    String id = begun.getString("taskId");
    assertThat(begun.encode()).doesNotContain("\"taskId\":\"1\"");
    assertThat(ask(ADA, "tasks/get", named(id)).getJsonObject("result").encode())
        .contains(id)
        .doesNotContain("\"taskId\":\"1\"");
    McpHttp client = client();
    JsonObject listen =
        client.described(
            "subscriptions/listen",
            new JsonObject()
                .put("notifications", new JsonObject().put("taskIds", new JsonArray().add(id)))
                .put(
                    "_meta",
                    new JsonObject()
                        .put("io.modelcontextprotocol/clientCapabilities", KNOWS_TASKS)));
    try (McpHttp.Stream stream = client.streamed(listen, as(ADA, McpHttp.headers(listen)))) {
      await().until(() -> !stream.messages().isEmpty());
      peer.notify(
          "notifications/tasks",
          task("completed").put("result", new JsonObject().put("_meta", related())));
      await().until(() -> stream.messages().size() == 2);
      assertThat(stream.messages().get(1).encode())
          .contains("\"result\"")
          .contains(id)
          .doesNotContain("\"taskId\":\"1\"");
    }
  }

  private static List<String> ids(McpHttp.Session session) {
    return session.call("tasks/list", new JsonObject()).result().getJsonArray("tasks").stream()
        .map(one -> ((JsonObject) one).getString("taskId"))
        .toList();
  }

  @Test
  void two_sessions_of_one_initialize_server_do_not_share_its_task_ids() {
    ScriptedPeer peer = older("old");
    McpHttp.Session one = session(ADA);
    McpHttp.Session two = session(ADA);
    String id = id(one.call("tools/call", asTask("old__work")));
    assertThat(id).isNotEqualTo(id(two.call("tools/call", asTask("old__work"))));
    assertThat(two.call("tasks/get", named(id)).error().getString("message"))
        .isEqualTo("Task not found");
    assertThat(one.call("tasks/get", named(id)).result().getString("taskId")).isEqualTo(id);
    try (McpHttp.Stream stream = one.listen()) {
      String question =
          "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"elicitation/create\",\"params\":{"
              + "\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}},"
              + "\"_meta\":{\""
              + RELATED
              + "\":{\"taskId\":\"1\"}}}}";
      peer.say(2, question);
      await().until(() -> stream.methods().contains("elicitation/create"));
      assertThat(
              stream
                  .messages()
                  .get(0)
                  .getJsonObject("params")
                  .getJsonObject("_meta")
                  .getJsonObject(RELATED)
                  .getString("taskId"))
          .isEqualTo(id);
    }
  }

  private static String id(McpHttp.Answer answer) {
    return answer.result().getJsonObject("task").getString("taskId");
  }

  @Test
  void a_discover_client_hears_of_its_own_tasks_alone() {
    ScriptedPeer peer = discover("m");
    String mine = begin(ADA, "m__work");
    McpHttp client = client();
    JsonObject params =
        new JsonObject()
            .put(
                "notifications",
                new JsonObject().put("taskIds", new JsonArray().add(mine).add("other")));
    JsonObject without = client.described("subscriptions/listen", params);
    assertThat(client.post(without, as(ADA, McpHttp.headers(without))).error().getInteger("code"))
        .isEqualTo(-32021);
    JsonObject meta =
        new JsonObject().put("io.modelcontextprotocol/clientCapabilities", KNOWS_TASKS);
    JsonObject request = client.described("subscriptions/listen", params.put("_meta", meta));
    try (McpHttp.Stream ada = client.streamed(request, as(ADA, McpHttp.headers(request)));
        McpHttp.Stream bob = client.streamed(request, as(BOB, McpHttp.headers(request)))) {
      await().until(() -> !ada.messages().isEmpty() && !bob.messages().isEmpty());
      JsonObject agreed =
          ada.messages().get(0).getJsonObject("params").getJsonObject("notifications");
      assertThat(agreed.getJsonArray("taskIds")).containsExactly(mine);
      peer.notify("notifications/tasks", task("completed"));
      await().until(() -> ada.methods().contains("notifications/tasks"));
      assertThat(ada.messages().get(1).getJsonObject("params").getString("taskId")).isEqualTo(mine);
      assertThat(bob.messages()).hasSize(1);
    }
  }
}
