package dev.mcpbus.connection.skills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.connection.skills.SkillContent.MismatchException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.SkillEntry;
import dev.mcpbus.protocol.SkillEntry.SkillFile;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SkillContentTest {

  private static final String SKILL = "skill://refunds/SKILL.md";
  private static final String FILE = "skill://refunds/a.md";

  private static final JsonObject FRONTMATTER =
      new JsonObject().put("name", "refunds").put("description", "Refunds");

  private static final String DOCUMENT = "---\nname: refunds\ndescription: Refunds\n---\n\nBody\n";

  private static SkillFile described(String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
    return new SkillFile("sha256:" + HexFormat.of().formatHex(digest), bytes.length);
  }

  private static SkillEntry skill(JsonObject frontmatter, String document, String file)
      throws Exception {
    return new SkillEntry(
        SKILL, RawJson.of(frontmatter), Map.of(SKILL, described(document), FILE, described(file)));
  }

  private static JsonObject content(String uri, String text) {
    return new JsonObject().put("uri", uri).put("text", text);
  }

  private static RawJson result(JsonObject... contents) {
    return RawJson.of(new JsonObject().put("contents", new JsonArray(List.of(contents))));
  }

  private static SkillContent read(SkillEntry skill, String uri, String text)
      throws MismatchException {
    return SkillContent.of(skill, uri, result(content(uri, text)));
  }

  @Test
  void a_text_and_bytes_pass_where_size_and_digest_are_those_of_the_entry() throws Exception {
    SkillEntry skill = skill(FRONTMATTER, DOCUMENT, "Größe\n");
    String blob = Base64.getEncoder().encodeToString("Größe\n".getBytes(StandardCharsets.UTF_8));

    assertThat(read(skill, SKILL, DOCUMENT).verified()).isTrue();
    assertThat(read(skill, FILE, "Größe\n").digest()).isEqualTo(described("Größe\n").digest());
    assertThat(
            SkillContent.of(
                skill, FILE, result(new JsonObject().put("uri", FILE).put("blob", blob))))
        .isEqualTo(read(skill, FILE, "Größe\n"));
  }

  @Test
  void a_file_of_another_size_digest_or_uri_is_refused() throws Exception {
    SkillEntry skill = skill(FRONTMATTER, DOCUMENT, "good");

    assertThatThrownBy(() -> read(skill, FILE, "good and more")).hasMessageContaining("13 bytes");
    assertThatThrownBy(() -> read(skill, FILE, "evil")).hasMessageContaining("digest");
    assertThatThrownBy(() -> SkillContent.of(skill, FILE, result(content(SKILL, "good"))))
        .hasMessageContaining("another URI");
    assertThatThrownBy(
            () ->
                SkillContent.of(skill, FILE, result(content(FILE, "good"), content(FILE, "evil"))))
        .hasMessageContaining("2 contents");
    assertThatThrownBy(() -> SkillContent.of(skill, FILE, RawJson.of("{}")))
        .hasMessageContaining("0 contents");
    assertThatThrownBy(
            () ->
                SkillContent.of(skill, FILE, result(content(FILE, "good").put("blob", "ZXZpbA=="))))
        .hasMessageContaining("either");
    assertThatThrownBy(() -> read(skill, "skill://refunds/new.md", "good"))
        .hasMessageContaining("does not list");
  }

  @Test
  void a_member_that_stands_twice_hides_nothing() throws Exception {
    SkillEntry skill = skill(FRONTMATTER, DOCUMENT, "good");
    RawJson twice =
        RawJson.of(
            "{\"contents\":[{\"uri\":\"" + FILE + "\",\"text\":\"good\",\"text\":\"evil\"}]}");

    assertThatThrownBy(() -> SkillContent.of(skill, FILE, twice)).hasMessageContaining("twice");
  }

  @Test
  void a_dynamic_skill_is_not_verified_but_its_frontmatter_is() throws Exception {
    SkillEntry skill = new SkillEntry(SKILL, RawJson.of(FRONTMATTER), null);

    assertThat(read(skill, SKILL, DOCUMENT).verified()).isFalse();
    assertThatThrownBy(() -> read(skill, SKILL, DOCUMENT.replace("Refunds", "Evil")))
        .hasMessageContaining("description");
  }

  @Test
  void characters_that_nobody_sees_are_counted() throws Exception {
    String tagged = "Be\u200b kind\udb40\udc65\udb40\udc76\n\tok\r\n";
    SkillEntry skill = skill(FRONTMATTER, DOCUMENT, tagged);

    assertThat(read(skill, FILE, tagged).invisible()).isEqualTo(3);
    assertThat(read(skill, SKILL, DOCUMENT).invisible()).isZero();
  }

  // ---- frontmatter

  private static void compare(String yaml, String json) throws Exception {
    String document = "---\n" + yaml.replace("|", "\n") + "\n---\n";
    SkillEntry skill = skill(new JsonObject(json), document, "");
    read(skill, SKILL, document);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "a: x; {\"a\":\"x\"}",
        "a: 1.0; {\"a\":1}",
        "a: 1.0; {\"a\":\"1.0\"}",
        "a: 0x10; {\"a\":16}",
        "a: yes; {\"a\":true}",
        "a: yes; {\"a\":\"yes\"}",
        "a: 'yes'; {\"a\":\"yes\"}",
        "a: ~; {\"a\":null}",
        "a:; {\"a\":null}",
        "a: 2026-01-02; {\"a\":\"2026-01-02\"}",
        "a: 2026-01-02; {\"a\":\"2026-01-02T00:00:00.000Z\"}",
        "a: [1, b]|c: {d: e}; {\"a\":[1,\"b\"],\"c\":{\"d\":\"e\"}}",
        "a: &x [1]|b: *x; {\"a\":[1],\"b\":[1]}",
        "a: >-|  one|  two; {\"a\":\"one two\"}"
      })
  void a_field_is_the_same_in_any_reading_of_yaml(String yaml, String json) {
    assertThatCode(() -> compare(yaml, json)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "a: x; {\"a\":\"y\"}",
        "a: x; {\"a\":\"x\",\"allowed-tools\":\"Bash\"}",
        "a: x|allowed-tools: Bash; {\"a\":\"x\"}",
        "a: 'yes'; {\"a\":true}",
        "a: 1; {\"a\":2}",
        "a: 1e999999999; {\"a\":2}",
        "a: [1, 2]; {\"a\":[1]}",
        "a: x|a: x; {\"a\":\"x\"}",
        "a: 2026-01-02; {\"a\":\"2026-01-02T10:00:00Z\"}",
        "a: !!js/function x; {\"a\":\"x\"}",
        "a: [; {\"a\":[]}",
        "- a; {\"a\":1}"
      })
  void a_field_that_differs_is_named(String yaml, String json) {
    assertThatThrownBy(() -> compare(yaml, json))
        .isInstanceOf(MismatchException.class)
        .hasMessageContaining("frontmatter");
  }

  @ParameterizedTest
  @ValueSource(strings = {"# No frontmatter\n", "", "---\nname: x\n", "\n---\na: x\n---\n"})
  void a_skill_without_frontmatter_is_refused(String document) throws Exception {
    SkillEntry skill = skill(FRONTMATTER, document, "");

    assertThatThrownBy(() -> read(skill, SKILL, document)).hasMessageContaining("begin");
  }

  @Test
  void deep_nesting_and_repeated_aliases_end_at_a_bound() {
    String laughs =
        "a: &a [x,x,x,x,x,x,x,x]|b: &b [*a,*a,*a,*a,*a,*a,*a,*a]|c: &c [*b,*b,*b,*b,*b,*b,*b,*b]"
            + "|d: &d [*c,*c,*c,*c,*c,*c,*c,*c]|e: &e [*d,*d,*d,*d,*d,*d,*d,*d]";

    assertThatThrownBy(() -> compare("a: " + "[".repeat(50_000), "{\"a\":1}"))
        .hasMessageContaining("deeper");
    assertThatThrownBy(() -> compare(laughs, "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1}"))
        .hasMessageContaining("frontmatter");
  }
}
