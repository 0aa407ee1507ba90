package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.protocol.SkillEntry.InvalidSkillException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SkillEntryTest {

  private static final String DIGEST = "sha256:" + "0123456789abcdef".repeat(4);

  private static JsonObject file(String path) {
    return new JsonObject()
        .put("uri", "skill://acme/refunds/" + path)
        .put("digest", DIGEST)
        .put("size", 7);
  }

  private static JsonObject entry() {
    return new JsonObject()
        .put("uri", "skill://acme/refunds/SKILL.md")
        .put("frontmatter", new JsonObject().put("name", "refunds").put("description", "Refunds"))
        .put("resources", new JsonArray().add(file("SKILL.md")).add(file("a/b.md")));
  }

  private static String problemWith(Consumer<JsonObject> change) {
    JsonObject entry = entry();
    change.accept(entry);
    return String.valueOf(SkillEntry.problem(RawJson.of(entry)));
  }

  private static JsonArray files(JsonObject entry) {
    return entry.getJsonArray("resources");
  }

  @Test
  void an_entry_gives_each_file_with_its_digest_and_size() throws InvalidSkillException {
    SkillEntry skill = SkillEntry.of(RawJson.of(entry()));

    assertThat(Objects.requireNonNull(skill.files()))
        .containsOnlyKeys("skill://acme/refunds/SKILL.md", "skill://acme/refunds/a/b.md");
    assertThat(skill.files().get(skill.uri())).isEqualTo(new SkillEntry.SkillFile(DIGEST, 7));
  }

  @Test
  void a_dynamic_skill_says_so_and_any_other_word_is_not_valid() throws InvalidSkillException {
    assertThat(SkillEntry.of(RawJson.of(entry().put("resources", "dynamic"))).files()).isNull();

    assertThat(problemWith(entry -> entry.put("resources", "later"))).contains("resources");
    assertThat(problemWith(entry -> entry.remove("resources"))).contains("resources");
  }

  @Test
  void an_entry_that_hosts_must_not_load_is_not_valid() {
    assertThat(problemWith(entry -> entry.put("uri", "skill://acme/other/SKILL.md")))
        .contains("last directory");
    assertThat(problemWith(entry -> entry.getJsonObject("frontmatter").remove("description")))
        .contains("description");
    assertThat(problemWith(entry -> files(entry).remove(0))).contains("SKILL.md");
    assertThat(problemWith(entry -> files(entry).add(file("a/b.md")))).contains("twice");
    assertThat(problemWith(entry -> files(entry).add(file("../x/SKILL.md")))).contains("below");
    assertThat(problemWith(entry -> files(entry).add(file("a").put("uri", "file:///etc/passwd"))))
        .contains("below");
    assertThat(problemWith(entry -> files(entry).add(file("c").put("digest", "sha256:00"))))
        .contains("digest");
    assertThat(problemWith(entry -> files(entry).add(file("c").put("size", -1)))).contains("size");
    assertThat(problemWith(entry -> files(entry).add(file("c").put("size", "7")))).contains("size");
    assertThat(SkillEntry.problem(RawJson.of("[]"))).contains("no object");
    assertThat(
            SkillEntry.problem(
                RawJson.of(entry().encode().replaceFirst("\\{", "{\"uri\":\"skill://x\","))))
        .contains("twice");
  }

  @Test
  void a_skill_may_have_512_files_of_16_mib_together_and_no_more() throws InvalidSkillException {
    JsonObject most = entry();
    for (int i = 2; i < SkillEntry.MAX_FILES; i++) {
      files(most).add(file("n" + i));
    }
    assertThat(SkillEntry.of(RawJson.of(most)).files()).hasSize(512);
    files(most).add(file("one-more"));
    JsonObject large = entry();
    files(large).add(file("c").put("size", SkillEntry.MAX_BYTES));

    for (JsonObject beyond : new JsonObject[] {most, large}) {
      assertThatThrownBy(() -> SkillEntry.of(RawJson.of(beyond)))
          .isInstanceOfSatisfying(
              InvalidSkillException.class, reason -> assertThat(reason.isTooLarge()).isTrue());
    }
  }
}
