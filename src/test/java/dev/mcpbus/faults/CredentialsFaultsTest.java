package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static dev.mcpbus.faults.DoorBed.ROOT;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.Reload;
import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.PrincipalCredentials;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What callers store for themselves, and what others can do with it. */
class CredentialsFaultsTest {

  private static final String PATH = "/api/credentials";

  private static HttpResponse<String> set(DoorBed bed, ApiKeys.Fresh who, String id, String text) {
    return bed.send("PUT", PATH + "/" + id, new JsonObject().put("secret", text).encode(), as(who));
  }

  private static JsonArray list(DoorBed bed, ApiKeys.Fresh who, String query) {
    return new JsonObject(bed.send("GET", PATH + query, "", as(who)).body())
        .getJsonArray("credentials");
  }

  private static int removed(DoorBed bed, ApiKeys.Fresh who, String rest) {
    return new JsonObject(bed.send("DELETE", PATH + rest, "", as(who)).body())
        .getInteger("removed");
  }

  @Test
  void each_caller_has_its_own_and_an_admin_lists_and_removes_those_of_others() {
    try (DoorBed bed = new DoorBed(RecordCopy.with(DoorBed.policies(), "audit", true))) {
      assertThat(set(bed, ALICE, "a", "canary-alice").statusCode()).isEqualTo(200);
      assertThat(set(bed, BOB, "a", "canary-bob").statusCode()).isEqualTo(200);
      assertThat(list(bed, ALICE, "")).hasSize(1);
      assertThat(list(bed, ROOT, "")).isEmpty();
      assertThat(list(bed, ROOT, "?principal=alice")).hasSize(1);
      for (String method : List.of("GET", "DELETE")) {
        HttpResponse<String> others = bed.send(method, PATH + "?principal=alice", "", as(BOB));
        assertThat(others.statusCode()).isEqualTo(403);
        assertThat(others.body()).contains("need the admin right");
      }
      assertThat(bed.send("DELETE", PATH + "/a?principal=alice", "", as(BOB)).statusCode())
          .isEqualTo(403);
      HttpResponse<String> foreign =
          bed.send("PUT", PATH + "/a?principal=alice", "{\"secret\":\"canary\"}", as(ROOT));
      assertThat(foreign.statusCode()).isEqualTo(400);
      assertThat(removed(bed, BOB, "/a")).isEqualTo(1);
      assertThat(removed(bed, BOB, "/a")).isZero();
      assertThat(list(bed, ALICE, "")).hasSize(1);
      assertThat(removed(bed, ROOT, "/a?principal=alice")).isEqualTo(1);
      assertThat(list(bed, ALICE, "")).isEmpty();
      assertThat(bed.audit())
          .anyMatch(
              line ->
                  "setCredential".equals(line.getString("operation"))
                      && "alice".equals(line.getString("principal"))
                      && "a".equals(line.getString("server")))
          .anyMatch(line -> "removeCredential".equals(line.getString("operation")));
      assertThat(bed.everythingLogged()).doesNotContain("canary");
    }
  }

  @Test
  void what_a_caller_does_not_see_is_not_there_and_no_refusal_has_the_secret() {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      HttpResponse<String> hidden = set(bed, ALICE, "b", "canary");
      HttpResponse<String> absent = set(bed, ALICE, "nowhere", "canary");
      assertThat(hidden.statusCode()).isEqualTo(404);
      assertThat(hidden.body().replace("\"b\"", "")).isEqualTo(absent.body());
      for (String body :
          List.of(
              "{\"secret\":\"\"}",
              "{\"secret\":[\"canary\"]}",
              "{\"secret\":\"canary",
              "{\"Secret\":\"canary\"}",
              "\"canary\"",
              "",
              "{\"secret\":\"" + "canary".repeat(3_000) + "\"}",
              "{\"secret\":\"" + "canary".repeat(60_000) + "\"}")) {
        HttpResponse<String> refused = bed.send("PUT", PATH + "/a", body, as(ALICE));
        assertThat(refused.statusCode()).as(refused.body()).isIn(400, 413);
        assertThat(refused.body()).doesNotContain("canary");
      }
      assertThat(list(bed, ALICE, "")).isEmpty();
      assertThat(bed.everythingLogged()).doesNotContain("canary");
    }
  }

  @Test
  void a_key_that_a_reload_removes_takes_what_it_has_stored_along() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      set(bed, ALICE, "a", "x");
      set(bed, BOB, "a", "x");
      TestBus.await(
          Reload.of(
              bed.bus.bus(),
              new ConfigDiff(
                  List.of(),
                  List.of(),
                  List.of(),
                  List.of(),
                  TestOptions.ofKeys(
                      DoorBed.keys().apiKeys().stream()
                          .filter(key -> !key.name().equals("bob"))
                          .toList()),
                  List.of())));
      await().until(() -> list(bed, ROOT, "?principal=bob").isEmpty());
      assertThat(list(bed, ALICE, "")).hasSize(1);
    }
  }

  @Test
  void a_program_on_the_bus_says_whose_they_are() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      McpClient client = McpClient.create(bed.bus.vertx());
      PrincipalCredentials alice = PrincipalCredentials.of(client, "alice");
      TestBus.await(alice.set("a", "x"));
      assertThat(list(bed, ALICE, "")).hasSize(1);
      assertThat(TestBus.await(alice.list()).get(0).getString("kind")).isEqualTo("secret");
      assertThat(TestBus.await(alice.remove("a"))).isTrue();
      assertThat(TestBus.await(alice.remove("a"))).isFalse();
      assertThatThrownBy(() -> bed.bus.request(Addresses.CREDENTIALS_LIST, new JsonObject()))
          .hasMessageContaining("must name whose credentials");
      assertThatThrownBy(() -> TestBus.await(alice.set("nowhere", "x")))
          .hasMessageContaining("there is no server 'nowhere'");
    }
  }
}
