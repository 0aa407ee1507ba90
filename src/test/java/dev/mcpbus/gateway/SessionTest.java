package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions of clients of the initialize era. */
class SessionTest {

  private TestBus bus = TestBus.startWithBridge(new JsonObject());

  @AfterEach
  void close() {
    bus.close();
  }

  private McpHttp client() {
    return new McpHttp(bus.port(), "/mcp");
  }

  private void restart(GatewayOptions options) {
    bus.close();
    bus = TestBus.startWithGateway(new JsonObject(), options);
  }

  private ScriptedPeer peer(String id) {
    return Peers.initialize(
        bus,
        id,
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("now", "never");
              case "resources/list" ->
                  "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}]}";
              case "tools/call" ->
                  params.getString("name").equals("now") ? Peers.text("from " + connection) : null;
              default -> null;
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
  void every_version_of_the_era_is_spoken(String version) {
    peer("s");
    McpHttp.Session session = client().initialize(version, new JsonObject());
    assertThat(session.initialized().getString("protocolVersion")).isEqualTo(version);
    assertThat(McpHttp.text(session.call("tools/call", Peers.call("s__now")).result()))
        .startsWith("from");
  }

  @Test
  void an_unknown_version_gets_the_newest_of_the_era() {
    McpHttp.Session session = client().initialize("1999-01-01", new JsonObject());
    assertThat(session.initialized().getString("protocolVersion")).isEqualTo("2025-11-25");
  }

  @Test
  void two_sessions_have_connections_of_their_own_and_one_keeps_its() {
    ScriptedPeer peer = peer("s");
    McpHttp.Session one = client().initialize();
    McpHttp.Session two = client().initialize();
    String first = McpHttp.text(one.call("tools/call", Peers.call("s__now")).result());
    String second = McpHttp.text(two.call("tools/call", Peers.call("s__now")).result());
    assertThat(first).isNotEqualTo(second).isNotEqualTo("from 1");
    assertThat(McpHttp.text(one.call("tools/call", Peers.call("s__now")).result()))
        .isEqualTo(first);
    assertThat(peer.connections()).isEqualTo(3);
    JsonObject servers = bus.request("mcp.servers.list", new JsonObject());
    assertThat(servers.getJsonArray("servers")).hasSize(1);
  }

  @Test
  void a_session_ends_its_connections_and_its_calls_with_it() {
    ScriptedPeer peer = peer("s");
    McpHttp client = client();
    McpHttp.Session session = client.initialize();
    CompletableFuture<Answer> waiting =
        session.called(client.request("tools/call", Peers.call("s__never")));
    await().until(() -> !peer.received("tools/call").isEmpty());
    assertThat(session.end()).isEqualTo(204);
    assertThat(waiting).succeedsWithin(Duration.ofSeconds(10));
    await().until(() -> peer.methods().contains("notifications/cancelled"));
    assertThat(session.call("ping", new JsonObject()).status()).isEqualTo(404);
  }

  @Test
  void progress_comes_on_the_calls_own_stream_under_its_own_token() {
    ScriptedPeer peer = peer("s");
    McpHttp client = client();
    McpHttp.Session session = client.initialize();
    JsonObject request =
        client.request(
            "tools/call",
            Peers.call("s__never").put("_meta", new JsonObject().put("progressToken", 7)));
    try (McpHttp.Stream stream = progressing(peer, session, request)) {
      await().until(() -> stream.messages().size() == 1);
      assertThat(stream.messages().get(0).getJsonObject("params"))
          .isEqualTo(new JsonObject().put("progressToken", 7).put("progress", 1).put("total", 2));
      peer.say(2, "{\"jsonrpc\":\"2.0\",\"id\":" + callId(peer) + "," + Peers.text("done") + "}");
      await().until(stream::hasEnded);
      assertThat(stream.messages().get(1).getInteger("id")).isEqualTo(request.getInteger("id"));
    }
  }

  /** Opens the stream of a call that does not end, and has the server tell of it once. */
  private McpHttp.Stream progressing(
      ScriptedPeer peer, McpHttp.Session session, JsonObject request) {
    CompletableFuture<McpHttp.Stream> stream =
        CompletableFuture.supplyAsync(() -> session.streamed(request));
    await().until(() -> !peer.received("tools/call").isEmpty());
    Object token =
        peer.received("tools/call")
            .get(0)
            .getJsonObject("params")
            .getJsonObject("_meta")
            .getValue("progressToken");
    assertThat(token).isNotEqualTo(7);
    peer.notify(
        "notifications/progress",
        new JsonObject().put("progressToken", token).put("progress", 1).put("total", 2));
    return stream.join();
  }

  private static Object callId(ScriptedPeer peer) {
    return peer.received("tools/call").get(0).getValue("id");
  }

  @Test
  void a_client_that_was_cut_off_gets_the_rest_by_the_last_event_id() {
    ScriptedPeer peer = peer("s");
    McpHttp client = client();
    McpHttp.Session session = client.initialize();
    JsonObject request =
        client.request(
            "tools/call",
            Peers.call("s__never").put("_meta", new JsonObject().put("progressToken", 7)));
    String last;
    try (McpHttp.Stream stream = progressing(peer, session, request)) {
      await().until(() -> stream.messages().size() == 1);
      last = String.valueOf(stream.events().get(stream.events().size() - 1).id());
    }
    peer.say(2, "{\"jsonrpc\":\"2.0\",\"id\":" + callId(peer) + "," + Peers.text("late") + "}");
    try (McpHttp.Stream rest = session.resume(last)) {
      await().until(rest::hasEnded);
      assertThat(rest.messages()).hasSize(1);
      assertThat(rest.messages().get(0).encode()).contains("late");
    }
  }

  @Test
  void cancelling_ends_the_call_at_the_server_without_an_answer() {
    ScriptedPeer peer = peer("s");
    McpHttp client = client();
    McpHttp.Session session = client.initialize();
    JsonObject request = client.request("tools/call", Peers.call("s__never"));
    CompletableFuture<Answer> waiting = session.called(request);
    await().until(() -> !peer.received("tools/call").isEmpty());
    session.notify(
        "notifications/cancelled", new JsonObject().put("requestId", request.getValue("id")));
    await().until(() -> peer.methods().contains("notifications/cancelled"));
    assertThat(waiting).succeedsWithin(Duration.ofSeconds(10));
    assertThat(waiting.join().messages()).isEmpty();
  }

  @Test
  void another_session_cannot_cancel_a_call_or_see_its_stream() {
    ScriptedPeer peer = peer("s");
    McpHttp client = client();
    McpHttp.Session session = client.initialize();
    McpHttp.Session other = client.initialize();
    JsonObject request =
        client.request(
            "tools/call",
            Peers.call("s__never").put("_meta", new JsonObject().put("progressToken", 7)));
    try (McpHttp.Stream stream = progressing(peer, session, request)) {
      await().until(() -> !stream.events().isEmpty());
      other.notify(
          "notifications/cancelled", new JsonObject().put("requestId", request.getValue("id")));
      try (McpHttp.Stream spying = other.resume(String.valueOf(stream.events().get(0).id()))) {
        peer.say(2, "{\"jsonrpc\":\"2.0\",\"id\":" + callId(peer) + "," + Peers.text("mine") + "}");
        await().until(stream::hasEnded);
        assertThat(stream.messages()).last().asString().contains("mine");
        assertThat(spying.messages()).isEmpty();
      }
    }
    assertThat(peer.methods()).doesNotContain("notifications/cancelled");
  }

  @Test
  void a_changed_list_is_told_on_the_standing_stream_once() {
    ScriptedPeer peer = peer("s");
    McpHttp.Session session = client().initialize();
    try (McpHttp.Stream stream = session.listen()) {
      session.call("tools/list", new JsonObject());
      peer("t");
      await().until(() -> stream.methods().contains("notifications/tools/list_changed"));
      assertThat(McpHttp.names(session.call("tools/list", new JsonObject()).result(), "tools"))
          .containsExactly("s__now", "s__never", "t__now", "t__never");
      assertThat(stream.methods()).containsExactly("notifications/tools/list_changed");
    }
    assertThat(peer.connections()).isEqualTo(1);
  }

  @Test
  void only_subscribers_learn_of_an_updated_resource() {
    ScriptedPeer peer = peer("s");
    McpHttp.Session session = client().initialize();
    McpHttp.Session other = client().initialize();
    JsonObject uri = new JsonObject().put("uri", "file:///a");
    try (McpHttp.Stream stream = session.listen();
        McpHttp.Stream nothing = other.listen()) {
      assertThat(session.call("resources/subscribe", uri).result()).isEmpty();
      peer.notify("notifications/resources/updated", uri);
      await().until(() -> stream.methods().contains("notifications/resources/updated"));
      assertThat(stream.messages().get(0).getJsonObject("params")).isEqualTo(uri);
      assertThat(nothing.messages()).isEmpty();
      // One who leaves does not take the other's subscription along.
      assertThat(other.call("resources/subscribe", uri).result()).isEmpty();
      assertThat(session.call("resources/unsubscribe", uri).result()).isEmpty();
      assertThat(peer.received("resources/unsubscribe")).hasSize(1);
      peer.notify("notifications/resources/updated", uri);
      await().until(() -> nothing.methods().contains("notifications/resources/updated"));
      assertThat(other.end()).isEqualTo(204);
      await().until(() -> peer.received("resources/unsubscribe").size() == 2);
    }
  }

  @Test
  void an_idle_session_ends() {
    restart(RecordCopy.with(GatewayOptions.DEFAULT, "sessionIdle", Duration.ofMillis(50)));
    McpHttp.Session session = client().initialize();
    await()
        .pollInterval(Duration.ofMillis(300))
        .until(() -> session.call("ping", new JsonObject()).status() == 404);
  }

  @Test
  void at_the_bound_the_session_that_was_idle_for_longest_makes_room_and_its_client_hears_404() {
    restart(RecordCopy.with(GatewayOptions.DEFAULT, "maxSessions", 1));
    List<McpHttp.Session> left = new ArrayList<>();
    int hosts = Runtime.getRuntime().availableProcessors();
    for (int i = 0; i < 20 * hosts; i++) {
      left.add(client().initialize()); // and is left without a word
    }
    List<Integer> answers =
        left.stream().map(session -> session.call("ping", new JsonObject()).status()).toList();
    assertThat(answers.subList(0, 19 * hosts)).containsOnly(404);
    assertThat(answers.subList(19 * hosts, 20 * hosts)).containsOnly(200);
  }

  @Test
  void a_session_whose_stream_is_read_or_that_waits_for_an_answer_is_not_ended_for_another() {
    restart(RecordCopy.with(GatewayOptions.DEFAULT, "maxSessions", 1));
    ScriptedPeer peer = peer("s");
    List<McpHttp.Session> used = new ArrayList<>();
    List<McpHttp.Stream> streams = new ArrayList<>();
    int hosts = Runtime.getRuntime().availableProcessors();
    McpHttp client = client();
    used.add(client.initialize());
    CompletableFuture<Answer> waiting =
        used.get(0).called(client.request("tools/call", Peers.call("s__never")));
    await().until(() -> !peer.received("tools/call").isEmpty());
    while (used.size() < hosts) {
      used.add(client().initialize());
      streams.add(used.get(used.size() - 1).listen());
    }
    for (int i = 0; i < hosts; i++) {
      Answer refused = client.post(initialize(client));
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.error().getString("message")).contains("sessions are in use");
    }
    used.forEach(
        session -> assertThat(session.call("ping", new JsonObject()).status()).isEqualTo(200));
    assertThat(waiting).isNotDone();
    streams.forEach(McpHttp.Stream::close);
    if (hosts > 1) {
      await().until(() -> client.post(initialize(client)).status() == 200);
    }
  }

  private static JsonObject initialize(McpHttp client) {
    return client.request(
        "initialize",
        new JsonObject()
            .put("protocolVersion", "2025-11-25")
            .put("capabilities", new JsonObject()));
  }

  @Test
  void sessions_left_without_a_word_do_not_keep_others_from_a_server() {
    peer("s");
    List<McpHttp.Session> left = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      left.add(client().initialize());
      left.get(i).call("tools/call", Peers.call("s__now"));
    }
    try (McpHttp.Stream listening = left.get(0).listen()) {
      // Their host tells that they pause, a second later.
      await().until(() -> inUse() == 1);
      McpHttp.Session fresh = client().initialize();
      assertThat(McpHttp.text(fresh.call("tools/call", Peers.call("s__now")).result()))
          .isEqualTo("from 66"); // one is everybody's
      assertThat(left.get(0).call("tools/call", Peers.call("s__now")).status()).isEqualTo(200);
      List<Integer> answers =
          left.stream().map(one -> one.call("ping", new JsonObject()).status()).toList();
      assertThat(answers).filteredOn(status -> status == 404).hasSize(1);
      assertThat(answers).filteredOn(status -> status == 200).hasSize(63);
      assertThat(listening.hasEnded()).isFalse();
    }
  }

