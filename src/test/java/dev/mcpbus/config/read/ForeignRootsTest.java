package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.StdioOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of other programs are read as these programs read them. */
class ForeignRootsTest {

  @TempDir Path directory;

  private ConfigResult read(String name, String text) {
    return Sample.in(directory)
        .with(Map.of("TOKEN", "canary-1", "PATH", "/bin", "MCPBUS_KEY", "own-key"))
        .read(name, text);
  }

  private ServerDefinition good(String name, String text) {
    ConfigResult result = read(name, text);
    assertThat(result.problems()).isEmpty();
    return result.usable().orElseThrow().servers().get(0);
  }

  private List<String> problems(String name, String text) {
    return Sample.in(directory).texts(read(name, text));
  }

  private static List<String> launch(ServerDefinition server) {
    StdioOptions stdio = (StdioOptions) server.transport();
    List<String> all = new ArrayList<>(List.of(stdio.command().reveal()));
    stdio.args().stream().map(Sensitive::reveal).forEach(all::add);
    return all;
  }

  private static Map<String, Sensitive> env(ServerDefinition server) {
    return ((StdioOptions) server.transport()).env();
  }

  private static Map<String, Sensitive> headers(ServerDefinition server) {
    return ((HttpOptions) server.transport()).headers();
  }

  private List<String> notes(ConfigResult result) {
    return result.notes().stream()
        .map(note -> note.toString().replace(directory + "/", ""))
        .toList();
  }

  // ---- Zed

  @Test
  void zed_has_a_command_as_text_or_object_and_seconds() {
    ServerDefinition flat =
        good(
            "settings.json",
            """
            {"theme": "x", // mine
             "auto_update": false,
             "context_servers": {"docs": {"source": "custom", "enabled": true, "remote": false,
               "command": "npx", "args": ["-y", "docs"], "env": {"A": "b"}, "timeout": 90,
               "settings": {},}}}
            """);
    assertThat(launch(flat)).containsExactly("npx", "-y", "docs");
    assertThat(env(flat)).isEqualTo(Sensitive.values(Map.of("A", "b")));
    assertThat(flat.connection().requestTimeout()).isEqualTo(Duration.ofSeconds(90));
    ServerDefinition object =
        good(
            "settings.json",
            "{\"context_servers\": {\"docs\": {\"command\": {\"path\": \"npx\", \"args\": [\"d\"],"
                + " \"env\": null}, \"settings\": {}}}}");
    assertThat(launch(object)).containsExactly("npx", "d");
    assertThat(
            headers(
                good(
                    "settings.json",
                    "{\"context_servers\": {\"web\": {\"url\": \"https://w.example/mcp\","
                        + " \"headers\": {\"X\": \"y\"}}}}")))
        .containsKey("X");
  }

  @Test
  void a_part_of_the_program_is_left_out_with_a_note() {
    ConfigResult zed =
        read(
            "settings.json",
            "{\"context_servers\": {\"pg\": {\"source\": \"extension\", \"settings\": {\"u\": 1}},\n"
                + "\"a\": {\"command\": \"npx\"}}}");
    assertThat(zed.problems()).isEmpty();
    assertThat(zed.usable().orElseThrow().servers()).hasSize(1);
    assertThat(notes(zed))
        .containsExactly(
            "settings.json:1: \"context_servers\" of Zed is read as \"mcpServers\". \"mcpbus import"
                + " FILE\" writes the servers in mcpbus's own keys",
            "settings.json:1: server \"pg\": it is a part of Zed, which alone can start it; it is"
                + " left out. Leave it there, or name the program of the server in \"command\"");
  }

  @Test
  void an_unknown_key_is_ignored_with_a_note_unless_it_may_be_a_restriction() {
    String text = "{\"context_servers\": {\"a\": {\"command\": \"npx\", \"%s\": {}}}}";
    ConfigResult result = read("settings.json", text.formatted("theme"));
    assertThat(result.problems()).isEmpty();
    assertThat(notes(result)).anyMatch(note -> note.contains("\"theme\" of Zed is ignored"));
    assertThat(problems("settings.json", text.formatted("tool_permissions")))
        .singleElement()
        .asString()
        .contains("unknown key \"tool_permissions\"");
  }

