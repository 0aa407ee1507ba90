package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static dev.mcpbus.faults.DoorBed.ROOT;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Endings, output and calls are for administrators, each of them for the servers that it sees. */
class DiagnosticsRightsTest {

  private static final List<String> PATHS =
      List.of(
          "/api/servers/a/history",
          "/api/servers/a/logs",
          "/api/servers/a/calls",
          "/api/calls",
          "/api/config");

  @Test
  void callers_without_the_admin_right_get_nothing() throws IOException {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      for (String path : PATHS) {
        assertThat(bed.send("GET", path, "", as(ROOT)).statusCode()).as(path).isEqualTo(200);
        assertThat(bed.send("GET", path, "", as(ALICE)).statusCode()).as(path).isEqualTo(403);
        assertThat(bed.send("GET", path, "", as(BOB)).statusCode()).as(path).isEqualTo(403);
      }
      String cancel = "/api/servers/a/calls/1/cancel";
      assertThat(bed.send("POST", cancel, "", as(BOB)).statusCode()).isEqualTo(403);
      assertThat(bed.send("POST", cancel, "", as(ROOT)).statusCode()).isEqualTo(200);
      String drain = "/api/nodes/local/drain";
      assertThat(bed.send("POST", drain, "", as(BOB)).statusCode()).isEqualTo(403);
      assertThat(bed.send("POST", drain, "", as(ROOT)).body()).contains("not in a cluster");
      String log = "/api/servers/a/rpc-log";
      assertThat(bed.send("POST", log, "{\"mode\":\"bus\"}", as(BOB)).statusCode()).isEqualTo(403);
      assertThat(bed.send("POST", log, "{\"mode\":\"bus\"}", as(ROOT)).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void an_administrator_of_some_servers_sees_the_calls_of_those_alone() throws IOException {
    Policy all = new Policy(List.of("root"), List.of(), List.of(), Set.of(), Effect.ALLOW);
    Policy notB = new Policy(List.of("root"), List.of("b"), List.of(), Set.of(), Effect.DENY);
    try (DoorBed bed =
        new DoorBed(RecordCopy.with(DoorBed.keys(), "policies", List.of(all, notB)))) {
      JsonObject calls = new JsonObject(bed.send("GET", "/api/calls", "", as(ROOT)).body());
      assertThat(servers(calls.getJsonArray("recent"))).containsExactly("a");
      assertThat(bed.send("GET", "/api/servers/b/calls", "", as(ROOT)).statusCode()).isEqualTo(404);
      assertThat(bed.send("GET", "/api/servers/b/history", "", as(ROOT)).statusCode())
          .isEqualTo(404);
      String cancel = "/api/servers/b/calls/1/cancel";
      assertThat(bed.send("POST", cancel, "", as(ROOT)).statusCode()).isEqualTo(404);
    }
  }

  private static Policy metrics(String who, String server) {
    return new Policy(
        List.of(who),
        List.of(server),
        List.of(),
        Set.of(Action.METRICS, Action.CALL),
        Effect.ALLOW);
  }

  @Test
  void the_activity_is_of_the_servers_whose_metrics_the_caller_may_see() throws IOException {
    Policy rest = new Policy(List.of("bob"), List.of(), List.of(), Set.of(), Effect.ALLOW);
    Policy all = new Policy(List.of("root"), List.of(), List.of(), Set.of(), Effect.ALLOW);
    try (DoorBed bed =
        new DoorBed(
            RecordCopy.with(
                DoorBed.keys(), "policies", List.of(all, rest, metrics("alice", "a"))))) {
      for (String tool : List.of("a/tools/read_one", "b/tools/read_two")) {
        String call = "/api/servers/" + tool;
        assertThat(bed.send("POST", call, "{}", as(ROOT)).statusCode()).as(call).isEqualTo(200);
      }
      for (String path : List.of("/api/activity", "/api/servers/a/activity")) {
        assertThat(bed.send("GET", path, "", as(ROOT)).statusCode()).as(path).isEqualTo(200);
        assertThat(bed.send("GET", path, "", as(ALICE)).statusCode()).as(path).isEqualTo(200);
        assertThat(bed.send("GET", path, "", as(BOB)).statusCode()).as(path).isEqualTo(403);
      }
      assertThat(bed.send("GET", "/api/servers/b/activity", "", as(ALICE)).statusCode())
          .isEqualTo(404);
      assertThat(measured(bed, ROOT)).containsExactlyInAnyOrder("a", "b");
      assertThat(measured(bed, ALICE)).containsExactly("a");
    }
  }

  private static Set<String> measured(DoorBed bed, ApiKeys.Fresh key) throws IOException {
    return new JsonObject(bed.send("GET", "/api/activity", "", as(key)).body())
        .getJsonObject("servers")
        .fieldNames();
  }

  private static Set<String> servers(JsonArray calls) {
    Set<String> servers = new TreeSet<>();
    calls.forEach(call -> servers.add(((JsonObject) call).getString("server")));
    return servers;
  }
}
