package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.faults.DoorBed.Route;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.security.AuthOptions;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Without {@code auth}: who may start a process on this machine. */
class AdminTokenFaultsTest {

  private static final String WRONG = "mcpbus_" + "A".repeat(43);

  private static DoorBed bed;
  private static String token;

  @BeforeAll
  static void start() {
    bed = new DoorBed(BridgeOptions.DEFAULT.withPort(0), GatewayOptions.DEFAULT, AuthOptions.NONE);
    token = Objects.requireNonNull(bed.bus.bus().adminToken());
  }

  @AfterAll
  static void end() {
    bed.close();
  }

  private static List<Route> routes(String action) {
    List<Route> routes = bed.routes();
    routes.removeIf(route -> route.action().equals("admin") != action.equals("admin"));
    routes.removeIf(route -> route.path().equals("/api/events")); // stays open
    return routes;
  }

  @Test
  void what_changes_what_runs_needs_the_token_and_all_else_does_not() {
    List<Route> admin = routes("admin");
    assertThat(admin).hasSizeGreaterThanOrEqualTo(8);
    for (Route route : admin) {
      for (String[] credential :
          new String[][] {
            {},
            {"Authorization", "Bearer something-else"},
            {"Authorization", "Basic " + token.substring(7)},
            {"X-Api-Key", ""},
            {"Cookie", "token=" + token},
            {"Sec-WebSocket-Protocol", token}
          }) {
        HttpResponse<String> answer =
            bed.send(route.method(), route.path() + "?token=" + token, "{}", credential);
        assertThat(answer.statusCode()).as(route + " " + answer.body()).isEqualTo(403);
        assertThat(answer.body()).contains("FORBIDDEN", "admin token").doesNotContain(token);
      }
    }
    for (Route route : routes("other")) {
      // A parameter that some do not have, so that none of them waits long.
      HttpResponse<String> answer = bed.send(route.method(), route.path() + "?timeout=300", "{}");
      assertThat(answer.statusCode()).as(route + " " + answer.body()).isNotIn(401, 403);
    }
  }

  @Test
  void a_key_of_ours_that_is_wrong_is_told_so_wherever_it_is_sent() {
    List<Route> all = bed.routes();
    all.removeIf(route -> route.path().startsWith("/health/"));
    for (Route route : all) {
      for (String[] credential :
          new String[][] {
            {"Authorization", "Bearer " + WRONG},
            {"X-Api-Key", WRONG},
            {"X-Api-Key", token + "x"},
            {"Authorization", "Bearer " + token, "X-Api-Key", token},
            {"Authorization", "Bearer " + token, "Authorization", "Bearer " + token},
            {"Authorization", "Basic " + token},
          }) {
        HttpResponse<String> answer = bed.send(route.method(), route.path(), "{}", credential);
        assertThat(answer.statusCode()).as(route.toString()).isEqualTo(401);
        assertThat(answer.body()).doesNotContain(token);
      }
    }
  }

  @Test
  void with_the_token_servers_are_stopped_and_started() {
    List<String> seen = new ArrayList<>();
    for (String header : new TreeSet<>(List.of("Authorization", "X-Api-Key"))) {
      String value = header.equals("X-Api-Key") ? token : "Bearer " + token;
      seen.add("" + bed.send("POST", "/api/servers/b/restart", "", header, value).statusCode());
    }
    assertThat(seen).containsExactly("200", "200");
  }

  @Test
  void raw_methods_give_nobody_the_admin_right() {
    String level =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\","
            + "\"params\":{\"level\":\"debug\",\"serverId\":\"a\"}}";
    for (String request : List.of(level, level.replace("logging/setLevel", "odd/method"))) {
      String path = "/rpc?timeout=300"; // the server is silent where it knows nothing
      assertThat(bed.send("POST", path, request).body()).contains("FORBIDDEN");
      assertThat(bed.send("POST", path, request, "X-Api-Key", token).body())
          .doesNotContain("FORBIDDEN");
    }
    String odd = "{\"method\":\"odd/method\",\"params\":{}}";
    assertThat(bed.send("POST", "/api/servers/a/request", odd).statusCode()).isEqualTo(403);
  }

  @Test
  void a_socket_gives_nobody_the_admin_right_even_with_the_token() {
    for (String[] credential : new String[][] {{}, {"X-Api-Key", token}}) {
      long rejected = 0;
      try (Listening socket = new Listening(bed, "a", credential)) {
        JsonObject body =
            new JsonObject()
                .put("id", "a")
                .put("name", "c")
                .put("config", new JsonObject().put("command", "true"))
                .put("level", "debug")
                .put("method", "tools/list");
        for (String address :
            List.of(
                "mcp.servers.add",
                "mcp.servers.remove",
                "mcp.a.restart",
                "mcp.a.disconnect",
                "mcp.a.connect",
                "mcp.a.loglevel",
                "mcp.a.rpclog",
                "mcp.servers.nodes.drain",
                "mcp.a.tools.drift.approve",
                "mcp.a.request")) {
          String reply = socket.start(address, body, new JsonObject());
          rejected++;
          long all = rejected;
          await().until(() -> rejections(socket) == all || !socket.answers(reply).isEmpty());
          assertThat(socket.answers(reply)).as(address).isEmpty();
        }
      }
    }
    assertThat(bed.bus.status("a").getString("state")).isEqualTo("READY");
  }

  private static long rejections(Listening socket) {
    return socket.frames.stream()
        .filter(frame -> "rejected".equals(frame.getValue("body")))
        .count();
  }

  @Test
  void each_mcpbus_has_a_token_of_its_own() {
    try (DoorBed other =
        new DoorBed(BridgeOptions.DEFAULT.withPort(0), GatewayOptions.DEFAULT, AuthOptions.NONE)) {
      assertThat(other.bus.bus().adminToken()).isNotEqualTo(token).hasSize(7 + 43);
      assertThat(other.send("POST", "/api/servers/a/restart", "", "X-Api-Key", token).statusCode())
          .isEqualTo(401);
    }
  }

  @Test
  void where_callers_log_in_there_is_no_token() {
    try (DoorBed keys = new DoorBed(DoorBed.keys())) {
      assertThat(keys.bus.bus().adminToken()).isNull();
    }
  }
}
