package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.read.ConfigReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a command starts of a file that it found in the working directory. */
class FileConsentTest {

  private static final Terminal PERSON = new Terminal(true, true, 80, false, true, true);

  @TempDir private Path home;
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private static ConfigResult read(String program) throws IOException {
    Path file = Files.createTempFile("mcpbus", ".json");
    try {
      Files.writeString(
          file,
          "{\"mcpServers\": {\"a\": {\"command\": \""
              + program
              + "\"}, \"b\": {\"url\": \"https://x.example/\", \"headersHelper\": \"y\"}}}");
      return ConfigReader.read(file, ConfigEnvironment.system());
    } finally {
      Files.delete(file);
    }
  }

  private void require(@Nullable Path named, ConfigResult read, Terminal terminal, String answer) {
    CommandContext context =
        new CommandContext(
            System.out,
            new PrintStream(err, true, StandardCharsets.UTF_8),
            new ByteArrayInputStream(answer.getBytes(StandardCharsets.UTF_8)),
            Map.of(),
            home,
            terminal,
            CommandRun.context(home, Map.of(), "", err, err, List.of()).launcher());
    FileConsent.require(context, named, read, read.usable().orElseThrow(), true);
  }

  @Test
  void without_a_person_nothing_starts_and_the_text_says_what_helps() throws IOException {
    ConfigResult read = read("rm");
    assertThatThrownBy(() -> require(null, read, Terminal.NONE, "y\n"))
        .hasMessageContaining("--config " + ConfigFile.DEFAULT)
        .satisfies(e -> assertThat(((CommandFailure) e).exit()).isEqualTo(ExitCode.NOT_ALLOWED));
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void a_person_sees_the_programs_and_is_asked_once_for_each_content() throws IOException {
    for (String no : List.of("", "n\n", "\n", "yesterday\n", "no y\n")) {
      assertThatThrownBy(() -> require(null, read("rm"), PERSON, no)).isNotNull();
    }
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("a: rm", "b: https://x.example/ with headers of a command", "[y/N]");
    assertThatCode(() -> require(null, read("rm"), PERSON, "y\n")).doesNotThrowAnyException();
    assertThatCode(() -> require(null, read("rm"), Terminal.NONE, "")).doesNotThrowAnyException();
    assertThatThrownBy(() -> require(null, read("rm2"), Terminal.NONE, "")).isNotNull();
    assertThatCode(() -> require(null, read("rm2"), PERSON, "YES\n")).doesNotThrowAnyException();
    assertThatThrownBy(() -> require(null, read("rm"), Terminal.NONE, "")).isNotNull();
    Path consents = home.resolve(".mcpbus/consents");
    assertThat(Files.getPosixFilePermissions(consents))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void a_file_that_the_command_line_names_is_agreed_to() throws IOException {
    ConfigResult read = read("rm");
    assertThatCode(() -> require(Path.of("conf/mcpbus.json"), read, Terminal.NONE, ""))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> require(null, read, Terminal.NONE, "")).isNotNull();
  }

  @Test
  void what_a_running_mcpbus_applied_is_agreed_to_where_the_file_was_before() throws IOException {
    FileConsent consents = FileConsent.of(home);
    consents.renew(ConfigFile.DEFAULT, read("one"));
    assertThat(consents.covers(ConfigFile.DEFAULT, read("one"))).isFalse();
    consents.give(ConfigFile.DEFAULT, read("one"));
    consents.renew(ConfigFile.DEFAULT, read("two"));
    assertThat(consents.covers(ConfigFile.DEFAULT, read("two"))).isTrue();
    assertThat(consents.covers(Path.of("elsewhere.json"), read("two"))).isFalse();
  }

  @Test
  void run_is_consent_to_the_file_that_it_runs() {
    assertThat(new CommandRun(home, Map.of(), "", "run").code()).isZero();
    ConfigResult own = ConfigReader.read(ConfigFile.DEFAULT, ConfigEnvironment.system());
    assertThat(FileConsent.of(home).covers(ConfigFile.DEFAULT, own)).isTrue();
  }
}
