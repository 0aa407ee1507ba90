package dev.mcpbus.cli.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cli.CommandFailure;
import dev.mcpbus.cli.CommandRun;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.read.ConfigReader;
import io.vertx.core.json.JsonArray;
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
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        ".config/amp/settings.json",
        ".gemini/settings.json",
        ".gemini/antigravity/mcp_config.json",
        ".qwen/settings.json",
        ".copilot/mcp-config.json",
        ".aws/amazonq/mcp.json",
        ".kiro/settings/mcp.json",
        ".junie/mcp/mcp.json",
        ".lmstudio/mcp.json",
        ".augment/settings.json",
        ".factory/mcp.json"
      })
  void the_file_of_each_client_is_found(String file) throws IOException {
    String key =
        file.contains("User/mcp")
            ? "servers"
            : file.contains("amp/") ? "amp.mcpServers" : "mcpServers";
    write(home.resolve(file), servers(key, "git"));
    assertThat(run()).as(text()).isZero();
    assertThat(written().fieldNames()).containsExactly("git");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".mcp.json",
        ".vscode/mcp.json",
        ".cursor/mcp.json",
        ".roo/mcp.json",
        ".kiro/settings/mcp.json",
        ".junie/mcp/mcp.json",
        ".amazonq/mcp.json",
        ".trae/mcp.json",
        "librechat.yaml"
      })
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
  void a_name_stays_as_it_is_written() throws IOException {
    write(home.resolve(".cursor/mcp.json"), servers("mcpServers", "github.com/you/Tool"));
    assertThat(run()).isZero();
    assertThat(written().fieldNames()).containsExactly("github.com/you/Tool");
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
    assertThat(text()).contains("left out", ".cursor/mcp.json of Cursor", "mcp.json:1");
    assertThat(written().fieldNames()).containsExactly("git");
  }

  @Test
  void nothing_found_is_exit_code_2() {
    assertThat(run()).isEqualTo(2);
    Assertions.assertThat(text()).contains("mcpbus import FILE");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "startCommand: {type: stdio}| smithery.yaml, ",
        "mcpServers: ./.mcp.json|names another file, read that one"
      })
  void a_named_file_without_servers_is_explained(String text) throws IOException {
    List<String> parts = List.of(text.split("\\|"));
    write(project.resolve("some.yaml"), parts.get(0));
    assertThat(run("some.yaml")).isEqualTo(2);
    assertThat(text()).contains("left out: ", parts.get(1));
  }

  private JsonObject imported(String file, String text) throws IOException {
    write(project.resolve(file), text);
    assertThat(run("--force")).as(text()).isZero();
    return written();
  }

  @Test
  void what_is_relative_in_a_projects_file_means_the_project() throws IOException {
    String folder = project.toString();
    JsonObject one =
        imported(
                ".cursor/mcp.json",
                """
                {"mcpServers": {"one": {"command": "./server.js",
                  "args": ["${workspaceFolder}/data", "rel/x", "${workspaceFolder:app}", "~/y",
                    "${userHome}/z", "${HOME}", "${workspaceFolderBasename}"],
                  "env": {"ROOT": "${workspaceFolder}", "KEY_FILE": "keys/k", "A": "${A:-b}"},
                  "envFile": ".env"}}}
                """)
            .getJsonObject("one");
    assertThat(one.getString("command")).isEqualTo("./server.js");
    assertThat(one.getString("cwd")).isEqualTo(folder);
    assertThat(one.getString("envFile")).isEqualTo(folder + "/.env");
    assertThat(one.getJsonArray("args"))
        .isEqualTo(
            JsonArray.of(
                folder + "/data", "rel/x", folder, "~/y", "${userHome}/z", "${HOME}", "project"));
    assertThat(one.getJsonObject("env").getMap())
        .isEqualTo(Map.of("ROOT", folder, "KEY_FILE", "keys/k", "A", "${A:-b}"));
    JsonObject two =
        imported(
            ".vscode/mcp.json",
            """
                {"servers": {"two": {"command": "node", "cwd": "sub/dir", "envFile": "~/.env"},
                  "web": {"url": "https://w.example/mcp", "tls": {"caFile": "ca.pem"}}}}
                """);
    assertThat(two.getJsonObject("two").getString("cwd")).isEqualTo(folder + "/sub/dir");
    assertThat(two.getJsonObject("two").getString("envFile")).isEqualTo("~/.env");
    assertThat(two.getJsonObject("web").getJsonObject("tls").getString("caFile"))
        .isEqualTo(folder + "/ca.pem");
    assertThat(two.getJsonObject("web").containsKey("cwd")).isFalse();
  }

  @Test
  void an_import_means_what_the_file_itself_means() throws IOException {
    Path file = project.resolve(".vscode/mcp.json");
    write(
        file,
        """
        {"servers": {"a": {"command": "./run", "args": ["${workspaceFolder}"], "envFile": "e"},
          "b": {"command": "npx", "cwd": "${workspaceFolder}/x", "timeout": 5000}}}
        """);
    write(project.resolve("e"), "A=b\n");
    assertThat(run()).as(text()).isZero();
    ConfigEnvironment environment = ConfigEnvironment.system();
    assertThat(views(project.resolve("conf/mcpbus.json"), environment))
        .isEqualTo(views(file, environment));
  }

  private static List<JsonObject> views(Path file, ConfigEnvironment environment) {
    return ConfigReader.read(file, environment).usable().orElseThrow().servers().stream()
        .map(server -> server.view())
        .toList();
  }

  @Test
  void a_named_file_of_another_folder_starts_its_programs_there_and_one_of_the_user_nowhere()
      throws IOException {
    Path other = root.resolve("other/.cursor/mcp.json");
    write(other, servers("mcpServers", "git"));
    Path user = home.resolve(".cursor/mcp.json");
    write(user, servers("mcpServers", "hub"));
    assertThat(run(other.toString(), user.toString())).as(text()).isZero();
    assertThat(written().getJsonObject("git").getString("cwd"))
        .isEqualTo(root.resolve("other").toString());
    assertThat(written().getJsonObject("hub").containsKey("cwd")).isFalse();
  }

  @Test
  void inputs_are_taken_with_the_servers_that_use_them_and_get_an_id_of_their_own()
      throws IOException {
    write(
        home.resolve(".config/Code/User/mcp.json"),
        """
        {"inputs": [{"id": "key", "type": "promptString", "description": "one", "password": true},
            {"id": "unused", "type": "promptString"}],
          "servers": {"a": {"command": "x", "env": {"K": "${input:key}"}}}}
        """);
    write(
        project.resolve(".vscode/mcp.json"),
        """
        {"inputs": [{"id": "key", "type": "promptString", "description": "two", "default": "eu"}],
          "servers": {"b": {"command": "x", "env": {"K": "${input:key}"}}}}
        """);
    assertThat(run()).as(text()).isZero();
    JsonObject whole = new JsonObject(Files.readString(project.resolve("conf/mcpbus.json")));
    assertThat(whole.getJsonArray("inputs").encode())
        .isEqualTo(
            "[{\"id\":\"key\",\"type\":\"promptString\",\"description\":\"one\","
                + "\"password\":true},{\"id\":\"key-vs-code\",\"type\":\"promptString\","
                + "\"description\":\"two\",\"default\":\"eu\"}]");
    assertThat(whole.getJsonObject("mcpServers").getJsonObject("b").getJsonObject("env").encode())
        .isEqualTo("{\"K\":\"${input:key-vs-code}\"}");
    assertThat(
            ConfigReader.read(
                    project.resolve("conf/mcpbus.json"),
                    ConfigEnvironment.system()
                        .withInputs(id -> java.util.Optional.of("value-of-" + id)))
                .problems())
        .isEmpty();
  }

  @Test
  void files_of_other_forms_are_written_in_keys_of_mcpbus() throws IOException {
    write(
        home.resolve(".config/zed/settings.json"),
        "{\"context_servers\": {\"zed\": {\"command\": {\"path\": \"npx\", \"args\": [\"z\"]},"
            + " \"timeout\": 90}, \"part\": {\"source\": \"extension\", \"settings\": {}}}}");
    write(
        home.resolve(".codex/config.toml"),
        """
        [mcp_servers.codex]
        url = "https://c.example/mcp"
        bearer_token_env_var = "T"
        startup_timeout_sec = 20
        """);
    write(
        home.resolve(".config/goose/config.yaml"),
        "extensions: {goose: {enabled: true, type: stdio, cmd: npx, args: [g], timeout: 300}}");
    write(
        home.resolve(".config/opencode/opencode.json"),
        "{\"mcp\": {\"open\": {\"type\": \"local\", \"command\": [\"npx\", \"{env:A}\"]}}}");
    write(
        project.resolve(".continue/mcpServers/c.yaml"),
        "name: c\nversion: 1\nschema: v1\nmcpServers:\n  - {name: cont, command: npx}\n");
    assertThat(run()).as(text()).isZero();
    assertThat(written())
        .isEqualTo(
            new JsonObject()
                .put(
                    "zed",
                    new JsonObject("{\"command\":\"npx\",\"timeout\":\"90s\",\"args\":[\"z\"]}"))
                .put(
                    "open",
                    new JsonObject(
                        "{\"type\":\"local\",\"command\":\"npx\",\"args\":[\"${env:A}\"]}"))
                .put(
                    "goose",
                    new JsonObject(
                        "{\"enabled\":true,\"type\":\"stdio\",\"args\":[\"g\"],\"timeout\":\"300s\","
                            + "\"command\":\"npx\"}"))
                .put(
                    "codex",
                    new JsonObject(
                        "{\"url\":\"https://c.example/mcp\",\"handshakeTimeout\":\"20s\","
                            + "\"headers\":{\"Authorization\":\"Bearer ${env:T}\"}}"))
                .put(
                    "cont", new JsonObject().put("command", "npx").put("cwd", project.toString())));
  }

  @Test
  void a_file_that_counts_seconds_keeps_them() throws IOException {
    write(project.resolve("a.yaml"), "mcp_servers:\n  a: {command: x, timeout: 30}\n");
    write(
        project.resolve(".roo/mcp.json"),
        "{\"mcpServers\": {\"r\": {\"command\": \"x\", \"timeout\": 60}}}");
    assertThat(run("a.yaml", ".roo/mcp.json")).as(text()).isZero();
    assertThat(written().getJsonObject("a").getString("timeout")).isEqualTo("30s");
    assertThat(written().getJsonObject("r").getString("timeout")).isEqualTo("60s");
  }

  @Test
  void a_file_of_the_registry_is_taken_with_references_to_its_inputs() throws IOException {
    write(
        project.resolve("server.json"),
        "{\"name\": \"io.x/notes\", \"packages\": [{\"registryType\": \"npm\", \"identifier\":"
            + " \"notes\", \"version\": \"1.0.0\"}]}");
    assertThat(run("server.json")).as(text()).isZero();
    assertThat(written().getJsonObject("notes").getString("command")).isEqualTo("npx");
  }

  @Test
  void a_key_that_stands_twice_and_a_mistake_of_a_server_are_named() throws IOException {
    write(
        home.resolve(".codex/config.toml"), "[mcp_servers.a]\ncommand = \"x\"\ncommand = \"y\"\n");
    write(
        home.resolve(".config/opencode/opencode.json"),
        "{\"mcp\": {\"a\": {\"type\": \"remote\", \"url\": \"{file:x}\"}}}");
    write(home.resolve(".gemini/settings.json"), servers("mcpServers", "git"));
    assertThat(run()).as(text()).isZero();
    assertThat(text())
        .contains("config.toml of Codex: config.toml:3: a key or a table stands twice")
        .contains("server \"a\": mcpbus does not read {file:...} in a text");
  }
}
