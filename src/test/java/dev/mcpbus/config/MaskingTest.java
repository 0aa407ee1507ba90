package dev.mcpbus.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MaskingTest {

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sk-canary",
        "ghp_canary",
        "github_pat_canary",
        "xoxb-canary",
        "Bearer canary",
        "--token=canary",
        "--api-key=canary",
        "API_KEY=canary",
        "Authorization: Bearer canary",
        "postgres://u:canary@h/db",
        "https://h/p?key=canary",
        "https://h/p#canary",
        "--db=postgres://u:canary@h/db",
        "canary0123456789abcdefABCDEF01234",
        "--db-password=canary",
        "DATABASE_URL=redis://:canary@h",
        "--x=sk-canary",
        "https://u:can@canary@h/"
      })
  void an_argument_that_looks_secret_is_hidden(String arg) {
    assertThat(Masking.args(List.of(arg)).get(0)).doesNotContain("canary").contains("***");
  }

  @ParameterizedTest
  @CsvSource({"--token", "--api-key", "-token", "--password", "--auth-token", "--apiKey", "--key"})
  void the_argument_after_a_secret_flag_is_hidden(String flag) {
    assertThat(Masking.args(List.of("run", flag, "canary", "end")))
        .containsExactly("run", flag, "***", "end");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-y",
        "--port",
        "8080",
        "@scope/server",
        "/srv/data",
        "--root=/srv",
        "https://h/p",
        "A"
      })
  void a_plain_argument_is_shown(String arg) {
    assertThat(Masking.args(List.of(arg))).containsExactly(arg);
  }

  @Test
  void case_105_no_secret_is_in_the_view_or_in_any_text() {
    Sample sample = Sample.in(directory);
    ServerDefinition stdio =
        sample.good(
            "\"command\": \"x\"",
            "\"args\": [\"${API_TOKEN}\", \"--a=${API_TOKEN}\", \"--token\", \"canary-2\", \"-v\"]",
            "\"cwd\": \"/srv/${API_TOKEN}\"",
            "\"env\": {\"K\": \"canary-3\"}");
    assertThat(stdio.view().getString("cwd")).isEqualTo("/srv/***");
    assertThat(stdio.view().getJsonArray("args"))
        .isEqualTo(JsonArray.of("***", "--a=***", "--token", "***", "-v"));
    ServerDefinition http =
        sample.good(
            "\"url\": \"https://h/${API_TOKEN}/p?x=canary-2\"",
            "\"headers\": {\"A\": \"canary-3\"}");
    assertThat(http.view().getString("url")).isEqualTo("https://h/***/p?***");
    for (ServerDefinition each : List.of(stdio, http)) {
      assertThat(each.view().encode() + each).doesNotContain("canary");
    }
    assertThat(sample.environment().toString()).doesNotContain("canary");
  }

  @Test
  void case_105_no_problem_shows_a_value() {
    Sample sample = Sample.in(directory);
    ConfigResult result =
        sample.json(
            """
            {"mcpServers": {
              "a": {"url": "canary://${API_TOKEN}", "headers": {"A": "canary\\n", "B": ["canary"]}},
              "b": {"url": "http://h/can ary ${API_TOKEN}", "timeout": "${API_TOKEN}"},
              "c": {"type": "${API_TOKEN}", "command": "canary"},
              "e": {"command": "x", "envFile": "/none/${API_TOKEN}"},
              "d": {"command": "x", "validate": "${API_TOKEN}", "env": {"A": {"b": "canary"}}}}}
            """);
    assertThat(result.problems()).hasSizeGreaterThan(6);
    assertThat(ConfigReport.render(result.problems())).doesNotContain("canary");
  }
}
