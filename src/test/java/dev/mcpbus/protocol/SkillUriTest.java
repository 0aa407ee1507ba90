package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SkillUriTest {

  private static final String SKILL = "skill://acme/billing/refunds/SKILL.md";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "skill://git-workflow/SKILL.md",
        "skill://acme/billing/refunds/SKILL.md",
        "github://owner/repo/skills/refunds/SKILL.md",
        "file://srv/skills/a/SKILL.md"
      })
  void a_skill_is_named_by_its_skill_md_in_any_scheme(String uri) {
    assertThat(SkillUri.problem(uri)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "skill://git-workflow",
        "skill://git-workflow/skill.md",
        "skill://Git/SKILL.md",
        "skill://a--b/SKILL.md",
        "skill://../SKILL.md",
        "skill://a/../b/SKILL.md",
        "skill://a/%2e%2e/b/SKILL.md",
        "skill://a%2fb/SKILL.md",
        "skill://a//b/SKILL.md",
        "skill://a\\b/SKILL.md",
        "skill://a\u200bb/c/SKILL.md",
        "skill://a b/c/SKILL.md",
        "skill://a?b/c/SKILL.md",
        "file:/etc/SKILL.md",
        "a/SKILL.md",
        "SKILL.md"
      })
  void a_uri_that_can_be_read_in_two_ways_names_none(String uri) {
    assertThat(SkillUri.problem(uri)).isNotNull();
  }

  @Test
  void a_path_is_relative_to_the_directory_of_the_skill_or_the_whole_uri() {
    assertThat(SkillUri.file(SKILL, "examples/email.md"))
        .isEqualTo("skill://acme/billing/refunds/examples/email.md");
    assertThat(SkillUri.file(SKILL, "./examples/email.md"))
        .isEqualTo("skill://acme/billing/refunds/examples/email.md");
    assertThat(SkillUri.file(SKILL, "skill://acme/billing/refunds/examples/email.md"))
        .isEqualTo("skill://acme/billing/refunds/examples/email.md");
    assertThat(SkillUri.file(SKILL, "SKILL.md")).isEqualTo(SKILL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/etc/passwd",
        "../payments/SKILL.md",
        "examples/../../payments/SKILL.md",
        "examples/./email.md",
        "examples/%2E%2E/%2e%2e/email.md",
        "examples%2f..%2femail.md",
        "examples%5cemail.md",
        "examples\\email.md",
        "examples//email.md",
        "examples/email.md?x",
        "examples/email.md#x",
        "examples/e\u202email.md",
        "examples/\udb40\udc61.md",
        "examples/%00.md",
        "skill://acme/billing/refunds-evil/SKILL.md",
        "skill://acme/billing/payments/SKILL.md",
        "skill://acme/billing/refunds/../payments/SKILL.md",
        "file:///etc/passwd",
        "http://127.0.0.1/"
      })
  void no_path_leads_out_of_the_directory_or_is_not_what_it_looks_like(String path) {
    assertThat(SkillUri.file(SKILL, path)).isNull();
  }
}
