package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A server announces that a list is another one: at {@code /mcp/<id>} its client gets each
 * announcement as it was sent, and a list that it asks for then is the new one.
 */
class ListAnnouncementsTest {

  private static final String TOOLS = "notifications/tools/list_changed";
  private static final String PROMPTS = "notifications/prompts/list_changed";
  private static final String UNKNOWN = "\"x.unknown\":{\"b\":1.0,\"a\":[\"é\"]}";
  private static final String REFUSAL =
      "\"error\":{\"code\":-32050,\"message\":\"lo\\u0067in\",\"data\":{\"n\":1.0}}";
  private static final JsonObject ROOTS = new JsonObject().put("roots", new JsonObject());

  /** The tool that the server has now. */
  private final AtomicInteger version = new AtomicInteger();

  private volatile boolean silent;

  /** The connection whose list fails; the others list. */
  private volatile int failing;

  private TestBus bus;

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private @org.jspecify.annotations.Nullable String answer(
      String method, JsonObject params, int connection) {
    return switch (method) {
      case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
      case "initialize" -> Peers.INITIALIZE;
      case "tools/list" -> connection == failing ? REFUSAL : silent ? null : list();
      case "prompts/list" -> "\"result\":{\"prompts\":[],\"ttlMs\":60000}";
      default -> null;
    };
  }

  private String list() {
    return Peers.tools("tool-" + version.get());
  }

  private ScriptedPeer older() {
    return Peers.connected(bus, "s", new ScriptedPeer(bus.vertx(), this::answer));
  }

  private McpHttp client(String path) {
    return new McpHttp(bus.port(), path);
  }

  private McpHttp.Session session(String path) {
    return client(path).initialize("2025-11-25", ROOTS);
  }

  private static CompletableFuture<McpHttp.Answer> listed(McpHttp client) {
    JsonObject request = described(client, "tools/list", new JsonObject());
    return client.posted(request.encode(), McpHttp.headers(request));
  }

  private static JsonObject described(McpHttp client, String method, JsonObject params) {
    return client.request(method, params.put("_meta", McpHttp.meta(ROOTS)));
  }

  private static List<String> tools(McpHttp client) {
    return McpHttp.names(listed(client).join().result(), "tools");
  }

  private static List<String> tools(McpHttp.Session session) {
    return McpHttp.names(session.call("tools/list", new JsonObject()).result(), "tools");
  }

  /** Listens to tools and prompts; the subscription's id is the same in each test. */
  private static McpHttp.Stream listen(McpHttp client) {
    JsonObject filter =
        new JsonObject().put("toolsListChanged", true).put("promptsListChanged", true);
    JsonObject request =
        described(client, "subscriptions/listen", new JsonObject().put("notifications", filter))
            .put("id", 77);
    McpHttp.Stream stream = client.streamed(request, McpHttp.headers(request));
    await().until(() -> !stream.messages().isEmpty());
    return stream;
  }

  private static List<String> data(McpHttp.Stream stream, String method) {
    return stream.events().stream()
        .map(McpHttp.Event::data)
        .filter(data -> data.contains(method))
        .toList();
  }

  private static String announcement(String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":{" + params + "}}";
  }

  private static List<String> five(String before) {
    return IntStream.rangeClosed(1, 5)
        .mapToObj(n -> announcement(TOOLS, before + "\"n\":" + n + "," + UNKNOWN))
        .toList();
  }

  private void announceFive(ScriptedPeer peer, int connection) {
    version.incrementAndGet();
    five("").forEach(one -> peer.say(connection, one));
  }

  @Test
  void each_announcement_of_the_clients_own_session_reaches_it_as_it_was_sent() {
    ScriptedPeer peer = older();
    McpHttp.Session session = session("/mcp/s");
    assertThat(tools(session)).containsExactly("tool-0");
    try (McpHttp.Stream stream = session.listen()) {
      announceFive(peer, 2);
      await().until(() -> data(stream, TOOLS).size() >= 5);
      assertThat(tools(session)).containsExactly("tool-1");
      peer.say(2, announcement(PROMPTS, ""));
      await().until(() -> !data(stream, PROMPTS).isEmpty());
      assertThat(data(stream, TOOLS)).isEqualTo(five(""));
    }
  }

