package dev.mcpbus.cli.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cli.CommandFailure;
import dev.mcpbus.cli.CommandRun;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReader;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The files of other clients become one configuration. */
class ImportCommandTest {

  private static final String SECRET = "s3cr3t-value-of-a-key";

  @TempDir private Path root;
  private Path home;
  private Path project;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeEach
  void folders() throws IOException {
    home = Files.createDirectories(root.resolve("home"));
    project = Files.createDirectories(root.resolve("project"));
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private int run(String... args) {
    out.reset();
    err.reset();
    CommandLine line =
        new CommandLine(
            new ImportCommand(
                CommandRun.context(home, Map.of(), "", out, err, List.of()), project));
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          err.writeBytes(String.valueOf(failure.getMessage()).getBytes(StandardCharsets.UTF_8));
          return failure instanceof CommandFailure reason ? reason.exit().code() : 99;
        });
    return line.execute(args);
  }

  private String text() {
    return out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
  }

  private JsonObject written() throws IOException {
    return new JsonObject(Files.readString(project.resolve("conf/mcpbus.json")))
        .getJsonObject("mcpServers");
  }

  private static String servers(String key, String name) {
    return "{\""
        + key
        + "\": {\""
        + name
        + "\": {\"command\": \"npx\", \"args\": [\""
        + name
        + "\"]}}}";
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".config/Claude/claude_desktop_config.json",
        "Library/Application Support/Claude/claude_desktop_config.json",
        "AppData/Roaming/Claude/claude_desktop_config.json",
        ".claude.json",
        ".config/Code/User/mcp.json",
        "Library/Application Support/Code/User/mcp.json",
        "AppData/Roaming/Code/User/mcp.json",
        ".cursor/mcp.json",
        ".codeium/windsurf/mcp_config.json",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ".gemini/settings.json"
      })
  void the_file_of_each_client_is_found(String file) throws IOException {
    write(home.resolve(file), servers(file.contains("User/mcp") ? "servers" : "mcpServers", "git"));
    assertThat(run()).as(text()).isZero();
    assertThat(written().fieldNames()).containsExactly("git");
  }

  @ParameterizedTest
  @ValueSource(strings = {".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"})
  void the_file_of_a_project_is_found_too(String file) throws IOException {
    write(project.resolve(file), servers("mcpServers", "git"));
    assertThat(run()).as(text()).isZero();
    assertThat(written().fieldNames()).containsExactly("git");
  }

  @Test
  void projects_of_claude_code_start_in_their_folder_and_comments_are_allowed() throws IOException {
    write(
        home.resolve(".claude.json"),
        "{\"numStartups\": 5, \"projects\": {\"/srv/app\": "
            + servers("mcpServers", "db")
            + "}, // a comment\n}");
    write(
        home.resolve(".config/Code/User/settings.json"),
        "{\"mcp\": " + servers("servers", "code") + ", /* more */ \"editor\": 1}");
    assertThat(run()).as(text()).isZero();
    assertThat(written().getJsonObject("db").getString("cwd")).isEqualTo("/srv/app");
    assertThat(written().containsKey("code")).isTrue();
  }

  @Test
  void equal_servers_are_one_and_different_ones_get_the_clients_name() throws IOException {
    write(home.resolve(".cursor/mcp.json"), servers("mcpServers", "git"));
    write(home.resolve(".gemini/settings.json"), servers("mcpServers", "git"));
    write(
        home.resolve(".codeium/windsurf/mcp_config.json"),
        "{\"mcpServers\": {\"Git\": {\"command\": \"uvx\"}}}");
    assertThat(run()).isZero();
    assertThat(written().fieldNames()).containsExactly("git", "Git-windsurf");
    assertThat(text()).contains("the same again");
    assertThat(
            ConfigReader.read(project.resolve("conf/mcpbus.json"), ConfigEnvironment.system())
                .problems())
        .isEmpty();
  }

  @Test
  void a_name_that_the_bus_cannot_have_becomes_one_that_it_can() throws IOException {
    write(home.resolve(".cursor/mcp.json"), servers("mcpServers", "github.com/you/Tool"));
    assertThat(run()).isZero();
    assertThat(written().fieldNames()).containsExactly("github-com-you-tool");
  }

  @Test
  void secrets_are_written_for_the_user_alone_and_never_shown() throws IOException {
    write(
        home.resolve(".cursor/mcp.json"),
        "{\"mcpServers\": {\"a\": {\"command\": \"npx\", \"args\": [\"x\", \"--token\", \""
            + SECRET
            + "\"], \"env\": {\"API_KEY\": \""
            + SECRET
            + "\"}}, \"b\": {\"url\": \"https://b.example/mcp?key="
            + SECRET
            + "\", \"headers\": {\"Authorization\": \"Bearer "
            + SECRET
            + "\"}}}}");
    for (String[] args : new String[][] {{"--dry-run"}, {"--dry-run", "--json"}, {}}) {
      assertThat(run(args)).as(text()).isZero();
      assertThat(text()).contains("b.example").doesNotContain(SECRET);
    }
    Path file = project.resolve("conf/mcpbus.json");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(written().encode()).contains(SECRET);
  }

  @Test
  void a_file_that_exists_stays_without_force_and_a_dry_run_writes_nothing() throws IOException {
    write(home.resolve(".cursor/mcp.json"), servers("mcpServers", "git"));
    assertThat(run("--dry-run")).isZero();
    assertThat(project.resolve("conf")).doesNotExist();
    write(project.resolve("conf/mcpbus.json"), "mine");
    assertThat(run()).isEqualTo(1);
    assertThat(text()).contains("exists already", "--force");
    assertThat(project.resolve("conf/mcpbus.json")).hasContent("mine");
    assertThat(run("--force")).isZero();
    assertThat(written().fieldNames()).containsExactly("git");
  }

  @Test
  void a_broken_file_is_named_and_the_others_are_taken() throws IOException {
    write(home.resolve(".cursor/mcp.json"), "{\"mcpServers\": oops");
    write(home.resolve(".gemini/settings.json"), servers("mcpServers", "git"));
    assertThat(run()).isZero();
    assertThat(text()).contains("left out", ".cursor/mcp.json of Cursor", "line 1");
    assertThat(written().fieldNames()).containsExactly("git");
  }

  @Test
  void nothing_found_is_exit_code_2() {
    assertThat(run()).isEqualTo(2);
    Assertions.assertThat(text()).contains("mcpbus import FILE");
  }
}
