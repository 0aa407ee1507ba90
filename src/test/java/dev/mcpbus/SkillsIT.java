package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.ServerSkills;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.testing.Fixture;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.SkillPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Servers with skills on the official SDK, one of each era and over each transport, through every
 * door: each skill that is listed is loaded, file by file.
 */
class SkillsIT {

  private static final String DAILY = "skill://daily-report/SKILL.md";

  private static Fixture fixture;
  private static TestBus bus;

  @TempDir static Path notes;

  @BeforeAll
  static void start() {
    fixture = new Fixture(notes);
    bus = fixture.served("old", "new", "http");
  }

  @AfterAll
  static void close() {
    bus.close();
    fixture.close();
  }

  private static List<JsonObject> objects(JsonArray all) {
    return all.stream().map(JsonObject.class::cast).toList();
  }

  private static JsonObject of(String uri) {
    return new JsonObject().put("uri", uri);
  }

  /** The one content of a result: its size and digest, under the URI that was asked for. */
  private static JsonObject digested(String uri, JsonObject result) {
    JsonObject content = result.getJsonArray("contents").getJsonObject(0);
    assertThat(content.getString("uri")).isEqualTo(uri);
    String text = content.getString("text");
    return SkillPeer.described(
        uri,
        text == null
            ? Base64.getDecoder().decode(content.getString("blob"))
            : text.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource({"old", "new"})
  void callers_of_the_bus_load_each_listed_skill_and_one_that_no_list_has(String id) {
    ServerSkills skills = ServerSkills.of(McpClient.create(bus.vertx()).server(id));
    List<JsonObject> listed = TestBus.await(skills.list());

    assertThat(listed).hasSize(3);
    for (JsonObject skill : listed) {
      assertThat(TestBus.await(skills.get(skill.getString("uri")))).isEqualTo(skill);
      for (JsonObject file : objects(skill.getJsonArray("resources"))) {
        JsonObject read = TestBus.await(skills.read(skill, file.getString("uri")));
        assertThat(digested(file.getString("uri"), read)).isEqualTo(file);
        assertThat(read.getJsonObject("_meta").getJsonObject(MetaKeys.SKILL).getBoolean("verified"))
            .isTrue();
      }
    }
    JsonObject daily = TestBus.await(skills.read(DAILY, "SKILL.md"));
    assertThat(daily.getJsonObject("_meta").getJsonObject(MetaKeys.SKILL).getBoolean("verified"))
        .isFalse();
    JsonObject directory =
        bus.request(
            address(id, Addresses.RESOURCES_DIRECTORY), of("skill://pdf-processing/templates"));
    assertThat(directory.getJsonArray("resources")).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"old", "new"})
  void so_do_callers_of_rest(String id) {
    String base = "/api/servers/" + id + "/skills";
    for (JsonObject skill : objects(get(base).getJsonArray("skills"))) {
      String uri = skill.getString("uri");
      String query = "?uri=" + URLEncoder.encode(uri, StandardCharsets.UTF_8);
      assertThat(get(base + "/get" + query).getJsonObject("skill")).isEqualTo(skill);
      for (JsonObject file : objects(skill.getJsonArray("resources"))) {
        String at = file.getString("uri");
        String path = at.substring(uri.length() - "SKILL.md".length());
        assertThat(digested(at, get(base + "/read" + query + "&path=" + path))).isEqualTo(file);
      }
    }
    assertThat(get("/api/skills").getJsonArray("skills")).hasSize(6);
  }

  private static JsonObject get(String path) {
    Http.Answer answer =
        Http.get(bus.port(), path, Http.admin(Objects.requireNonNull(bus.bus().adminToken())));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  @ParameterizedTest(name = "{0}, {1} client")
  @CsvSource({
    "/mcp/old,2025-11-25,3",
    "/mcp/old,2026-07-28,3",
    "/mcp/new,2025-11-25,3",
    "/mcp/new,2026-07-28,3",
    "/mcp,2025-11-25,6",
    "/mcp,2026-07-28,6"
  })
  void so_do_mcp_clients(String path, String revision, int size) {
    McpHttp http = new McpHttp(bus.port(), path);
    BiFunction<String, JsonObject, McpHttp.Answer> client =
        revision.equals("2026-07-28")
            ? http::discover
            : http.initialize(revision, new JsonObject())::call;
    Map<String, JsonObject> skills = new LinkedHashMap<>();
    for (JsonObject skill :
        objects(client.apply("skills/list", new JsonObject()).result().getJsonArray("skills"))) {
      skills.put(skill.getString("uri"), skill);
    }

    assertThat(skills).hasSize(size);
    skills.forEach(
        (uri, skill) -> {
          assertThat(client.apply("skills/get", of(uri)).result().getJsonObject("skill"))
              .isEqualTo(skill);
          for (JsonObject file : objects(skill.getJsonArray("resources"))) {
            String at = file.getString("uri");
            assertThat(digested(at, client.apply("resources/read", of(at)).result()))
                .isEqualTo(file);
          }
        });
  }
}
