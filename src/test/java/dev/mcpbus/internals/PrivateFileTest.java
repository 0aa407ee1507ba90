package dev.mcpbus.internals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFileTest {

  @TempDir Path home;

  private Path path() {
    return home.resolve("state/file");
  }

  private PrivateFile file() {
    return PrivateFile.of(path());
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("state"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void create_keeps_what_is_there() throws IOException {
    file().create(bytes("one"));
    file().create(bytes("two"));
    assertThat(path()).hasContent("one");
    assertThat(names()).containsExactly("file");
  }

  @Test
  void replace_replaces_a_link_and_not_what_it_points_to() throws IOException {
    Path target = Files.writeString(home.resolve("target"), "mine");
    Files.createDirectory(home.resolve("state"));
    Files.createSymbolicLink(path(), target);
    file().replace(bytes("new"));
    assertThat(target).hasContent("mine");
    assertThat(path()).hasContent("new").isRegularFile();
    assertThat(Files.isSymbolicLink(path())).isFalse();
  }

  @Test
  void an_update_that_fails_leaves_the_old_content() throws Exception {
    file().replace(bytes("old"));
    assertThatThrownBy(
            () ->
                file()
                    .update(
                        () -> {
                          throw new IOException("canary");
                        }))
        .hasMessage("canary");
    assertThat(path()).hasContent("old");
    assertThat(names()).containsExactly("file", "file.lock");
  }

  @Test
  void an_update_to_nothing_removes_the_file_also_where_there_is_none() throws Exception {
    file().replace(bytes("old"));
    for (int i = 0; i < 2; i++) {
      file().update(() -> null);
      assertThat(path()).doesNotExist();
    }
  }

  @Test
  void an_update_removes_what_a_killed_process_left() throws Exception {
    file().update(() -> bytes("one"));
    Files.writeString(path().resolveSibling("file.next"), "half");
    file().update(() -> bytes("two"));
    assertThat(path()).hasContent("two");
    assertThat(names()).containsExactly("file", "file.lock");
  }

  @Test
  void a_folder_behind_a_link_is_used() throws IOException {
    Files.createDirectory(home.resolve("elsewhere"));
    Files.createSymbolicLink(home.resolve("state"), home.resolve("elsewhere"));
    file().create(bytes("one"));
    assertThat(home.resolve("elsewhere/file")).hasContent("one");
  }

  @Test
  void it_is_private_until_others_may_read_it() throws IOException {
    file().create(bytes("one"));
    assertThat(file().whyNotOurs(false)).isNull();
    Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw----r--"));
    assertThat(file().whyNotOurs(true)).contains("chmod 600");
  }

  @Test
  void the_further_groups_of_a_process_are_those_that_linux_names() {
    assertThat(
            PrivateFile.groups(
                "Name:\tjava\nGid:\t0\t0\t0\t0\nGroups:\t0 1000680000 \nNStgid:\t1\n"))
        .containsExactly("0", "1000680000");
    assertThat(PrivateFile.groups("Groups:\t \n")).isEmpty();
    assertThat(PrivateFile.groups("")).isEmpty();
  }
}