  // ---- restrictions outside of the entries

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'tools': {'gh_delete*': false, 'bash': false, 'gh_list': true}|list bash|delete_repo",
        "'tools': {'gh*': false}||list",
        "'permission': {'edit': 'deny', 'gh_x': 'deny', 'gh_y': 'ask'}|y edit|x",
        "'permission': 'deny'||x",
        "'permission': 'ask'|x|",
        "'permissions': {'allowed_tools': ['view']}|x view|",
        "'options': {'disabled_tools': ['bash', 'mcp_gh_x']}|bash|x"
      })
  void what_opencode_and_crush_deny_outside_of_an_entry_is_denied(
      String restriction, String admitted, String denied) {
    ServerDefinition server =
        good(
            "opencode.json",
            ("{'mcp': {'gh': {'type': 'local', 'command': ['x'], 'disabledTools': ['z']}}, "
                    + restriction
                    + "}")
                .replace('\'', '"'));
    for (String tool : admitted == null ? new String[0] : admitted.split(" ")) {
      assertThat(server.connection().tools().admits(tool)).as(tool).isTrue();
    }
    for (String tool : denied == null ? new String[] {"z"} : new String[] {"z", denied}) {
      assertThat(server.connection().tools().admits(tool)).as(tool).isFalse();
    }
  }

  @Test
  void what_amp_denies_by_name_is_denied() {
    ServerDefinition server =
        good(
            "settings.json",
            "{\"files.exclude\": {\"x\": true}, \"amp.dangerouslyAllowAll\": false,"
                + " \"amp.permissions\": [{\"tool\": \"Bash\", \"action\": \"allow\"}],"
                + " \"amp.tools.disable\": [\"mcp__gh__x\", \"navigate\", \"builtin:y\"],"
                + " \"amp.mcpServers\": {\"gh\": {\"command\": \"x\"}}}");
    assertThat(List.of("x", "navigate", "y", "z"))
        .filteredOn(server.connection().tools()::admits)
        .containsExactly("y", "z");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "amp.mcpServers|'amp.mcpPermissions': [{'matches': {'command': 'x'}, 'action': 'reject'}]",
        "amp.mcpServers|'amp.tools.enable': ['x']",
        "mcp|'sandbox': true",
        "mcp|'toolFilter': ['x']",
        "mcp|'tools': ['x']",
        "context_servers|'agent': {'tool_permissions': {'tools': {'mcp:gh:x': {'default': 'deny'}}}}"
      })
  void another_restriction_outside_of_the_entries_leaves_the_servers_out(
      String root, String restriction) {
    String text = ("{'" + root + "': {'gh': {'command': 'x'}},\n" + restriction + "}");
    ConfigResult result = read("settings.json", text.replace('\'', '"'));
    assertThat(result.usable()).isEmpty();
    assertThat(result.problems())
        .singleElement()
        .asString()
        .contains("settings.json:2: unknown key \"", "which may restrict the servers");
  }

  @Test
  void a_denial_that_has_no_form_here_leaves_its_server_out() {
    String text = "{\"mcp\": {\"gh\": {\"command\": \"x\"}, \"docs\": {\"command\": \"y\"}}, %s}";
    for (String restriction :
        List.of(
            "\"tools\": {\"g*_delete\": false}",
            "\"permission\": {\"gh_x\": {\"a *\": \"deny\"}}")) {
      ConfigResult result = read("opencode.json", text.formatted(restriction));
      assertThat(result.problems())
          .singleElement()
          .asString()
          .contains("server \"gh\"", "which mcpbus cannot do as it does");
      assertThat(result.usable().orElseThrow().servers())
          .extracting(one -> one.id().value())
          .containsExactly("docs");
    }
  }

  @Test
  void what_restricts_codex_alone_is_a_note() {
    ConfigResult result =
        read("config.toml", "sandbox_mode = \"read-only\"\n[mcp_servers.a]\ncommand = \"x\"\n");
    assertThat(result.problems()).isEmpty();
    assertThat(notes(result))
        .anyMatch(note -> note.contains("\"sandbox_mode\" of Codex is ignored"));
  }

  // ---- opencode and Crush

  @Test
  void opencode_has_local_and_remote_servers_and_its_own_variables() {
    String text =
        """
        {"$schema": "x", "model": "m", "mcp": {
          "local": {"type": "local", "command": ["bun", "x", "{env:TOKEN}"], "enabled": true,
            "environment": {"KEY": "{env:TOKEN}"}, "timeout": 5000},
          "far": {"type": "remote", "url": "https://f.example/mcp", "oauth": false,
            "headers": {"Authorization": "Bearer {env:TOKEN}"}},
          "off": {"enabled": false}}}
        """;
    ConfigResult result = read("opencode.json", text);
    assertThat(result.problems()).isEmpty();
    List<ServerDefinition> servers = result.usable().orElseThrow().servers();
    assertThat(servers).hasSize(2);
    assertThat(launch(servers.get(0))).containsExactly("bun", "x", "canary-1");
    assertThat(env(servers.get(0))).containsEntry("KEY", Sensitive.of("canary-1"));
    assertThat(servers.get(0).connection().requestTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(headers(servers.get(1)))
        .containsEntry("Authorization", Sensitive.of("Bearer canary-1"));
    assertThat(servers.get(0).view().encode()).doesNotContain("canary");
  }

  @Test
  void crush_counts_seconds_and_writes_variables_as_a_shell_does() {
    ServerDefinition server =
        good(
            "crush.json",
            """
            {"mcp": {"gh": {"type": "http", "url": "https://g.example/mcp/", "timeout": 120,
              "disabled": false, "disabled_tools": ["x"], "headers": {"Authorization": "Bearer $TOKEN"}}}}
            """);
    assertThat(headers(server)).containsEntry("Authorization", Sensitive.of("Bearer canary-1"));
    assertThat(server.connection().requestTimeout()).isEqualTo(Duration.ofMinutes(2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{file:./key}", "$(cat key)"})
  void what_mcpbus_does_not_fill_in_leaves_the_server_out(String value) {
    assertThat(
            problems(
                "opencode.json",
                "{\"mcp\": {\"a\": {\"type\": \"remote\", \"url\": \"https://a.example\",\n\"headers\":"
                    + " {\"K\": \""
                    + value
                    + "\"}}}}"))
        .singleElement()
        .asString()
        .startsWith("opencode.json:2: server \"a\": mcpbus does not read ")
        .endsWith("in a text. Put the value into a variable and write ${NAME}");
  }

  // ---- Codex

  @Test
  void codex_names_variables_and_seconds() {
    String text =
        """
        model = "m"
        [features]
        x = true

        [mcp_servers.files]
        command = "npx"
        args = ["-y", "files"]
        cwd = "work"
        env_vars = ["TOKEN", { name = "UNSET", source = "local" }]
        startup_timeout_sec = 20.5
        tool_timeout_sec = 45
        enabled_tools = ["read"]
        required = true

        [mcp_servers.files.env]
        "A" = "b"

        [mcp_servers."far away"]
        url = "https://f.example/mcp"
        bearer_token_env_var = "TOKEN"
        http_headers = { "X-Region" = "eu" }
        env_http_headers = { "X-Token" = "TOKEN" }

        [mcp_servers.off]
        command = "x"
        enabled = false
        """;
    ConfigResult result = read("config.toml", text);
    assertThat(result.problems()).isEmpty();
    List<ServerDefinition> servers = result.usable().orElseThrow().servers();
    assertThat(servers).hasSize(2);
    StdioOptions files = (StdioOptions) servers.get(0).transport();
    assertThat(launch(servers.get(0))).containsExactly("npx", "-y", "files");
    assertThat(files.env())
        .isEqualTo(Sensitive.values(Map.of("A", "b", "TOKEN", "canary-1", "UNSET", "")));
    assertThat(files.cwd()).isEqualTo(Sensitive.of(directory.resolve("work").toString()));
    assertThat(servers.get(0).connection().handshakeTimeout()).isEqualTo(Duration.ofMillis(20_500));
    assertThat(servers.get(0).connection().requestTimeout()).isEqualTo(Duration.ofSeconds(45));
    assertThat(headers(servers.get(1)))
        .isEqualTo(
            Sensitive.values(
                Map.of(
                    "X-Region", "eu", "X-Token", "canary-1", "Authorization", "Bearer canary-1")));
    assertThat(servers.get(1).view().encode()).doesNotContain("canary");
    assertThat(notes(result)).singleElement().asString().contains("of Codex is read as");
  }

  @Test
  void a_problem_in_toml_has_the_line_of_its_key() {
    assertThat(problems("config.toml", "a = 1\n\n[mcp_servers.x]\nargs = [\"y\"]\ncommand = 5\n"))
        .containsExactly(
            "config.toml:5: server \"x\": \"command\" must be a string, not a number. Put it in"
                + " quotes");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[mcp_servers.a]\\ncommand = \"x\"\\ncommand = \"y\"|config.toml:3",
        "[mcp_servers.a]\\ncommand = \"x\"\\ncommand = \"y\"\\n|config.toml:3",
        "[a]\\nx = 1\\n[a]\\ny = 2|config.toml:3",
        "[mcp_servers.a]\\ncommand = canary|config.toml:2:11",
        "[mcp_servers.a]\\ncommand = \"canary\\n|config.toml:2:",
        "x = 99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999|config.toml:1"
      })
  void a_mistake_in_toml_has_its_place_and_no_word_of_the_file(String text, String place) {
    assertThat(problems("config.toml", text.replace("\\n", "\n")))
        .singleElement()
        .asString()
        .startsWith(place)
        .doesNotContain("canary", "9999");
  }

  @Test
  void toml_has_the_bounds_of_the_other_forms() {
    for (String deep :
        List.of(
            "x = " + "[".repeat(100_000),
            "[" + "a.".repeat(100_000) + "b]\nc = 1",
            "a.".repeat(50_000) + "b = 1",
            "x = " + "{ a = ".repeat(50_000) + "1")) {
      assertThat(problems("config.toml", deep))
          .singleElement()
          .asString()
          .contains("deeper than 32");
    }
    assertThat(problems("config.toml", "x = \"" + "y".repeat(2_000_000) + "\""))
        .singleElement()
        .asString()
        .contains("longer than 1 MiB");
    assertThat(problems("config.toml", "")).singleElement().asString().contains("no servers");
  }

  // ---- Goose

  @Test
  void goose_has_extensions_and_parts_of_its_own() {
    String text =
        """
        GOOSE_PROVIDER: openai
        extensions:
          developer: {enabled: true, type: builtin, name: developer, timeout: 300, bundled: true}
          memory: {enabled: false, type: builtin, name: memory}
          github:
            enabled: true
            type: stdio
            name: github
            description: d
            cmd: npx
            args: [-y, gh]
            envs: {A: b}
            env_keys: [TOKEN]
            timeout: 300
            available_tools: [issues]
          web:
            enabled: true
            type: streamable_http
            name: web
            uri: https://w.example/mcp
            headers: {X: y}
          old:
            enabled: true
            type: sse
            uri: https://o.example/sse
          nested:
            enabled: true
            config: {type: stdio, cmd: uvx, args: [n], timeout: 120}
          off: {enabled: false, type: stdio, cmd: never}
        """;
    ConfigResult result = read("config.yaml", text);
    assertThat(result.problems()).isEmpty();
    List<ServerDefinition> servers = result.usable().orElseThrow().servers();
    assertThat(servers)
        .extracting(one -> one.id().value())
        .containsExactly("github", "web", "old", "nested");
    assertThat(launch(servers.get(0))).containsExactly("npx", "-y", "gh");
    assertThat(env(servers.get(0)))
        .isEqualTo(Sensitive.values(Map.of("A", "b", "TOKEN", "canary-1")));
    assertThat(servers.get(0).connection().requestTimeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(servers.get(1).transport()).isInstanceOf(HttpOptions.class);
    assertThat(servers.get(2).transport()).isInstanceOf(SseOptions.class);
    assertThat(launch(servers.get(3))).containsExactly("uvx", "n");
    assertThat(notes(result)).hasSize(2).anyMatch(note -> note.contains("\"developer\""));
  }

  // ---- Continue and other lists

  @Test
  void a_list_has_its_names_inside_and_continue_its_secrets() {
    ConfigResult result =
        read(
            "mcp.yaml",
            """
            name: mine
            version: 0.0.1
            schema: v1
            models: [{name: m}]
            mcpServers:
              - name: web
                type: streamable-http
                url: https://w.example/mcp
                requestOptions:
                  headers: {Authorization: "Bearer ${{ secrets.org/TOKEN }}"}
              - name: Local one
                command: npx
                args: [x]
                env: {KEY: "${{secrets.TOKEN}}"}
                connectionTimeout: 5000
            """);
    assertThat(result.problems()).isEmpty();
    List<ServerDefinition> servers = result.usable().orElseThrow().servers();
    assertThat(headers(servers.get(0)))
        .containsEntry("Authorization", Sensitive.of("Bearer canary-1"));
    assertThat(env(servers.get(1))).containsEntry("KEY", Sensitive.of("canary-1"));
    assertThat(servers.get(1).connection().handshakeTimeout()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void a_list_without_names_or_with_one_twice_is_a_problem() {
    assertThat(problems("a.json", "{\"mcpServers\": [\n{\"command\": \"x\"}]}"))
        .containsExactly(
            "a.json:2: a server in the list \"mcpServers\" has no \"name\". Write \"name\" into"
                + " each, or the servers as an object by name");
    assertThat(
            problems(
                "a.json",
                "{\"mcpServers\": [\n{\"name\": \"a\", \"command\": \"x\"},\n{\"name\": \"a\","
                    + " \"command\": \"y\"}]}"))
        .containsExactly(
            "a.json:3: the name \"a\" stands twice, on lines 2 and 3. Remove or rename one of them");
  }

  @Test
  void settings_of_mcpbus_beside_a_list_count_and_auth_beside_another_root_is_not_lost() {
    assertThat(
            read(
                    "a.json",
                    "{\"mcpServers\": [{\"name\": \"a\", \"command\": \"x\"}], \"bridge\": {\"port\":"
                        + " 9999}}")
                .usable()
                .orElseThrow()
                .bridge()
                .port())
        .isEqualTo(9999);
    assertThat(
            problems(
                "a.json",
                "{\"context_servers\": {\"a\": {\"command\": \"x\"}}, \"auth\": {\"apiKeys\": 5}}"))
        .isNotEmpty();
  }

  // ---- further places

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "settings.json|{\"mcp\": {\"servers\": {\"a\": {\"command\": \"npx\"}}}}",
        "settings.json|{\"mcp.servers\": {\"a\": {\"command\": \"npx\"}}}",
        "x.code-workspace|{\"settings\": {\"mcp\": {\"servers\": {\"a\": {\"command\": \"npx\"}}}}}",
        "devcontainer.json|{\"customizations\": {\"vscode\": {\"mcp\": {\"servers\": {\"a\":"
            + " {\"command\": \"npx\"}}}}}}",
        "settings.json|{\"amp.url\": \"x\", \"amp.mcpServers\": {\"a\": {\"command\": \"npx\"}}}",
        "settings.json|{\"augment.advanced\": {\"mcpServers\": [{\"name\": \"a\", \"command\":"
            + " \"npx\"}]}}",
        "config.json|{\"experimental\": {\"modelContextProtocolServers\": [{\"name\": \"a\","
            + " \"transport\": {\"type\": \"stdio\", \"command\": \"npx\"}}]}}",
        ".mcp.json|{\"a\": {\"command\": \"npx\"}}",
        "librechat.yaml|{version: 1.2.1, cache: true, mcpServers: {a: {type: stdio, command: npx,"
            + " initTimeout: 10000, serverInstructions: true, iconPath: x}}}"
      })
  void other_places_of_servers_are_found(String file, String text) {
    ServerDefinition server = good(file, text);
    assertThat(server.id().value()).isEqualTo("a");
    assertThat(launch(server)).containsExactly("npx");
  }

  @Test
  void a_program_of_a_projects_file_starts_in_the_project() {
    for (String file : List.of(".mcp.json", ".vscode/mcp.json", ".kiro/settings/mcp.json")) {
      StdioOptions stdio =
          (StdioOptions)
              good("p/" + file, "{\"mcpServers\": {\"a\": {\"command\": \"./run\"}}}").transport();
      assertThat(stdio.cwd()).as(file).isEqualTo(Sensitive.of(directory.resolve("p").toString()));
    }
    StdioOptions own =
        (StdioOptions)
            good("p/x.json", "{\"mcpServers\": {\"a\": {\"command\": \"./run\"}}}").transport();
    assertThat(own.cwd()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "cline_mcp_settings.json, 60000",
    ".roo/mcp.json, 60000",
    ".kilocode/mcp.json, 60000",
    ".cursor/mcp.json, 60"
  })
  void cline_and_roo_count_seconds(String file, long millis) {
    ServerDefinition server =
        good(
            file,
            "{\"mcpServers\": {\"a\": {\"command\": \"npx\", \"timeout\": 60, \"alwaysAllow\": [],"
                + " \"watchPaths\": []}}}");
    assertThat(server.connection().requestTimeout()).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "\"transport\": \"streamable_http\", \"url\": \"http://h/mcp\"|http",
        "\"transport\": \"streamable-http\", \"url\": \"http://h/mcp\"|http",
        "\"transport\": \"http\", \"url\": \"http://h/mcp\", \"type\": \"streamableHttp\"|http",
        "\"transport\": \"sse\", \"url\": \"http://h/mcp\"|sse",
        "\"transport\": \"stdio\", \"command\": \"x\"|stdio",
        "\"transportType\": \"stdio\", \"command\": \"x\"|stdio",
        "\"transport\": {\"type\": \"sse\", \"url\": \"http://h/mcp\"}|sse",
        "\"type\": \"local\", \"command\": \"x\", \"tools\": [\"*\"]|stdio",
        "\"type\": \"remote\", \"url\": \"http://h/mcp\"|http",
        "\"type\": \"streamableHttp\", \"baseUrl\": \"http://h/mcp\", \"isActive\": true|http",
        "\"command\": \"x\", \"working_directory\": \"/srv\", \"start_on_launch\": true|stdio"
      })
  void foreign_keys_are_read(String members, String type) {
    assertThat(good("mcp.json", "{\"mcpServers\": {\"a\": {" + members + "}}}").transport().type())
        .isEqualTo(type);
  }

  @Test
  void a_server_that_is_not_active_does_not_run_and_two_types_are_a_problem() {
    assertThat(
            read("mcp.json", "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"isActive\": false}}}")
                .usable()
                .orElseThrow()
                .servers())
        .isEmpty();
    assertThat(
            problems(
                "mcp.json",
                "{\"mcpServers\": {\"a\": {\"url\": \"http://h/\", \"type\": \"http\","
                    + " \"transport\": \"sse\"}}}"))
        .containsExactly(
            "mcp.json:1: server \"a\": \"type\" and \"transport\" mean the same. Keep one of them");
  }

  // ---- whose file it is

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "config.toml|[mcp_servers.a]\\nurl = \"https://a.example\"\\nbearer_token_env_var = \"MCPBUS_KEY\"",
        "config.toml|[mcp_servers.a]\\ncommand = \"x\"\\nenv = { K = \"${MCPBUS_KEY}\" }",
        "config.toml|[mcp_servers.a]\\nurl = \"https://a.example\"\\nenv_http_headers = { K = \"mcpbus_key\" }",
        "config.yaml|extensions: {a: {enabled: true, type: stdio, cmd: x, env_keys: [MCPBUS_KEY]}}",
        "opencode.json|{\"mcp\": {\"a\": {\"type\": \"local\", \"command\": [\"x\", \"{env:MCPBUS_KEY}\"]}}}",
        "crush.json|{\"mcp\": {\"a\": {\"type\": \"stdio\", \"command\": \"x\", \"env\": {\"K\": \"$MCPBUS_KEY\"}}}}",
        "c.yaml|mcpServers: [{name: a, command: x, env: {K: \"${{ secrets.MCPBUS_KEY }}\"}}]"
      })
  void a_variable_of_mcpbus_itself_gets_into_no_file(String file, String text) {
    ConfigResult result = read(file, text.replace("\\n", "\n"));
    assertThat(result.problems())
        .singleElement()
        .asString()
        .contains("is mcpbus's own, and its value does not go elsewhere");
    assertThat(result.usable().orElseThrow().servers()).isEmpty();
  }

  @Test
  void a_variable_that_codex_passes_on_if_it_is_set_is_empty_where_it_is_mcpbuss_own() {
    assertThat(
            env(
                good(
                    "config.toml",
                    "[mcp_servers.a]\ncommand = \"x\"\nenv_vars = [\"MCPBUS_KEY\"]")))
        .isEqualTo(Sensitive.values(Map.of("MCPBUS_KEY", "")));
  }
}
