package dev.mcpbus.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.gateway.Peers;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that keeps sessions may list other things to each of them. */
class ClientListsTest {

  private final Set<Integer> unlocked = ConcurrentHashMap.newKeySet();
  private TestBus bus;
  private ScriptedPeer peer;

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
    peer =
        Peers.initialize(
            bus,
            "s",
            (method, params, connection) ->
                switch (method) {
                  case "tools/list" ->
                      unlocked.contains(connection)
                          ? Peers.tools("plain", "extra")
                          : Peers.tools("plain");
                  case "tools/call" -> Peers.text(params.getString("name") + " " + connection);
                  default -> null;
                });
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private McpHttp.Session session() {
    return new McpHttp(bus.port(), "/mcp").initialize();
  }

  private static List<String> tools(McpHttp.Session session) {
    return McpHttp.names(session.call("tools/list", new JsonObject()).result(), "tools");
  }

  private static String call(McpHttp.Session session, String tool) {
    return McpHttp.text(session.call("tools/call", Peers.call(tool)).result());
  }

  @Test
  void what_a_server_shows_to_one_session_alone_is_listed_once_that_has_its_connection() {
    unlocked.add(2);
    McpHttp.Session session = session();
    McpHttp.Session other = session();
    assertThat(tools(session)).containsExactly("s__plain");
    assertThat(tools(other)).containsExactly("s__plain");
    try (McpHttp.Stream stream = session.listen();
        McpHttp.Stream nothing = other.listen()) {
      assertThat(call(session, "s__plain")).isEqualTo("plain 2");
      await().until(() -> stream.methods().contains("notifications/tools/list_changed"));
      assertThat(tools(session)).containsExactly("s__plain", "s__extra");
      assertThat(call(session, "s__extra")).isEqualTo("extra 2");
      assertThat(call(other, "s__plain")).isEqualTo("plain 3");
      assertThat(tools(other)).containsExactly("s__plain");
      assertThat(nothing.messages()).isEmpty();
    }
  }

  @Test
  void a_change_of_the_sessions_own_connection_reaches_its_client_alone() {
    McpHttp.Session other = session();
    McpHttp.Session session = session();
    tools(other);
    tools(session);
    try (McpHttp.Stream stream = session.listen();
        McpHttp.Stream nothing = other.listen()) {
      call(other, "s__plain");
      call(session, "s__plain");
      await().until(() -> peer.received("tools/list").size() >= 3);
      unlocked.add(3);
      peer.notify("notifications/tools/list_changed", new JsonObject());
      await().until(() -> stream.methods().contains("notifications/tools/list_changed"));
      assertThat(tools(session)).containsExactly("s__plain", "s__extra");
      assertThat(tools(other)).containsExactly("s__plain");
      assertThat(nothing.messages()).isEmpty();
    }
  }

  @Test
  void where_nothing_differs_nothing_is_told() {
    McpHttp.Session session = session();
    assertThat(tools(session)).containsExactly("s__plain");
    try (McpHttp.Stream stream = session.listen()) {
      call(session, "s__plain");
      await().until(() -> peer.received("tools/list").size() >= 2);
      assertThat(tools(session)).containsExactly("s__plain");
      assertThat(stream.messages()).isEmpty();
    }
  }
}
