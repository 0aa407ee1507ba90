package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.json.JsonArray;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EntryMaskingTest {

  @TempDir Path directory;

  private static List<Filled> filled(String... args) {
    return List.of(args).stream().map(Filled::plain).toList();
  }

  private static List<String> args(String... args) {
    return EntryMasking.args(filled(args));
  }

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
    assertThat(args(arg).get(0)).doesNotContain("canary").contains("***");
  }

  @ParameterizedTest
  @CsvSource({"--token", "--api-key", "-token", "--password", "--auth-token", "--apiKey", "--key"})
  void the_argument_after_a_secret_flag_is_hidden(String flag) {
    assertThat(args("run", flag, "canary", "end")).containsExactly("run", flag, "***", "end");
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
    assertThat(args(arg)).containsExactly(arg);
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-p s3cr3t | -p ***",
        "-p hunter | -p ***",
        "-ps3cr3t | -p***",
        "--otp 123456 | --otp ***",
        "--pin 1234 | --pin ***",
        "--api-key=abc | --api-key=***",
        "-u ada:pw | -u ***",
        "server.js s3cr3t | server.js ***",
        "-e TOKEN=abc | -e TOKEN=***",
        "-e TOKEN image | -e TOKEN image",
        "-y @scope/server-x@1.2.3 /srv/data2 | -y @scope/server-x@1.2.3 /srv/data2",
        "run -i --rm ghcr.io/a/b:latest | run -i --rm ghcr.io/a/b:latest",
        "-jar /opt/x.jar --port 8080 --mode fast | -jar /opt/x.jar --port 8080 --mode fast",
        "--directory /srv/x run main.py | --directory /srv/x run main.py",
        "https://h/s/a1b2c3d4e5f6g7h8i9j0k/mcp | https://h/s/***/mcp",
      })
  void arguments_are_shown_as_far_as_they_cannot_be_secrets(String args, String shown) {
    assertThat(String.join(" ", args(args.split(" ")))).isEqualTo(shown);
  }

  @Test
  void a_header_in_an_argument_is_hidden_and_taken_out_of_texts_whole_and_in_parts() {
    assertThat(args("-H", "Authorization: Bearer abcd", "x")).containsExactly("-H", "***", "x");
    Redactor redactor =
        Redactor.of(
            EntryMasking.secrets(filled("-H", "Authorization: Bearer abcd", "-p", "/srv/x")));
    assertThat(redactor.redact("refused: Bearer abcd, abcd, Authorization: Bearer abcd; /srv/x"))
        .isEqualTo("refused: ***, ***, Authorization: ***; /srv/x");
  }

  @Test
  void a_path_is_shown_around_what_a_variable_brought() {
    assertThat(EntryMasking.args(List.of(new Filled(Sensitive.of("/a/b/c.js"), "/a/***/c.js"))))
        .containsExactly("/a/***/c.js");
    assertThat(EntryMasking.args(List.of(new Filled(Sensitive.of("x y"), "x ***"))))
        .containsExactly("***");
  }

  @Test
  void the_redactor_of_a_server_knows_all_that_its_entry_brought_but_no_host() {
    Redactor redactor =
        Sample.in(directory)
            .with(java.util.Map.of("WHERE", "db.example", "WHO", "canary9w7x"))
            .good(
                "\"url\": \"http://${WHERE}/${WHO}/p?k=canary9k7x&level=info\"",
                "\"headers\": {\"A\": \"Bearer canary-h\"}")
            .redactor();
    assertThat(
            redactor.redact(
                "http://db.example/canary9w7x/p?k=canary9k7x canary-h canary-w canary-k"))
        .isEqualTo("http://db.example/***/p?k=*** *** canary-w canary-k");
    assertThat(redactor.toString()).doesNotContain("canary");
  }

  @Test
  void what_is_no_secret_is_left_in_all_texts_about_a_server() {
    Redactor redactor =
        Sample.in(directory)
            .with(java.util.Map.of("LOG_LEVEL", "info", "MODE", "fast", "MY_TOKEN", "tiger"))
            .good(
                "\"command\": \"docker\"",
                "\"args\": [\"-e\", \"LEVEL=info\", \"-n\", \"info\", \"--user\", \"${MODE}\","
                    + " \"--auth-token\", \"lion\", \"-p\", \"puma\", \"-e\", \"DB_PWD=lynx\"]",
                "\"env\": {\"LOG_LEVEL\": \"${LOG_LEVEL}\", \"NODE_ENV\": \"test\","
                    + " \"X\": \"${MY_TOKEN}\", \"API_PASS\": \"bear\"}")
            .redactor();
    String plain =
        "information: info, fast test; open https://login.example/info/test?mode=fast to log in";
    assertThat(redactor.redact(plain)).isEqualTo(plain);
    assertThat(
            Redactor.of(EntryMasking.secrets(filled("-pp@ss!w", "-plynx", "-u", "x y#z")))
                .redact("p@ss!w, lynx, x y#z"))
        .isEqualTo("***, ***, ***");
    assertThat(redactor.redact("tiger lion puma bear lynx, tigers"))
        .isEqualTo("*** *** *** *** ***, tigers");
  }

  @Test
  void an_input_that_is_declared_as_a_password_is_a_secret_whatever_it_is_called() {
    ConfigResult result =
        Sample.in(directory)
            .with(java.util.Map.of("MCPBUS_INPUT_ANIMAL", "tiger", "MCPBUS_INPUT_LEVEL", "info"))
            .json(
                """
                {"inputs": [{"id": "animal", "password": true}, {"id": "level"}],
                 "servers": {"a": {"command": "x", "args": ["${input:animal}", "${input:level}"],
                   "env": {"X": "${input:animal}", "Y": "${input:level}"}}}}
                """);
    Redactor redactor = result.usable().orElseThrow().servers().get(0).redactor();
    assertThat(redactor.redact("tiger info tigers")).isEqualTo("*** info tigers");
  }
}