  @Test
  void calls_whose_clients_have_left_do_not_keep_others_from_a_server() throws IOException {
    ScriptedPeer peer = peer("s");
    for (int i = 1; i <= 64; i++) {
      McpHttp client = client();
      JsonObject call = client.request("tools/call", Peers.call("s__never"));
      int calls = i;
      try (Socket leaving = sent(client.initialize(), call)) {
        await().until(() -> peer.received("tools/call").size() == calls);
        assertThat(leaving.isConnected()).isTrue();
      }
    }
    await().until(() -> inUse() == 0);
    assertThat(
            McpHttp.text(client().initialize().call("tools/call", Peers.call("s__now")).result()))
        .isEqualTo("from 66");
    await().until(() -> !peer.received("notifications/cancelled").isEmpty());
  }

  /** A request whose client does not wait for the answer. */
  private Socket sent(McpHttp.Session session, JsonObject request) throws IOException {
    String body = request.encode();
    StringBuilder head = new StringBuilder("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + bus.port());
    String[] headers = session.headers();
    for (int i = 0; i < headers.length; i += 2) {
      head.append("\r\n").append(headers[i]).append(": ").append(headers[i + 1]);
    }
    head.append("\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream")
        .append("\r\nContent-Length: ")
        .append(body.length())
        .append("\r\n\r\n")
        .append(body);
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), bus.port());
    socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private int inUse() {
    return bus.<JsonObject>request("mcp.servers.nodes", new JsonObject())
        .getJsonObject("limits")
        .getJsonObject("servers.privateConnections")
        .getInteger("inUse");
  }

