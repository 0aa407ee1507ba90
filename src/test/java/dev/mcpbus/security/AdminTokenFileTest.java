package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdminTokenFileTest {

  private static final String TOKEN = "mcpbus_one";

  @TempDir Path home;

  private AdminTokenFile at(int port) {
    return AdminTokenFile.of(
        port, Map.of(AdminTokenFile.FOLDER_VARIABLE, home.resolve("a/admin").toString()));
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("a/admin"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void a_written_token_is_read_back_and_other_users_cannot_read_it() throws IOException {
    at(1).write(TOKEN);
    assertThat(at(1).read()).contains(TOKEN);
    assertThat(permissions(at(1).path())).isEqualTo("rw-------");
    assertThat(permissions(home.resolve("a/admin"))).isEqualTo("rwx------");
    assertThat(permissions(home.resolve("a"))).isEqualTo("rwx------");
  }

  @Test
  void each_port_has_its_own_and_a_later_run_takes_the_place_of_an_earlier_one()
      throws IOException {
    at(1).write(TOKEN);
    at(2).write("mcpbus_two");
    at(1).write("mcpbus_three");
    assertThat(at(1).read()).contains("mcpbus_three");
    assertThat(at(2).read()).contains("mcpbus_two");
    assertThat(files()).as("nothing half-written is left").containsExactly("1", "2");
  }

  @Test
  void an_ending_run_removes_its_own_file_only() throws IOException {
    at(1).write(TOKEN);
    at(1).write("mcpbus_later");
    at(1).remove(TOKEN);
    assertThat(at(1).read()).contains("mcpbus_later");
    at(1).remove("mcpbus_later");
    assertThat(at(1).read()).isEmpty();
    assertThat(files()).isEmpty();
  }

  @Test
  void a_link_is_not_read() throws IOException {
    at(2).write(TOKEN);
    Files.createSymbolicLink(at(1).path(), at(2).path());
    assertThatThrownBy(() -> at(1).read()).isInstanceOf(IOException.class);
  }

  @Test
  void a_link_is_not_followed_when_writing() throws IOException {
    at(2).write(TOKEN);
    Path target = Files.writeString(home.resolve("target"), "mine");
    Files.createSymbolicLink(at(1).path(), target);
    Files.createSymbolicLink(
        at(1).path().resolveSibling("1." + ProcessHandle.current().pid()), target);

    at(1).write(TOKEN);

    assertThat(Files.readString(target)).isEqualTo("mine");
    assertThat(Files.isSymbolicLink(at(1).path())).isFalse();
    assertThat(at(1).read()).contains(TOKEN);
    assertThat(permissions(at(1).path())).isEqualTo("rw-------");
  }

  @Test
  void a_folder_that_others_may_read_becomes_the_owners_alone() throws IOException {
    Files.createDirectories(home.resolve("a/admin"));
    Files.setPosixFilePermissions(
        home.resolve("a/admin"), PosixFilePermissions.fromString("rwxrwxrwx"));
    at(1).write(TOKEN);
    assertThat(permissions(home.resolve("a/admin"))).isEqualTo("rwx------");
  }

  @Test
  void a_folder_that_is_a_link_is_refused_with_its_name() throws IOException {
    Files.createDirectories(home.resolve("elsewhere"));
    Files.createDirectories(home.resolve("a"));
    Files.createSymbolicLink(home.resolve("a/admin"), home.resolve("elsewhere"));
    assertThatThrownBy(() -> at(1).write(TOKEN))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a/admin");
    assertThat(home.resolve("elsewhere")).isEmptyDirectory();
  }

  @Test
  void another_text_is_no_token() throws IOException {
    at(1).write(TOKEN);
    Files.writeString(at(1).path(), "x".repeat(10_000));
    assertThat(at(1).read()).isEmpty();
  }
}
