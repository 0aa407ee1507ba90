package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.ToolPolicy;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Restrictions as other programs write them. The server has read_file, write_file, delete. */
class ToolRuleReaderTest {

  @TempDir Path directory;

  private ToolPolicy policy(String rules) {
    return Sample.in(directory).good("\"command\": \"x\"", rules).connection().tools();
  }

  private List<String> notes(String... lines) {
    ConfigResult result = Sample.in(directory).server(lines);
    assertThat(result.problems()).isEmpty();
    return result.notes().stream()
        .map(note -> note.toString().replace(directory + "/", ""))
        .toList();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "Windsurf, Roo, Kilo, Kiro | \"disabled\": false, \"autoApprove\": [], \"disabledTools\": [\"delete\"] | read_file write_file",
        "Gemini, Qwen | \"trust\": false, \"excludeTools\": [\"delete\"], \"timeout\": 30000 | read_file write_file",
        "Gemini, Qwen | \"includeTools\": [\"read_file\", \"write_file(x)\"] | read_file write_file",
        "Gemini, both | \"includeTools\": [\"read_file\", \"delete\"], \"excludeTools\": [\"delete\"] | read_file",
        "Amp | \"includeTools\": [\"*_file\"] | read_file write_file",
        "Codex | \"enabled_tools\": [\"read_file\", \"delete\"], \"disabled_tools\": [\"delete\"] | read_file",
        "Crush | \"disabled_tools\": [\"write_file\", \"delete\"] | read_file",
        "Copilot, all | \"tools\": [\"*\"] | read_file write_file delete",
        "Copilot, some | \"tools\": [\"read_file\"] | read_file",
        "Copilot, none | \"tools\": [] | ``",
        "a text | \"tools\": \"read_file\" | read_file",
        "agents | \"allowedTools\": [\"read_*\"], \"disabledTools\": [\"delete_*\"] | read_file",
        "Hermes | \"tools\": {\"include\": [\"read_file\"]} | read_file",
        "Hermes | \"tools\": {\"exclude\": \"delete\"} | read_file write_file",
        "Zed | \"tools\": {\"read_file\": true, \"delete\": false} | read_file write_file",
        "switches | \"tools\": {\"delete\": {\"enabled\": false}, \"write_file\": {\"disabled\": true}} | read_file",
        "proxies | \"toolFilter\": {\"mode\": \"block\", \"list\": [\"delete\"]} | read_file write_file",
        "proxies | \"toolFilter\": {\"mode\": \"allow\", \"list\": [\"delete\"]} | delete",
        "OpenClaw | \"toolFilter\": {\"include\": [\"read_*\"], \"exclude\": []} | read_file",
        "variables | \"disabledTools\": [\"${NOT_THERE:-delete}\"] | read_file write_file",
        "null | \"disabledTools\": null, \"includeTools\": null | read_file write_file delete",
      })
  void a_restriction_is_applied(String who, String rules, String admitted) {
    ToolPolicy policy = policy(rules);
    assertThat(List.of("read_file", "write_file", "delete").stream().filter(policy::admits))
        .as(who)
        .containsExactlyElementsOf(
            admitted.isEmpty() ? List.of() : List.of(admitted.split(" ", -1)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "includeTools",
        "include_tools",
        "enabledTools",
        "enabled_tools",
        "allowedTools",
        "allowed_tools",
        "availableTools",
        "available_tools",
        "tools"
      })
  void every_key_for_allowed_tools_is_applied(String word) {
    ToolPolicy policy = policy("\"" + word + "\": [\"read_file\"]");
    assertThat(policy.admits("read_file")).isTrue();
    assertThat(policy.admits("delete")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "excludeTools",
        "exclude_tools",
        "excludedTools",
        "disabledTools",
        "disabled_tools",
        "disallowedTools",
        "disallowed_tools"
      })
  void every_key_for_denied_tools_is_applied(String word) {
    ToolPolicy policy = policy("\"" + word + "\": [\"delete\"]");
    assertThat(policy.admits("read_file")).isTrue();
    assertThat(policy.admits("delete")).isFalse();
  }

  @Test
  void a_restriction_that_cannot_be_read_leaves_the_server_out() {
    Sample sample = Sample.in(directory);
    assertThat(sample.texts(sample.server("\"command\": \"x\"", "\"disabledTools\": {\"a\": 1}")))
        .containsExactly(
            "mcp.json:4: server \"one\": \"disabledTools\" must be a list of strings, not an"
                + " object. Write \"disabledTools\": [\"one\", \"two\"]");
    assertThat(
            sample.texts(
                sample.server(
                    "\"command\": \"x\"", "\"toolFilter\": {\"mode\": \"odd\", \"list\": []}")))
        .hasSize(1);
    assertThat(sample.texts(sample.server("\"command\": \"x\"", "\"disabledTool\": [\"a\"]")))
        .containsExactly(
            "mcp.json:4: server \"one\": unknown key \"disabledTool\". Did you mean"
                + " \"disabledTools\"?");
  }

  @Test
  void an_ignored_setting_is_reported_with_its_place() {
    assertThat(
            notes(
                "\"command\": \"x\"",
                "\"autoApprove\": [\"read_file\"]",
                "\"tools\": {\"delete\": {\"approval_mode\": \"prompt\"}}"))
        .containsExactly(
            "mcp.json:4: server \"one\": \"autoApprove\" is about confirmation by a person,"
                + " which mcpbus does not request: every tool that is listed can be called. Name tools that"
                + " must not be called in \"disabledTools\"",
            "mcp.json:5: server \"one\": \"tools.delete.approval_mode\" is ignored. Name tools"
                + " that must not be called in \"disabledTools\"; rights of callers are set in"
                + " \"auth\": {\"policies\": ...}");
  }

  @Test
  void a_list_that_admits_nothing_is_reported() {
    assertThat(notes("\"command\": \"x\"", "\"includeTools\": []"))
        .containsExactly(
            "mcp.json:4: server \"one\": \"includeTools\" names nothing, so no tool can be called."
                + " Name the tools, or remove it");
  }

  @Test
  void a_changed_restriction_is_a_changed_server() {
    ServerDefinition before = Sample.in(directory).good("\"command\": \"x\"");
    ServerDefinition after =
        Sample.in(directory).good("\"command\": \"x\"", "\"disabledTools\": [\"a\"]");
    assertThat(before.sameAs(after)).isFalse();
    assertThat(after.view().getBoolean("toolsRestricted")).isTrue();
  }
}
