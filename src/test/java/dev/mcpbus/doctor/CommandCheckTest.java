package dev.mcpbus.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.transport.StdioOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandCheckTest {

  @TempDir Path folder;

  @Test
  void a_program_that_a_shell_finds_and_mcpbus_does_not_is_named_with_its_path()
      throws IOException {
    Path program = program(".local/bin/uvx");
    assertThat(failure("uvx").remedy())
        .isEqualTo("It is at " + program + ": write that path as \"command\"");
  }

  @Test
  void the_newest_node_of_a_version_manager_is_named() throws IOException {
    program(".nvm/versions/node/v20.1.0/bin/mcp-npx");
    Path newest = program(".nvm/versions/node/v22.1.0/bin/mcp-npx");
    assertThat(failure("mcp-npx").remedy()).contains(newest.toString());
  }

  @Test
  void python_without_a_number_leads_to_the_one_that_is_there() throws IOException {
    program("path/python3");
    assertThat(failure("python").cause()).isEqualTo(DoctorCause.COMMAND_NOT_FOUND);
    assertThat(failure("python").remedy()).isEqualTo("Write python3, which is there");
  }

  @Test
  void a_known_runtime_comes_with_its_source_and_the_directories_that_were_searched() {
    Finding found = failure("deno");
    assertThat(found.remedy()).contains("https://deno.com", "which deno");
    assertThat(found.evidence()).containsExactly("searched " + folder.resolve("path"));
  }

  @Test
  void options_before_a_script_are_no_files_and_a_module_is_none() throws IOException {
    program("path/node");
    Path script = Files.writeString(folder.resolve("a.js"), "");
    assertThat(run("node", "--no-warnings", script.toString()).hasFailed()).isFalse();
    assertThat(run("node", "-e", "b.js").hasFailed()).isFalse();
    assertThat(run("node", "@scope/package").hasFailed()).isFalse();
    assertThat(run("node", folder.resolve("b.js").toString()).hasFailed()).isTrue();
  }

  @Test
  void a_program_that_no_one_knows_is_not_asked_for_its_version() throws IOException {
    Path program = program("path/mcp-thing");
    Files.writeString(program, "#!/bin/sh\ntouch " + folder.resolve("ran") + "\n");
    assertThat(run("mcp-thing").fact()).isEqualTo(program.toString());
    assertThat(folder.resolve("ran")).doesNotExist();
  }

  private Finding failure(String command) {
    return Objects.requireNonNull(run(command).finding());
  }

  private DoctorStep run(String command, String... args) {
    return new CommandCheck(
            StdioOptions.of(command, List.of(args)),
            Map.of("PATH", folder.resolve("path").toString()),
            new UsualFolders(folder, List.of()))
        .run();
  }

  private Path program(String name) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.writeString(file, "#!/bin/sh\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }
}