  @Test
  void log_messages_of_its_own_connection_reach_a_session_by_level() {
    ScriptedPeer peer = peer("s");
    McpHttp.Session session = client().initialize();
    session.call("logging/setLevel", new JsonObject().put("level", "warning"));
    session.call("tools/call", Peers.call("s__now"));
    await().until(() -> !peer.received("logging/setLevel").isEmpty());
    try (McpHttp.Stream stream = session.listen()) {
      peer.notify("notifications/message", log("info", "quiet"));
      peer.notify("notifications/message", log("error", "loud"));
      await().until(() -> !stream.messages().isEmpty());
      assertThat(stream.messages()).hasSize(1);
      assertThat(stream.messages().get(0).encode()).contains("loud");
    }
  }

  @Test
  void a_level_that_its_server_refuses_changes_nothing() {
    ScriptedPeer peer =
        Peers.connected(
            bus,
            "s",
            new ScriptedPeer(
                bus.vertx(),
                (method, params, connection) ->
                    switch (method) {
                      case "initialize" -> Peers.INITIALIZE;
                      case "tools/list" -> Peers.tools("now");
                      case "tools/call" -> Peers.text("done");
                      case "logging/setLevel" ->
                          params.getString("level").equals("error")
                              ? ScriptedPeer.error(-32602, "not that one")
                              : "\"result\":{}";
                      default -> ScriptedPeer.error(-32601, "no such method");
                    }));
    McpHttp.Session session = new McpHttp(bus.port(), "/mcp/s").initialize();
    session.call("tools/call", Peers.call("now")).result(); // opens the connection
    session.call("logging/setLevel", new JsonObject().put("level", "warning")).result();
    String refusal =
        session.call("logging/setLevel", new JsonObject().put("level", "error")).body();
    assertThat(refusal).contains("not that one");
    peer.hangUp(); // a restarted session gets the level of the client
    await().until(() -> peer.received("logging/setLevel").size() > 2);
    assertThat(peer.received("logging/setLevel").get(2).getJsonObject("params").getString("level"))
        .isEqualTo("warning");
  }

