package dev.mcpbus.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ServerOrigin;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

class StateFileTest {

  private static final Map<String, String> KEY =
      Map.of(StateFile.KEY_VARIABLE, Base64.getEncoder().encodeToString(new byte[32]));

  private static final Map<String, String> OTHER_KEY =
      Map.of(
          StateFile.KEY_VARIABLE,
          Base64.getEncoder()
              .encodeToString(
                  "another key of 32 bytes, exactly".getBytes(StandardCharsets.US_ASCII)));

  private static final KeptServer ADDED =
      KeptServer.added(
          7,
          new ServerOrigin("Git", new JsonObject().put("command", "git-mcp"), null, false),
          "mcp.servers.add");

  private static final Map<ConnectionId, KeptServer> ALL =
      Map.of(
          new ConnectionId("git"), ADDED, new ConnectionId("x"), KeptServer.removed(9, "sha256-1"));

  @TempDir private Path root;
  private Path folder;
  private StateFile open;

  @BeforeEach
  void folder() {
    folder = root.resolve("state");
    open = StateFile.in(folder, Map.of());
  }

  @AfterEach
  void close() throws IOException {
    open.close();
  }

  private void write(Map<String, String> variables) throws Exception {
    StateFile file = StateFile.in(folder, variables);
    file.open();
    file.write(ALL);
    file.close();
  }

  private Map<ConnectionId, KeptServer> read(Map<String, String> variables) throws IOException {
    open = StateFile.in(folder, variables);
    return open.open();
  }

  private List<String> names() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(one -> one.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void the_next_process_reads_what_was_written_and_no_other_user_can() throws Exception {
    assertThat(read(Map.of())).isEmpty();
    open.close();
    write(Map.of());
    assertThat(read(Map.of())).isEqualTo(ALL);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
    for (String name : List.of("servers.json", "lock")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name))))
          .isEqualTo("rw-------");
    }
    assertThat(names()).containsExactly("lock", "servers.json", "servers.json.lock");
  }

  @Test
  void with_a_key_the_file_shows_nothing_and_opens_with_that_key_alone() throws Exception {
    write(KEY);
    assertThat(Files.readString(folder.resolve("servers.json"), StandardCharsets.ISO_8859_1))
        .doesNotContain("git-mcp", "Git");
    assertThat(read(KEY)).isEqualTo(ALL);
    open.close();
    assertThat(read(OTHER_KEY)).isEmpty();
    open.close();
    assertThat(aside()).hasSize(1);
    Files.move(aside().get(0), folder.resolve("servers.json"));
    assertThat(read(KEY)).isEqualTo(ALL);
  }

  @Test
  void a_sealed_file_without_a_key_is_kept_aside() throws Exception {
    write(KEY);
    byte[] sealed = Files.readAllBytes(folder.resolve("servers.json"));
    assertThat(read(Map.of())).isEmpty();
    assertThat(folder.resolve("servers.json")).doesNotExist();
    assertThat(aside()).singleElement().satisfies(one -> assertThat(one).hasBinaryContent(sealed));
  }

  @Test
  void a_torn_file_and_one_of_a_newer_form_are_kept_aside_and_the_start_goes_on() throws Exception {
    write(Map.of());
    String whole = Files.readString(folder.resolve("servers.json"));
    for (String wrong :
        List.of(
            "",
            whole.substring(0, whole.length() / 2),
            whole.replace("\"form\" : 1", "\"form\" : 2"),
            "[]",
            "{\"form\": 1, \"servers\": {\"Not An Id\": {}}}")) {
      Files.writeString(folder.resolve("servers.json"), wrong);
      assertThat(read(Map.of())).as(wrong).isEmpty();
      open.write(ALL);
      open.close();
      assertThat(aside())
          .as(wrong)
          .singleElement()
          .satisfies(one -> assertThat(one).hasContent(wrong));
      Files.delete(aside().get(0));
      assertThat(read(Map.of())).isEqualTo(ALL);
      open.close();
    }
  }

  private List<Path> aside() throws IOException {
    return names().stream().filter(name -> name.contains(".aside-")).map(folder::resolve).toList();
  }

  @Test
  void a_second_user_of_the_folder_is_refused_with_the_folder_and_the_remedy() throws Exception {
    read(Map.of());
    StateFile second = StateFile.in(folder, Map.of());
    assertThatThrownBy(second::open)
        .hasMessageContaining("another mcpbus uses the state directory " + folder)
        .hasMessageContaining("\"state\"");
    open.close();
    second.open();
    second.close();
    assertThatThrownBy(() -> second.write(ALL)).hasMessageContaining("closed");
  }

  @Test
  void a_file_that_others_may_have_written_is_kept_aside_and_starts_nothing() throws Exception {
    write(Map.of());
    Path file = folder.resolve("servers.json");
    String content = Files.readString(file);
    for (String mode : List.of("rw-r--r--", "rw----r--", "rw-----w-", "rw-rw-rw-")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
      assertThat(read(Map.of())).as(mode).isEmpty();
      open.close();
      assertThat(aside()).as(mode).hasSize(1);
      Files.move(aside().get(0), file);
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
    assertThat(read(Map.of())).as("the group of the process, as in a volume").isEqualTo(ALL);
    open.close();
    Path elsewhere = Files.move(file, root.resolve("elsewhere.json"));
    Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rw-------"));
    Files.createSymbolicLink(file, elsewhere);
    assertThat(read(Map.of())).as("a link").isEmpty();
    open.close();
    assertThat(elsewhere).hasContent(content);
    assertThat(file).doesNotExist();
  }

  @Test
  @EnabledIf("isRoot")
  void a_file_of_another_user_is_kept_aside() throws Exception {
    write(Map.of());
    Files.setAttribute(folder.resolve("servers.json"), "unix:uid", 12_345);
    assertThat(read(Map.of())).isEmpty();
    assertThat(aside()).hasSize(1);
  }

  static boolean isRoot() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }
}
