package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.ROOT;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers that a caller adds at a door: by which names, and with which values of this process. */
class AddedServersTest {

  private DoorBed bed;

  /** Alice may everything but with {@code prod} and {@code b}. */
  @BeforeEach
  void start() {
    bed =
        new DoorBed(
            RecordCopy.with(
                TestOptions.ofKeys(
                    List.of(DoorBed.key("root", ROOT, true), DoorBed.key("alice", ALICE, true))),
                "policies",
                List.of(
                    new Policy(List.of(), List.of(), List.of(), Set.of(), Effect.ALLOW),
                    new Policy(
                        List.of("alice"),
                        List.of("prod", "b"),
                        List.of(),
                        Set.of(),
                        Effect.DENY))));
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private HttpResponse<String> add(String name, JsonObject entry) {
    return bed.send(
        "POST",
        "/api/servers",
        new JsonObject().put("name", name).put("config", entry).encode(),
        as(ALICE));
  }

  private static JsonObject lazy() {
    return new JsonObject().put("command", "true").put("lazy", true);
  }

  @Test
  void a_denied_server_is_added_by_no_other_spelling_of_its_name() {
    String absent = add("prod", lazy()).body();
    assertThat(absent).contains("UNKNOWN_CONNECTION");
    for (String name : List.of("PROD", "prod ", "\uff30rod", "_prod_", "prod/", "PROD--", "B")) {
      assertThat(add(name, lazy()).body()).as(name).isEqualTo(absent);
    }
    assertThat(bed.send("GET", "/api/servers", "", as(ROOT)).body()).doesNotContain("prod");
    assertThat(add("Prod 2", lazy()).statusCode()).isEqualTo(201);
  }

  @Test
  void a_name_that_is_taken_names_no_other_server() {
    assertThat(add("mine", lazy()).statusCode()).isEqualTo(201);
    assertThat(add("MINE", lazy()).body())
        .contains("a server 'mine' exists already")
        .doesNotContain("[", "\"b\"", " b,");
  }

  @Test
  void an_entry_gets_no_value_of_this_process_that_the_operator_did_not_list() {
    String home = System.getenv("PATH");
    for (JsonObject entry :
        List.of(
            new JsonObject().put("url", "http://127.0.0.1:9/${PATH}"),
            new JsonObject()
                .put("url", "http://127.0.0.1:9/")
                .put("headers", new JsonObject().put("K", "${env:PATH}")),
            lazy().put("args", new JsonArray().add("${PATH}")),
            lazy().put("envFile", "/etc/passwd"),
            new JsonObject(
                "{\"name\": \"io.x/y\", \"remotes\": [{\"type\": \"streamable-http\","
                    + " \"url\": \"http://127.0.0.1:9/{PATH}\", \"variables\": {\"PATH\":"
                    + " {\"isRequired\": true}}}]}"))) {
      HttpResponse<String> refused = add("sent", entry);
      assertThat(refused.statusCode()).as(entry.encode()).isEqualTo(400);
      assertThat(refused.body()).containsAnyOf("MCPBUS_VARS", "MCPBUS_INPUT_PATH");
      assertThat(refused.body()).doesNotContain(home);
    }
    JsonObject own = lazy().put("args", new JsonArray().add("${PATH}"));
    bed.bus.request(Addresses.SERVERS_ADD, new JsonObject().put("name", "own").put("config", own));
    assertThat(bed.send("GET", "/api/servers/own", "", as(ROOT)).statusCode())
        .as("a program on the bus may")
        .isEqualTo(200);
  }
}
