package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a server of {@code /mcp/<id>} says against the rules of MCP passes as it is. */
class OddNoticesTest {

  private static final String PROGRESS = "notifications/progress";
  private static final String MESSAGE = "notifications/message";
  private static final String UPDATED = "notifications/resources/updated";
  private static final JsonObject CALL =
      Peers.call("t")
          .put("_meta", new JsonObject().put("progressToken", "own"))
          .put("arguments", new JsonObject());

  private final TestBus bus = TestBus.startWithBridge(new JsonObject());
  private final McpHttp client = new McpHttp(bus.port(), "/mcp/p");

  @AfterEach
  void close() {
    bus.close();
  }

  private static @Nullable String answer(String method, JsonObject params, int connection) {
    return switch (method) {
      case "tools/list" -> Peers.tools("t");
      case "resources/list" -> "\"result\":{\"resources\":[]}";
      case "logging/setLevel" -> "\"result\":{}";
      default -> null;
    };
  }

  private static String notification(String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\"" + params + "}";
  }

  private static List<String> data(McpHttp.Stream stream, String method) {
    return stream.events().stream()
        .map(McpHttp.Event::data)
        .filter(data -> data.contains(method))
        .toList();
  }

  private static void done(ScriptedPeer peer, int connection, String result) {
    await().until(() -> !peer.received("tools/call").isEmpty());
    Object id = peer.received("tools/call").get(0).getValue("id");
    peer.say(connection, "{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + result + "}");
  }

  /** Two notifications of progress: the second goes back, the third has no number. */
  private static void progress(ScriptedPeer peer, int connection) {
    await().until(() -> !peer.received("tools/call").isEmpty());
    JsonObject params = peer.received("tools/call").get(0).getJsonObject("params");
    String token = params.getJsonObject("_meta").getString("progressToken");
    for (String value : List.of("2.50", "1e0", "\"half\"")) {
      String all = ",\"params\":{\"progressToken\":\"" + token + "\",\"progress\":" + value + "}";
      peer.say(connection, notification(PROGRESS, all));
    }
  }

  private static List<String> progressed() {
    return List.of("2.50", "1e0", "\"half\"").stream()
        .map(
            value ->
                notification(
                    PROGRESS, ",\"params\":{\"progressToken\":\"own\",\"progress\":" + value + "}"))
        .toList();
  }

  @Test
  void progress_that_goes_back_reaches_clients_of_both_eras() {
    ScriptedPeer peer = Peers.initialize(bus, "p", OddNoticesTest::answer);
    McpHttp.Session session = client.initialize();
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(() -> session.streamed(client.request("tools/call", CALL)));
    progress(peer, 2);
    try (McpHttp.Stream stream = open.join()) {
      await().until(() -> data(stream, PROGRESS).size() >= 3);
      assertThat(data(stream, PROGRESS)).isEqualTo(progressed());
      done(peer, 2, Peers.text("done"));
    }
  }

  @Test
  void progress_that_goes_back_and_a_notification_without_params_reach_a_discover_client() {
    ScriptedPeer peer = Peers.discover(bus, "p", OddNoticesTest::answer);
    JsonObject call = client.described("tools/call", CALL);
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(() -> client.streamed(call, McpHttp.headers(call)));
    progress(peer, 1);
    peer.say(1, notification("x.example/bare", ""));
    try (McpHttp.Stream stream = open.join()) {
      await().until(() -> !data(stream, "x.example/bare").isEmpty());
      assertThat(data(stream, PROGRESS)).isEqualTo(progressed());
      assertThat(data(stream, "x.example")).containsExactly(notification("x.example/bare", ""));
      done(peer, 1, Peers.text("done"));
    }
  }

  @Test
  void a_type_of_result_that_mcp_does_not_define_reaches_a_client_that_may_know_it() {
    ScriptedPeer peer = Peers.discover(bus, "p", OddNoticesTest::answer);
    String result = "\"result\":{\"resultType\":\"x.example\\/later\", \"at\":1.0}";
    JsonObject call = client.described("tools/call", CALL);
    CompletableFuture<McpHttp.Answer> answer = client.posted(call.encode(), McpHttp.headers(call));
    done(peer, 1, result);
    assertThat(answer.join().body()).contains(result);
  }

  @Test
  void log_messages_below_the_level_and_updates_without_a_subscription_reach_the_client() {
    ScriptedPeer peer = Peers.initialize(bus, "p", OddNoticesTest::answer);
    McpHttp.Session session =
        client.initialize("2025-11-25", new JsonObject().put("roots", new JsonObject()));
    session.call("tools/list", new JsonObject());
    session.call("logging/setLevel", new JsonObject().put("level", "error"));
    try (McpHttp.Stream stream = session.listen()) {
      List<String> said =
          List.of(
              notification(MESSAGE, ",\"params\":{\"level\":\"debug\",\"data\":1.0}"),
              notification(MESSAGE, ",\"params\":{\"level\":\"loud\",\"data\":null}"),
              notification(UPDATED, ",\"params\":{\"uri\":\"x:\\/never\",\"n\":1.0}"),
              notification(UPDATED, ",\"params\":{}"));
      said.forEach(one -> peer.say(2, one));
      await().until(() -> stream.events().size() >= said.size());
      assertThat(stream.events()).extracting(McpHttp.Event::data).isEqualTo(said);
    }
  }
}