  @Test
  void one_that_comes_before_the_answer_to_the_handshake_is_not_lost() {
    ScriptedPeer[] peer = new ScriptedPeer[1];
    peer[0] =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) -> {
              if (!method.equals("initialize") || connection == 1) {
                return answer(method, params, connection);
              }
              List<JsonObject> asked = peer[0].received("initialize");
              Object id = asked.get(asked.size() - 1).getValue("id");
              peer[0].say(connection, announcement(TOOLS, UNKNOWN));
              peer[0].say(
                  connection, "{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + Peers.INITIALIZE + "}");
              return null;
            });
    Peers.connected(bus, "s", peer[0]);
    McpHttp.Session session = session("/mcp/s");
    try (McpHttp.Stream stream = session.listen()) {
      assertThat(tools(session)).containsExactly("tool-0");
      await().until(() -> !data(stream, TOOLS).isEmpty());
      assertThat(data(stream, TOOLS)).containsExactly(announcement(TOOLS, UNKNOWN));
    }
  }

  @Test
  void a_client_without_a_session_gets_each_one_on_its_stream_with_the_id_of_its_subscription() {
    ScriptedPeer peer = older();
    McpHttp client = client("/mcp/s");
    try (McpHttp.Stream stream = listen(client);
        McpHttp.Stream other = listen(client("/mcp"))) {
      assertThat(tools(client)).containsExactly("tool-0");
      announceFive(peer, 2);
      await().until(() -> data(stream, TOOLS).size() >= 5);
      assertThat(tools(client)).containsExactly("tool-1");
      await().until(() -> data(other, TOOLS).size() == 1);
      peer.say(2, announcement(PROMPTS, UNKNOWN));
      await().until(() -> !data(stream, PROMPTS).isEmpty());
      assertThat(data(stream, TOOLS))
          .isEqualTo(five("\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":77},"));
      assertThat(data(other, PROMPTS)).as("its list of prompts is the same").isEmpty();
    }
  }

  @Test
  void a_list_that_is_asked_for_after_the_announcement_waits_for_the_new_one() {
    ScriptedPeer peer = older();
    McpHttp.Session session = session("/mcp/s");
    McpHttp client = client("/mcp/s");
    assertThat(tools(session)).containsExactly("tool-0");
    assertThat(tools(client)).containsExactly("tool-0");
    try (McpHttp.Stream first = session.listen();
        McpHttp.Stream second = listen(client)) {
      silent = true;
      version.incrementAndGet();
      int before = peer.received("tools/list").size();
      peer.say(2, announcement(TOOLS, ""));
      peer.say(3, announcement(TOOLS, ""));
      await().until(() -> data(first, TOOLS).size() == 1 && data(second, TOOLS).size() == 1);
      CompletableFuture<McpHttp.Answer> ofSession =
          session.called(client("/mcp/s").request("tools/list", new JsonObject()));
      CompletableFuture<McpHttp.Answer> ofClient = listed(client);
      await().until(() -> peer.received("tools/list").size() == before + 2);
      assertThat(ofSession).isNotDone();
      assertThat(ofClient).isNotDone();
      silent = false;
      answer(peer, before, 2, 3);
      assertThat(McpHttp.names(ofSession.join().result(), "tools")).containsExactly("tool-1");
      assertThat(McpHttp.names(ofClient.join().result(), "tools")).containsExactly("tool-1");
    }
  }

  /** Answers the requests for tools from that one on; ids count for each connection. */
  private void answer(ScriptedPeer peer, int from, int... connections) {
    List<JsonObject> open = peer.received("tools/list");
    for (JsonObject one : open.subList(from, open.size())) {
      for (int connection : connections) {
        peer.say(
            connection, "{\"jsonrpc\":\"2.0\",\"id\":" + one.getValue("id") + "," + list() + "}");
      }
    }
  }

  @Test
  void a_reading_that_began_before_the_announcement_does_not_count() {
    ScriptedPeer peer = older();
    McpHttp client = client("/mcp/s");
    assertThat(tools(client)).containsExactly("tool-0");
    try (McpHttp.Stream stream = listen(client)) {
      silent = true;
      int before = peer.received("tools/list").size();
      peer.say(2, announcement(TOOLS, "\"n\":1"));
      await().until(() -> peer.received("tools/list").size() == before + 1);
      String old = list();
      version.incrementAndGet();
      peer.say(2, announcement(TOOLS, "\"n\":2"));
      await().until(() -> data(stream, TOOLS).size() == 2);
      CompletableFuture<McpHttp.Answer> listed = listed(client);
      JsonObject reading = peer.received("tools/list").get(before);
      silent = false;
      peer.say(2, "{\"jsonrpc\":\"2.0\",\"id\":" + reading.getValue("id") + "," + old + "}");
      assertThat(McpHttp.names(listed.join().result(), "tools")).containsExactly("tool-1");
    }
  }

  @Test
  void the_error_of_the_clients_own_session_stands_in_place_of_its_last_list_until_it_lists() {
    ScriptedPeer peer = older();
    McpHttp.Session session = session("/mcp/s");
    McpHttp client = client("/mcp/s");
    assertThat(tools(session)).containsExactly("tool-0");
    assertThat(tools(client)).containsExactly("tool-0");
    try (McpHttp.Stream first = session.listen();
        McpHttp.Stream second = listen(client)) {
      failing = 2;
      peer.say(2, announcement(TOOLS, ""));
      await().until(() -> data(first, TOOLS).size() == 1);
      assertThat(session.call("tools/list", new JsonObject()).body()).contains(REFUSAL);
      assertThat(tools(client)).as("another session").containsExactly("tool-0");
      failing = 0; // the host asks again by itself
      await().until(() -> data(first, TOOLS).size() == 2);
      assertThat(tools(session)).containsExactly("tool-0");
      failing = 3;
      peer.say(3, announcement(TOOLS, ""));
      await().until(() -> data(second, TOOLS).size() == 1);
      assertThat(listed(client).join().body()).contains(REFUSAL);
      failing = 0;
      await().until(() -> data(second, TOOLS).size() == 2);
      assertThat(tools(client)).containsExactly("tool-0");
    }
  }

  @Test
  void clients_of_a_server_that_they_share_get_each_one_too() {
    ScriptedPeer peer = Peers.discover(bus, "s", this::answer);
    McpHttp.Session session = session("/mcp/s");
    McpHttp.Session ofAll = session("/mcp");
    McpHttp client = client("/mcp/s");
    assertThat(tools(session)).containsExactly("tool-0");
    assertThat(tools(ofAll)).containsExactly("s__tool-0");
    try (McpHttp.Stream first = session.listen();
        McpHttp.Stream second = listen(client);
        McpHttp.Stream third = ofAll.listen()) {
      announceFive(peer, 1);
      await().until(() -> data(first, TOOLS).size() >= 5 && data(second, TOOLS).size() >= 5);
      assertThat(tools(session)).containsExactly("tool-1");
      assertThat(tools(client)).containsExactly("tool-1");
      await().until(() -> !data(third, TOOLS).isEmpty());
      assertThat(tools(ofAll)).containsExactly("s__tool-1");
      peer.say(1, announcement(PROMPTS, ""));
      await().until(() -> data(first, PROMPTS).size() + data(second, PROMPTS).size() == 2);
      assertThat(data(first, TOOLS)).isEqualTo(five(""));
      assertThat(data(second, TOOLS))
          .isEqualTo(five("\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":77},"));
      assertThat(data(third, TOOLS)).hasSize(1);
    }
  }

  @Test
  void the_list_of_a_server_that_clients_share_is_waited_for_too() {
    ScriptedPeer peer = Peers.connected(bus, "s", ScriptedPeer.discover(bus.vertx(), this::answer));
    McpHttp client = client("/mcp/s");
    assertThat(tools(client)).containsExactly("tool-0");
    try (McpHttp.Stream stream = listen(client)) {
      silent = true;
      version.incrementAndGet();
      int before = peer.received("tools/list").size();
      peer.say(1, announcement(TOOLS, ""));
      await().until(() -> data(stream, TOOLS).size() == 1);
      CompletableFuture<McpHttp.Answer> listed = listed(client);
      await().until(() -> peer.received("tools/list").size() > before);
      assertThat(listed).isNotDone();
      silent = false;
      answer(peer, before, 1);
      assertThat(McpHttp.names(listed.join().result(), "tools")).containsExactly("tool-1");
    }
  }

  @Test
  void at_a_view_of_all_servers_several_announcements_of_one_change_are_one() {
    ScriptedPeer peer = older();
    McpHttp.Session session = session("/mcp");
    assertThat(tools(session)).containsExactly("s__tool-0");
    try (McpHttp.Stream stream = session.listen()) {
      announceFive(peer, 1);
      await().until(() -> data(stream, TOOLS).size() == 1);
      assertThat(tools(session)).containsExactly("s__tool-1");
      // The second reading, after a pause, finds the same list.
      int readings = peer.received("tools/list").size();
      await().until(() -> peer.received("tools/list").size() > readings || readings > 3);
      announceFive(peer, 1);
      await().until(() -> data(stream, TOOLS).size() == 2);
      List<String> all = new ArrayList<>(data(stream, TOOLS));
      assertThat(all).hasSize(2).allMatch(one -> !one.contains("x.unknown"));
    }
  }
}
