package dev.mcpbus.directory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UnavailableReasonsTest {

  private final UnavailableReasons reach = new UnavailableReasons();
  private DirectorySnapshot servers =
      DirectorySnapshot.EMPTY.with(DirectoryEntry.of(new ConnectionId("a")));

  private void event(String json) {
    reach.event(new JsonObject(json).put("id", "a").put("time", "2026-11-23T10:00:00Z"));
  }

  private JsonArray notListed() {
    return reach.now(Map.of()).named(servers, ListKind.TOOLS, id -> true);
  }

  @Test
  void events_tell_the_state_the_reason_and_the_next_attempt() {
    event("{\"type\":\"stateChanged\",\"to\":\"RECONNECTING\"}");
    event("{\"type\":\"disconnected\",\"code\":\"UPSTREAM_EXITED\",\"message\":\"exit code 3\"}");
    event("{\"type\":\"restarting\",\"delay\":2000,\"attempt\":1}");
    assertThat(notListed())
        .containsExactly(
            new JsonObject()
                .put("server", "a")
                .put("state", "RECONNECTING")
                .put("reason", "UPSTREAM_EXITED: exit code 3")
                .put("nextAttempt", "2026-11-23T10:00:02Z"));
    event("{\"type\":\"stateChanged\",\"to\":\"FAILED\"}");
    event("{\"type\":\"gaveUp\",\"reprobe\":-1,\"message\":\"too often\"}");
    JsonObject failed = notListed().getJsonObject(0);
    assertThat(failed.getString("state")).isEqualTo("FAILED");
    assertThat(failed.containsKey("nextAttempt")).isFalse();
  }

  @Test
  void a_server_that_connects_has_only_not_listed_yet() {
    event("{\"type\":\"stateChanged\",\"to\":\"RECONNECTING\"}");
    event("{\"type\":\"connected\"}");
    assertThat(notListed().getJsonObject(0).getString("reason"))
        .isEqualTo("it has given no list of its tools so far");
  }

  @Test
  void a_list_that_failed_has_the_servers_own_error_as_its_reason() {
    event("{\"type\":\"connected\"}");
    servers =
        servers.with(
            DirectoryEntry.of(new ConnectionId("a"))
                .with(
                    ListKind.TOOLS,
                    McpFailure.upstream(new JsonRpcError(-32603, "fetch failed", null))));
    assertThat(notListed().getJsonObject(0).getString("reason"))
        .isEqualTo("UPSTREAM_ERROR: -32603 fetch failed");
    assertThat(reach.now(Map.of()).named(servers, ListKind.PROMPTS, id -> true).encode())
        .contains("it has given no list of its prompts so far");
  }

  @Test
  void a_status_tells_the_same() {
    reach.status(
        new JsonObject(
            "{\"id\":\"a\",\"state\":\"FAILED\",\"lastError\":{\"code\":\"START_FAILED\","
                + "\"message\":\"no such command\"},\"nextAttempt\":\"2026-11-23T10:00:09Z\"}"));
    JsonObject failed = notListed().getJsonObject(0);
    assertThat(failed.getString("reason")).isEqualTo("START_FAILED: no such command");
    assertThat(failed.getString("nextAttempt")).isEqualTo("2026-11-23T10:00:09Z");
    reach.status(new JsonObject("{\"id\":\"a\",\"state\":\"READY\"}"));
    assertThat(notListed().getJsonObject(0).containsKey("nextAttempt")).isFalse();
  }

  @Test
  void a_hundred_servers_are_named_and_a_long_reason_is_cut() {
    event("{\"type\":\"disconnected\",\"code\":\"X\",\"message\":\"" + "y".repeat(2_000) + "\"}");
    assertThat(notListed().getJsonObject(0).getString("reason")).hasSize(500);
    for (int i = 0; i < 150; i++) {
      servers = servers.with(DirectoryEntry.of(new ConnectionId("s" + i)));
    }
    assertThat(notListed()).hasSize(100);
    assertThat(reach.now(Map.of("x", "why")).named(servers, ListKind.TOOLS, List.of("x")::contains))
        .containsExactly(
            new JsonObject().put("server", "x").put("state", "LEFT_OUT").put("reason", "why"));
  }
}
