package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The words of the command line, their errors and exit codes. */
class CommandLineTest {

  @TempDir private Path folder;

  private String configuration() throws IOException {
    Path file = folder.resolve("servers.json");
    Files.writeString(file, "{\"mcpServers\": {\"a\": {\"command\": \"cat\"}}}");
    return file.toString();
  }

  @Test
  void without_a_word_it_runs_and_run_takes_the_same_options() throws IOException {
    String file = configuration();
    CommandRun bare = new CommandRun("--config", file, "--port", "0", "--cluster");
    CommandRun word = new CommandRun("run", "--config", file, "--port", "0", "--cluster");
    assertThat(bare.launched()).hasSize(1);
    assertThat(bare.launched().get(0).port()).isZero();
    assertThat(bare.launched().get(0).cluster()).isTrue();
    assertThat(word.launched()).hasSize(1);
    assertThat(word.launched().get(0).file()).isEqualTo(bare.launched().get(0).file());
  }

  @Test
  void check_is_a_word_and_an_option() throws IOException {
    String file = configuration();
    assertThat(new CommandRun("check", "--config", file).out()).contains("no problems, 1 server");
    assertThat(new CommandRun("--check", "--config", file).out()).contains("no problems");
    assertThat(new CommandRun("check", "-c", folder.resolve("none.json").toString()).code())
        .isEqualTo(1);
  }

  @Test
  void a_file_in_place_of_a_command_names_the_option() {
    CommandRun run = new CommandRun("foo.json");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("mcpbus run --config foo.json");
  }

  @ParameterizedTest
  @CsvSource({"statu,status", "tool,tools", "chek,check", "cal,call", "restrat,restart"})
  void an_unknown_word_offers_the_nearest_commands(String word, String meant) {
    CommandRun run = new CommandRun(word);
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("\"" + word + "\" is no command", "did you mean", meant);
  }

  @Test
  void options_of_run_before_another_command_are_refused_with_their_place() {
    CommandRun run = new CommandRun("--config", "x.json", "status");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("mcpbus status --config");
  }

  @Test
  void every_exit_code_is_in_the_help() {
    CommandRun help = new CommandRun("--help");
    assertThat(help.code()).isZero();
    for (ExitCode code : ExitCode.values()) {
      assertThat(help.out().replaceAll("\\s+", " ")).contains(code.code() + " " + code.meaning());
    }
  }

  @Test
  void with_json_an_error_is_one_line_of_json() {
    for (String[] wrong :
        new String[][] {
          {"tools", "--json", "--frobnicate"},
          {"call", "noserver", "--json", "--config", "conf/mcpbus.json"},
          {"status", "--url", "nonsense", "--json"},
          {"restart", "x", "--url", "http://127.0.0.1:9", "--json"}
        }) {
      CommandRun run = new CommandRun(wrong);
      assertThat(run.err().lines()).hasSize(1);
      JsonObject error = new JsonObject(run.err()).getJsonObject("error");
      assertThat(error.getString("code")).isNotEmpty();
      assertThat(error.getString("message")).isNotEmpty();
      assertThat(run.out()).isEmpty();
      assertThat(run.code()).isIn(1, 4);
    }
  }

  @Test
  void a_service_that_is_not_there_is_exit_code_4_and_names_the_place() {
    CommandRun named = new CommandRun("health", "--url", "http://127.0.0.1:9");
    assertThat(named.code()).isEqualTo(4);
    assertThat(named.err()).contains("http://127.0.0.1:9");
    CommandRun variable =
        new CommandRun(folder, Map.of("MCPBUS_URL", "http://127.0.0.1:9"), "", "restart", "x");
    assertThat(variable.code()).isEqualTo(4);
    assertThat(variable.err()).contains("http://127.0.0.1:9");
  }

  @Test
  void there_is_no_option_for_a_key_which_other_users_would_see() {
    CommandRun run = new CommandRun("status", "--key", "mcpbus_secret");
    assertThat(run.code()).isEqualTo(1);
    assertThat(new CommandRun("status", "--help").out()).contains("--key-file", "MCPBUS_KEY");
  }

  @ParameterizedTest
  @EnumSource
  void every_failure_code_has_an_exit_code(FailureCode code) {
    assertThat(ExitCode.of(code, code.httpStatus()).code()).isBetween(1, 5);
  }

  @Test
  void failures_end_with_the_code_of_the_table() {
    assertThat(ExitCode.of(FailureCode.UNKNOWN_CONNECTION, 404)).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(ExitCode.of(FailureCode.UNKNOWN_TOOL, 404)).isEqualTo(ExitCode.TOOL_FAILED);
    assertThat(ExitCode.of(FailureCode.FORBIDDEN, 403)).isEqualTo(ExitCode.NOT_ALLOWED);
    assertThat(ExitCode.of(FailureCode.UNAVAILABLE, 503)).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(ExitCode.of(null, 401)).isEqualTo(ExitCode.NOT_ALLOWED);
    assertThat(ExitCode.of(FailureCode.BAD_REQUEST, 400)).isEqualTo(ExitCode.UNEXPECTED);
  }

  @Test
  void the_completion_script_is_bash_and_knows_the_commands() throws Exception {
    CommandRun run = new CommandRun("completion", "bash");
    assertThat(run.out()).contains("status", "restart", "--key-file");
    Path script = Files.writeString(folder.resolve("completion"), run.out());
    Process bash = new ProcessBuilder("bash", "-n", script.toString()).start();
    assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(bash.exitValue()).isZero();
    assertThat(new CommandRun("completion", "zsh").code()).isZero();
    assertThat(new CommandRun("completion", "tcsh").code()).isEqualTo(1);
  }
}
