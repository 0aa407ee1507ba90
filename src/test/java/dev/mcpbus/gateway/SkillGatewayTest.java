package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.SkillPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Skills for MCP clients of both eras. Servers {@code one} (2025-11-25) and {@code two}
 * (2026-07-28) have a skill of the same URI, with other files; {@code two} has one more.
 */
class SkillGatewayTest {

  private static final String REFUNDS = "skill://acme/refunds/SKILL.md";

  private TestBus bus;
  private SkillPeer one;
  private SkillPeer two;

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
    one = SkillPeer.connected(bus, "one", false);
    two = SkillPeer.connected(bus, "two", true);
    one.skill("acme/refunds", "Refunds of one", "examples/email.md", "Dear one,\n");
    two.skill("acme/refunds", "Refunds of two", "examples/email.md", "Dear two,\n");
    two.skill("travel", "Where to go", "places/north.md", "North\n");
  }

  @AfterEach
  void stop() {
    bus.close();
  }

  /** A client of each era at an endpoint: method and params to the answer. */
  private List<BiFunction<String, JsonObject, McpHttp.Answer>> clients(String path) {
    McpHttp http = new McpHttp(bus.port(), path);
    McpHttp.Session session = http.initialize("2025-11-25", new JsonObject());
    return List.of(session::call, http::discover);
  }

  private static JsonObject of(String uri) {
    return new JsonObject().put("uri", uri);
  }

  private static List<JsonObject> objects(JsonArray all) {
    return all.stream().map(JsonObject.class::cast).toList();
  }

  @Test
  void at_the_endpoint_of_a_server_its_skills_are_as_it_gives_them() {
    for (SkillPeer server : List.of(one, two)) {
      for (var client : clients(server == one ? "/mcp/one" : "/mcp/two")) {
        JsonObject list = client.apply("skills/list", new JsonObject()).result();
        JsonObject skill = client.apply("skills/get", of(REFUNDS)).result();

        assertThat(objects(list.getJsonArray("skills")))
            .containsExactlyElementsOf(server.entries.values());
        assertThat(skill.getJsonObject("skill")).isEqualTo(server.entries.get(REFUNDS));
        assertThat(
                client.apply("skills/get", of("skill://none/SKILL.md")).error().getInteger("code"))
            .isEqualTo(-32602);
        JsonObject directory =
            client.apply("resources/directory/read", of("skill://acme/refunds")).result();
        assertThat(directory.getJsonArray("resources").getJsonObject(0).getString("uri"))
            .isEqualTo(REFUNDS);
      }
    }
  }

  @Test
  void each_client_gets_the_members_of_its_own_era() {
    for (String path : List.of("/mcp/one", "/mcp/two", "/mcp")) {
      var clients = clients(path);
      String uri =
          clients
              .get(0)
              .apply("skills/list", new JsonObject())
              .result()
              .getJsonArray("skills")
              .getJsonObject(0)
              .getString("uri");
      for (String method : List.of("skills/list", "skills/get")) {
        assertThat(clients.get(0).apply(method, of(uri)).result().fieldNames())
            .as(path + " " + method)
            .doesNotContain("resultType", "ttlMs", "cacheScope");
        assertThat(clients.get(1).apply(method, of(uri)).result().fieldNames())
            .as(path + " " + method)
            .contains("resultType", "ttlMs", "cacheScope");
      }
    }
  }

  @Test
  void the_endpoint_of_all_has_one_list_and_each_uri_leads_to_its_server() {
    for (var client : clients("/mcp")) {
      Map<String, JsonObject> skills = new TreeMap<>();
      for (JsonObject skill :
          objects(client.apply("skills/list", new JsonObject()).result().getJsonArray("skills"))) {
        skills.put(skill.getJsonObject("frontmatter").getString("description"), skill);
      }

      assertThat(skills).containsOnlyKeys("Refunds of one", "Refunds of two", "Where to go");
      assertThat(Objects.requireNonNull(skills.get("Refunds of two")).getString("uri"))
          .startsWith("skill://two/")
          .endsWith("/refunds/SKILL.md");
      assertThat(Objects.requireNonNull(skills.get("Where to go")).getString("uri"))
          .isEqualTo("skill://travel/SKILL.md");
      skills.forEach((description, skill) -> verify(client, description, skill));
    }
  }

  /** As a host does: the entry again, and each file against its digest. */
  private static void verify(
      BiFunction<String, JsonObject, McpHttp.Answer> client, String description, JsonObject skill) {
    String uri = skill.getString("uri");
    String root = uri.substring(0, uri.length() - "SKILL.md".length());
    assertThat(client.apply("skills/get", of(uri)).result().getJsonObject("skill"))
        .isEqualTo(skill);
    assertThat(
            client
                .apply("resources/directory/read", of(root.substring(0, root.length() - 1)))
                .result()
                .getJsonArray("resources")
                .getJsonObject(0)
                .getString("uri"))
        .isEqualTo(uri);
    for (JsonObject file : objects(skill.getJsonArray("resources"))) {
      String at = file.getString("uri");
      JsonObject content =
          client.apply("resources/read", of(at)).result().getJsonArray("contents").getJsonObject(0);
      assertThat(at).startsWith(root);
      assertThat(content.getString("uri")).isEqualTo(at);
      assertThat(SkillPeer.described(at, content.getString("text"))).isEqualTo(file);
    }
    assertThat(description).isNotEmpty();
  }

  @Test
  void a_skill_names_its_server_if_one_of_its_files_has_to() {
    one.skill("places", "Places of one", "north.md", "North of one\n");
    two.skill("travel/places/north.md", "No file but a skill", "x.md", "X\n");
    two.entry("skill://travel/SKILL.md")
        .getJsonArray("resources")
        .add(SkillPeer.described("skill://travel/places/north.md/SKILL.md", "?"));
    one.skill("travel/places/north.md", "The same", "y.md", "Y\n");

    JsonArray skills =
        clients("/mcp")
            .get(1)
            .apply("skills/list", new JsonObject())
            .result()
            .getJsonArray("skills");

    for (JsonObject skill : objects(skills)) {
      String uri = skill.getString("uri");
      String root = uri.substring(0, uri.length() - "SKILL.md".length());
      assertThat(objects(skill.getJsonArray("resources")))
          .allMatch(file -> file.getString("uri").startsWith(root));
    }
    assertThat(skills.encode())
        .contains("\"skill://places/SKILL.md\"", "\"skill://two/travel/SKILL.md\"");
  }

  @Test
  void no_list_reads_a_file() {
    for (String path : List.of("/mcp", "/mcp/one", "/mcp/two")) {
      clients(path).forEach(client -> client.apply("skills/list", new JsonObject()).result());
    }

    assertThat(one.peer().received("resources/read")).isEmpty();
    assertThat(two.peer().received("resources/read")).isEmpty();
  }

  @Test
  void an_entry_that_hosts_must_not_load_reaches_the_client_who_decides() {
    two.entry(REFUNDS).remove("resources");

    for (var client : clients("/mcp/two")) {
      JsonObject list = client.apply("skills/list", new JsonObject()).result();
      assertThat(list.getJsonArray("skills").getJsonObject(0)).isEqualTo(two.entry(REFUNDS));
    }
  }
}
