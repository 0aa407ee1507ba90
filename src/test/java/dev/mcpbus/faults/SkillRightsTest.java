package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.directory.ViewOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.SkillPeer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Alice may read what is below {@code skill://open/} at the server {@code s}, but not its {@code
 * private.md}: lists show it, and each door decides on the file that is read.
 */
class SkillRightsTest {

  private static final String OPEN = "skill://open/SKILL.md";
  private static final String CLOSED = "skill://closed/SKILL.md";

  private final DoorBed bed =
      new DoorBed(
          BridgeOptions.DEFAULT.withPort(0),
          RecordCopy.with(
              GatewayOptions.DEFAULT,
              "views",
              Map.of(
                  "some",
                  new ViewOptions(
                      List.of(),
                      List.of(),
                      List.of("s.*/inner*"),
                      Map.of(),
                      false,
                      false,
                      List.of()))),
          auth());
  private final SkillPeer peer = new SkillPeer(bed.bus.vertx(), true);

  private static AuthOptions auth() {
    List<String> alice = List.of("alice");
    List<String> at = List.of("s");
    return RecordCopy.with(
        DoorBed.keys(),
        "policies",
        List.of(
            new Policy(alice, at, List.of("skill://open/*"), Set.of(), Effect.ALLOW),
            new Policy(alice, at, List.of("*private.md"), Set.of(Action.READ), Effect.DENY)));
  }

  @BeforeEach
  void start() {
    peer.skill("open", "Open", "a.md", "A\n", "private.md", "P\n");
    peer.skill("closed", "Closed", "a.md", "C\n");
    bed.bus.add("s", peer.peer().transport(), ConnectionOptions.DEFAULT, Duration.ofMillis(100));
    bed.bus.awaitState("s", "READY");
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private HttpResponse<String> get(String path, String... query) {
    StringBuilder all = new StringBuilder(path);
    for (int i = 0; i < query.length; i += 2) {
      all.append(i == 0 ? '?' : '&')
          .append(query[i])
          .append('=')
          .append(URLEncoder.encode(query[i + 1], StandardCharsets.UTF_8));
    }
    return bed.send("GET", all.toString(), "", as(ALICE));
  }

  private static List<String> uris(JsonArray skills) {
    return skills.stream().map(skill -> ((JsonObject) skill).getString("uri")).toList();
  }

  @Test
  void lists_have_what_the_caller_may_read() {
    for (String path : List.of("/api/skills", "/api/servers/s/skills")) {
      assertThat(uris(new JsonObject(get(path).body()).getJsonArray("skills")))
          .as(path)
          .containsExactly(OPEN);
    }
    for (String path : List.of("/mcp", "/mcp/s")) {
      JsonObject list = bed.discover(path, "skills/list", new JsonObject(), as(ALICE)).result();
      assertThat(uris(list.getJsonArray("skills"))).as(path).containsExactly(OPEN);
    }
  }

  @Test
  void a_search_shows_what_the_caller_may_read() {
    JsonObject found = new JsonObject(get("/api/tools/search", "q", "", "skills", "true").body());

    assertThat(uris(found.getJsonArray("skills"))).containsExactly(OPEN);
  }

  @Test
  void rest_decides_on_the_file_that_is_read() {
    String read = "/api/servers/s/skills/read";

    assertThat(get(read, "uri", OPEN, "path", "a.md").statusCode()).isEqualTo(200);
    assertThat(get("/api/servers/s/skills/get", "uri", OPEN).statusCode()).isEqualTo(200);
    int before = peer.peer().messages().size();
    assertThat(get(read, "uri", OPEN, "path", "private.md").body()).contains("not found");
    assertThat(get(read, "uri", OPEN, "path", "skill://open/private.md").body())
        .contains("not found");
    assertThat(get(read, "uri", CLOSED).body()).contains("not found");
    assertThat(get(read, "uri", OPEN, "path", "../closed/a.md").statusCode()).isNotEqualTo(200);
    assertThat(get("/api/servers/s/skills/get", "uri", CLOSED).body()).contains("not found");
    assertThat(get("/api/servers/s/resources/directory", "uri", "skill://closed").body())
        .contains("not found");
    assertThat(peer.peer().messages()).hasSize(before);
  }

  @Test
  void a_directory_shows_what_the_caller_may_read() {
    JsonObject directory = new JsonObject().put("uri", "skill://open/x");
    peer.children.addAll(List.of("a.md", "private.md"));

    for (String path : List.of("/mcp", "/mcp/s")) {
      JsonObject seen =
          bed.discover(path, "resources/directory/read", directory, as(ALICE)).result();
      assertThat(uris(seen.getJsonArray("resources")))
          .as(path)
          .containsExactly("skill://open/x/SKILL.md", "skill://open/x/a.md");
      assertThat(seen.getString("cacheScope")).isEqualTo("private");
    }
    assertThat(get("/api/servers/s/resources/directory", "uri", "skill://open/x").body())
        .contains("a.md")
        .doesNotContain("private.md");
  }

  @Test
  void a_view_decides_on_the_directories_of_a_skill() {
    peer.children.add("a.md");
    for (String inner : List.of("skill://open/inner", "skill://open/x/../inner")) {
      assertThat(
              bed.discover(
                      "/mcp/some",
                      "resources/directory/read",
                      new JsonObject().put("uri", inner),
                      as(ALICE))
                  .error()
                  .getInteger("code"))
          .isEqualTo(-32602);
    }
    assertThat(peer.peer().received("resources/directory/read")).isEmpty();
    JsonObject other = new JsonObject().put("uri", "skill://open/other");
    assertThat(bed.discover("/mcp/some", "resources/directory/read", other, as(ALICE)).result())
        .isNotNull();
  }

  @Test
  void so_does_the_gateway() {
    for (String path : List.of("/mcp", "/mcp/s")) {
      McpHttp.Session session = bed.mcp(path).initialize("2025-11-25", new JsonObject(), as(ALICE));
      JsonObject open = new JsonObject().put("uri", OPEN);
      JsonObject closed = new JsonObject().put("uri", CLOSED);
      JsonObject directory = new JsonObject().put("uri", "skill://closed");

      assertThat(session.call("skills/get", open).result().getJsonObject("skill"))
          .isEqualTo(peer.entries.get(OPEN));
      assertThat(session.call("skills/get", closed).error().getInteger("code")).isEqualTo(-32602);
      assertThat(bed.discover(path, "skills/get", closed, as(ALICE)).error().getInteger("code"))
          .isEqualTo(-32602);
      assertThat(session.call("resources/directory/read", directory).error()).isNotNull();
    }
    assertThat(peer.peer().messages().toString()).doesNotContain("skill://closed");
  }
}
