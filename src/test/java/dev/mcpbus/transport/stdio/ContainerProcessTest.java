package dev.mcpbus.transport.stdio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No script that another user may have written is run. */
class ContainerProcessTest {

  @TempDir Path home;
  private Path folder;

  @BeforeEach
  void folder() throws IOException {
    folder = Files.createDirectory(home.resolve("containers"));
    mode(folder, "rwx------");
  }

  private static void mode(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  /** Of a run whose JVM is dead: no process has that number. */
  private Path script(Path in, String key, String permissions) throws IOException {
    String space = RunId.SELF.substring(0, RunId.SELF.indexOf('-'));
    Path script = in.resolve(space + "-999999999-1-x." + key + ".sh");
    Files.writeString(script, "exit 0\n");
    mode(script, permissions);
    return script;
  }

  @Test
  void scripts_of_this_user_are_run_and_no_others() throws Exception {
    Path ours = script(folder, "a", "rw-------");
    script(folder, "b", "rw-rw----");
    Path far = script(home, "c", "rw-------");
    Files.createSymbolicLink(folder.resolve(far.getFileName()), far);
    assertThat(ContainerProcess.scriptsOfDeadRuns(folder)).containsExactly(ours);
  }

  @Test
  void a_folder_that_others_can_write_is_not_used() throws Exception {
    script(folder, "a", "rw-------");
    for (String permissions : new String[] {"rwxrwx---", "rwx----w-", "rwxrwxrwx"}) {
      mode(folder, permissions);
      assertThat(ContainerProcess.isSafe(folder)).isFalse();
      assertThat(ContainerProcess.scriptsOfDeadRuns(folder)).isEmpty();
    }
  }

  @Test
  void a_link_to_a_folder_is_not_used() throws Exception {
    script(folder, "a", "rw-------");
    Path link = Files.createSymbolicLink(home.resolve("link"), folder);
    assertThat(ContainerProcess.scriptsOfDeadRuns(link)).isEmpty();
  }

  @Test
  void a_user_without_a_home_has_no_folder_among_the_temporary_files() throws Exception {
    Path file = Files.createFile(home.resolve("file"));
    assertThat(ContainerProcess.isSafe(file.resolve("containers"))).isFalse();
    assertThat(ContainerProcess.isSafe(Path.of("?/.mcpbus/containers"))).isFalse();
    assertThat(ContainerProcess.FOLDER.toString()).endsWith(".mcpbus/containers");
  }

  @Test
  void the_folder_is_made_for_its_user_alone() throws Exception {
    Path made = home.resolve("x/containers");
    assertThat(ContainerProcess.isSafe(made)).isTrue();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
        .isEqualTo("rwx------");
  }
}