  private static JsonObject log(String level, String data) {
    return new JsonObject().put("level", level).put("data", data);
  }

  @Test
  void lists_have_pages_and_their_cursors_stay_good() {
    restart(RecordCopy.with(GatewayOptions.DEFAULT, "pageSize", 2));
    peer("s");
    peer("t");
    McpHttp.Session session = client().initialize();
    JsonObject first = session.call("tools/list", new JsonObject()).result();
    assertThat(McpHttp.names(first, "tools")).containsExactly("s__now", "s__never");
    peer("a");
    JsonObject next = new JsonObject().put("cursor", first.getString("nextCursor"));
    JsonObject second = session.call("tools/list", next).result();
    assertThat(McpHttp.names(second, "tools")).containsExactly("t__now", "t__never");
    assertThat(second.getString("nextCursor")).isNull();
  }

  @Test
  void a_dead_server_costs_its_own_tools_only() {
    ScriptedPeer peer = peer("s");
    peer("t");
    McpHttp.Session session = client().initialize();
    session.call("tools/list", new JsonObject());
    bus.request("mcp.servers.remove", new JsonObject().put("id", "s"));
    assertThat(peer.connections()).isPositive();
    assertThat(McpHttp.text(session.call("tools/call", Peers.call("t__now")).result()))
        .startsWith("from");
    Answer gone = session.call("tools/call", Peers.call("s__now"));
    assertThat(gone.error().getInteger("code")).isEqualTo(-32602);
    assertThat(McpHttp.names(session.call("tools/list", new JsonObject()).result(), "tools"))
        .isEqualTo(new JsonArray().add("t__now").add("t__never").getList());
  }

  @Test
  void what_a_client_says_about_itself_has_a_bound() {
    JsonObject request =
        client()
            .request(
                "initialize",
                new JsonObject()
                    .put("protocolVersion", "2025-11-25")
                    .put("capabilities", new JsonObject().put("x", "a".repeat(300_000)))
                    .put("clientInfo", new JsonObject().put("name", "c").put("version", "1")));
    Answer refused = client().post(request);
    assertThat(refused.error().getString("message")).contains("262144 bytes");
    await().until(() -> ByteBudget.of(bus.vertx()).used() < 100_000);
    McpHttp.Session session = client().initialize("2025-11-25", new JsonObject());
    JsonObject begun =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("method", "notifications/initialized")
            .put("params", new JsonObject().put("x", "a".repeat(300_000)));
    assertThat(session.send(begun)).isEqualTo(413);
  }
}
