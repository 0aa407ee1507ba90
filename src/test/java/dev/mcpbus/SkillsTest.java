package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.ServerSkills;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.SkillEntry;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.SkillPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Skills for callers of the bus and of REST. Servers {@code one} (2025-11-25) and {@code two}
 * (2026-07-28) have a skill of the same URI, with other files.
 */
class SkillsTest {

  private TestBus bus;
  private SkillPeer one;
  private SkillPeer two;
  private String refunds = "";

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
    one = SkillPeer.connected(bus, "one", false);
    two = SkillPeer.connected(bus, "two", true);
    refunds = one.skill("acme/refunds", "Refunds of one", "examples/email.md", "Dear one,\n");
    two.skill("acme/refunds", "Refunds of two", "examples/email.md", "Dear two,\n");
    two.skill("travel", "Where to go");
  }

  @AfterEach
  void stop() {
    bus.close();
  }

  private JsonObject list(String address) {
    return bus.request(address, new JsonObject());
  }

  private JsonObject wanted(String path) {
    return new JsonObject().put("uri", refunds).put("path", path);
  }

  private JsonObject read(String id, JsonObject wanted) {
    return bus.request(address(id, Addresses.SKILLS_READ), wanted);
  }

  private McpFailure refused(String id, JsonObject wanted) {
    return bus.failure(address(id, Addresses.SKILLS_READ), wanted);
  }

  private static String text(JsonObject result) {
    return result.getJsonArray("contents").getJsonObject(0).getString("text");
  }

  private static JsonObject mark(JsonObject result) {
    return result.getJsonObject("_meta").getJsonObject(MetaKeys.SKILL);
  }

  // ---- lists

  @Test
  void the_list_of_a_server_is_what_the_server_lists_and_reads_no_file() {
    assertThat(list(address("one", Addresses.SKILLS_LIST)).getJsonArray("skills"))
        .containsExactly(one.entry(refunds));

    list(Addresses.ALL_SKILLS_LIST);
    assertThat(one.peer().received("resources/read")).isEmpty();
    assertThat(two.peer().received("resources/read")).isEmpty();
  }

  @Test
  void the_list_of_all_names_the_server_of_each_and_why_an_entry_is_left_out() {
    two.entry("skill://travel/SKILL.md").remove("resources");

    JsonObject all = list(Addresses.ALL_SKILLS_LIST);

    Map<String, String> descriptions =
        all.getJsonArray("skills").stream()
            .map(JsonObject.class::cast)
            .collect(
                Collectors.toMap(
                    entry -> entry.getJsonObject("_meta").getString(MetaKeys.SERVER),
                    entry -> entry.getJsonObject("frontmatter").getString("description")));
    assertThat(descriptions)
        .containsOnly(Map.entry("one", "Refunds of one"), Map.entry("two", "Refunds of two"));
    assertThat(all.getJsonObject("_meta").getJsonArray(MetaKeys.PROBLEMS).encode())
        .contains("\"two\"", "skill://travel/SKILL.md", "its resources are neither a list");
  }

  @Test
  void a_server_without_the_extension_has_an_empty_list_and_is_asked_nothing() {
    bus.add(
        "plain",
        new ScriptedPeer(
                bus.vertx(),
                (method, params, connection) ->
                    method.equals("initialize")
                        ? ScriptedPeer.INITIALIZED
                        : ScriptedPeer.error(-32601, "no"))
            .transport(),
        ConnectionOptions.DEFAULT,
        Duration.ofMillis(100));
    bus.awaitState("plain", "READY");

    assertThat(list(address("plain", Addresses.SKILLS_LIST)))
        .isEqualTo(new JsonObject().put("skills", new JsonArray()));
    assertThat(refused("plain", wanted("SKILL.md")).code()).isEqualTo(FailureCode.METHOD_NOT_FOUND);
  }

  @Test
  void a_thousand_skills_are_listed() {
    for (int i = 0; i < 1_000; i++) {
      two.skill("many/s" + i, "Skill " + i);
    }

    assertThat(list(address("two", Addresses.SKILLS_LIST)).getJsonArray("skills")).hasSize(1_002);
    assertThat(list(Addresses.ALL_SKILLS_LIST).getJsonArray("skills")).hasSize(1_003);
  }

  @Test
  void a_search_finds_skills_beside_tools_if_it_asks_for_them() {
    JsonObject plain = bus.request(Addresses.ALL_TOOLS_SEARCH, query("where to go"));
    assertThat(plain.fieldNames()).containsExactlyInAnyOrder("tools", "total");
    assertThat(two.peer().received("skills/list")).isEmpty();

    JsonObject found =
        bus.request(Addresses.ALL_TOOLS_SEARCH, query("where to go").put("skills", true));
    assertThat(found.getJsonArray("skills").getJsonObject(0))
        .isEqualTo(
            new JsonObject()
                .put("uri", "skill://travel/SKILL.md")
                .put("server", "two")
                .put("name", "travel")
                .put("description", "Where to go")
                .put("score", found.getJsonArray("skills").getJsonObject(0).getValue("score")));
    JsonObject acme =
        bus.request(
            Addresses.ALL_TOOLS_SEARCH,
            query("acme").put("skills", true).put("servers", new JsonArray().add("one")));
    assertThat(acme.getJsonArray("skills").encode()).contains("Refunds of one");
    assertThat(acme.getJsonArray("skills")).hasSize(1);
  }

  private static JsonObject query(String words) {
    return new JsonObject().put("query", words);
  }

  // ---- reading

  @Test
  void a_file_comes_as_the_server_gives_it_with_what_was_checked() {
    for (String id : List.of("one", "two")) {
      JsonObject file = read(id, wanted("examples/email.md"));

      assertThat(text(file)).isEqualTo("Dear " + id + ",\n");
      assertThat(mark(file).getString("uri")).isEqualTo(refunds);
      assertThat(mark(file).getBoolean("verified")).isTrue();
      assertThat(mark(file).getString("digest"))
          .isEqualTo(SkillPeer.described("x", "Dear " + id + ",\n").getString("digest"));
    }
    assertThat(text(read("one", new JsonObject().put("uri", refunds)))).startsWith("---\n");
    JsonObject at = wanted("examples/email.md").put("server", "two");
    JsonObject file = bus.request(Addresses.ALL_SKILLS_READ, at);
    assertThat(text(file)).isEqualTo("Dear two,\n");
    assertThat(file.getJsonObject("_meta").getString(MetaKeys.SERVER)).isEqualTo("two");
  }

  @Test
  void a_request_of_all_servers_that_names_none_is_refused_at_once() {
    for (Object body : new Object[] {null, "text", new JsonObject(), Buffer.buffer("[]")}) {
      McpFailure failure = bus.failure(Addresses.ALL_SKILLS_READ, body);
      assertThat(failure.code()).as(String.valueOf(body)).isEqualTo(FailureCode.BAD_REQUEST);
      assertThat(failure).hasMessageContaining("\"server\"");
    }
  }

  @Test
  void a_file_that_is_not_what_its_entry_says_is_not_passed_on() {
    one.gives("skill://acme/refunds/examples/email.md", "Evil one,\n");
    McpFailure digest = refused("one", wanted("examples/email.md"));
    one.gives("skill://acme/refunds/examples/email.md", "Dear one, and more\n");
    McpFailure size = refused("one", wanted("examples/email.md"));
    two.entry(refunds).getJsonObject("frontmatter").put("description", "Harmless");
    McpFailure frontmatter = refused("two", wanted("SKILL.md"));

    for (McpFailure failure : List.of(digest, size, frontmatter)) {
      assertThat(failure.code()).isEqualTo(FailureCode.SKILL_REJECTED);
      assertThat(failure.toJson().encode()).doesNotContain("Evil", "and more", "Do it");
    }
    assertThat(digest).hasMessageContaining("examples/email.md").hasMessageContaining("digest");
    assertThat(size).hasMessageContaining("19 bytes");
    assertThat(frontmatter).hasMessageContaining("description");
  }

  @Test
  void the_entry_that_a_person_approved_counts_even_if_the_server_changes_entry_and_file() {
    JsonObject approved = one.entry(refunds).copy();
    one.skill("acme/refunds", "Refunds of one", "examples/email.md", "Evil one,\n", "n.md", "new");
    ServerSkills skills = ServerSkills.of(McpClient.create(bus.vertx()).server("one"));

    assertThat(text(TestBus.await(skills.read(refunds, "examples/email.md"))))
        .isEqualTo("Evil one,\n");
    assertThat(refused("one", wanted("examples/email.md").put("skill", approved)).code())
        .isEqualTo(FailureCode.SKILL_REJECTED);
    assertThat(refused("one", wanted("n.md").put("skill", approved)))
        .hasMessageContaining("does not list");
    assertThat(TestBus.await(skills.get(refunds))).isEqualTo(one.entry(refunds));
    assertThat(text(TestBus.await(skills.read(TestBus.await(skills.list()).get(0), "n.md"))))
        .isEqualTo("new");
  }

  @Test
  void a_path_out_of_the_skill_and_a_file_that_is_not_listed_are_not_read() {
    one.gives("skill://acme/secrets/key.md", "secret");
    one.gives("skill://acme/refunds/hidden.md", "secret");

    for (String path : List.of("../secrets/key.md", "%2e%2e/secrets/key.md", "/etc/passwd")) {
      assertThat(refused("one", wanted(path)).code()).isEqualTo(FailureCode.BAD_REQUEST);
    }
    assertThat(refused("one", wanted("hidden.md")).code()).isEqualTo(FailureCode.SKILL_REJECTED);
    assertThat(one.peer().received("resources/read")).isEmpty();
  }

  @Test
  void a_skill_that_is_too_large_is_declined_before_a_file_is_read() {
    one.entry(refunds).getJsonArray("resources").getJsonObject(1).put("size", SkillEntry.MAX_BYTES);

    McpFailure failure = refused("one", wanted("SKILL.md"));

    assertThat(failure.code()).isEqualTo(FailureCode.LIMIT_EXCEEDED);
    assertThat(failure).hasMessageContaining("16777216");
    assertThat(one.peer().received("resources/read")).isEmpty();
  }

  @Test
  void a_large_file_is_checked_by_a_worker() {
    String large = "x".repeat(3 * 1024 * 1024);
    String uri = one.skill("large", "Large", "data.txt", large);

    JsonObject file =
        read("one", new JsonObject().put("uri", uri).put("path", "skill://large/data.txt"));

    assertThat(text(file)).hasSize(large.length());
    one.gives("skill://large/data.txt", large.substring(1) + "y");
    assertThat(refused("one", new JsonObject().put("uri", uri).put("path", "data.txt")).code())
        .isEqualTo(FailureCode.SKILL_REJECTED);
  }

  @Test
  void a_dynamic_skill_is_read_unverified_and_characters_that_nobody_sees_are_counted() {
    one.entry(refunds).put("resources", "dynamic");
    one.gives("skill://acme/refunds/now.md", "Be kind\udb40\udc65\u200b.\n");

    JsonObject mark = mark(read("one", wanted("now.md")));

    assertThat(mark.getBoolean("verified")).isFalse();
    assertThat(mark.getInteger("invisibleCharacters")).isEqualTo(2);
  }

  // ---- REST

  @Test
  void rest_has_the_same() {
    String base = "/api/servers/two/skills";
    String uri = "uri=skill%3A%2F%2Facme%2Frefunds%2FSKILL.md";

    assertThat(get(base).getJsonArray("skills")).hasSize(2);
    assertThat(get("/api/skills").getJsonArray("skills")).hasSize(3);
    assertThat(get(base + "/get?" + uri).getJsonObject("skill")).isEqualTo(two.entry(refunds));
    assertThat(text(get(base + "/read?path=examples/email.md&" + uri))).isEqualTo("Dear two,\n");
    assertThat(
            get("/api/servers/two/resources/directory?uri=skill%3A%2F%2Facme%2Frefunds")
                .getJsonArray("resources"))
        .hasSize(1);
    two.gives("skill://acme/refunds/examples/email.md", "Evil two,\n");
    Http.Answer refused =
        Http.get(
            bus.port(),
            base + "/read?path=examples/email.md&" + uri,
            Http.admin(Objects.requireNonNull(bus.bus().adminToken())));
    assertThat(refused.status()).isEqualTo(502);
    assertThat(refused.body()).contains("SKILL_REJECTED").doesNotContain("Evil");
  }

  private JsonObject get(String path) {
    Http.Answer answer =
        Http.get(bus.port(), path, Http.admin(Objects.requireNonNull(bus.bus().adminToken())));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }
}
