package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OAuthOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.StdioOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files as people publish them, with what no page about their programs says. */
class PublishedFilesTest {

  @TempDir Path directory;

  private ConfigResult read(String name, String text) {
    return Sample.in(directory)
        .with(Map.of("TOKEN", "canary-1", "PATH", "/bin"))
        .read(name, text.replace('\'', '"'));
  }

  private List<ServerDefinition> all(String name, String text) {
    ConfigResult result = read(name, text);
    assertThat(Sample.in(directory).texts(result)).isEmpty();
    return result.usable().orElseThrow().servers();
  }

  private ServerDefinition good(String name, String text) {
    return all(name, text).get(0);
  }

  private ServerDefinition entry(String members) {
    return good("x.json", "{'mcpServers': {'a': {" + members + "}}}");
  }

  private List<String> problems(String name, String text) {
    return Sample.in(directory).texts(read(name, text));
  }

  private List<String> notes(String name, String text) {
    return read(name, text).notes().stream()
        .map(note -> note.toString().replace(directory + "/", ""))
        .toList();
  }

  private static List<String> launch(ServerDefinition server) {
    StdioOptions stdio = (StdioOptions) server.transport();
    List<String> all = new ArrayList<>(List.of(stdio.command().reveal()));
    stdio.args().stream().map(Sensitive::reveal).forEach(all::add);
    return all;
  }

  private static Map<String, Sensitive> headers(ServerDefinition server) {
    return ((HttpOptions) server.transport()).headers();
  }

  private static List<String> names(List<ServerDefinition> servers) {
    return servers.stream().map(ServerDefinition::name).toList();
  }

  // ---- entries

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'command': '', 'type': 'sse', 'url': 'http://h/mcp'|sse",
        "'command': '', 'args': [], 'env': {}, 'baseUrl': 'http://h/mcp', 'type': 'streamableHttp'|http",
        "'baseUrl': '', 'url': 'http://h/mcp', 'registryUrl': ''|http",
        "'url': '', 'serverUrl': '', 'command': 'npx', 'type': '', 'cwd': '', 'envFile': ''|stdio",
        "'command': 'npx', 'timeout': ''|stdio"
      })
  void an_empty_text_of_a_form_says_nothing(String members, String type) {
    assertThat(entry(members).transport().type()).isEqualTo(type);
  }

  @Test
  void an_entry_of_empty_texts_alone_is_a_problem() {
    assertThat(problems("x.json", "{'mcpServers': {'a': {'command': '', 'args': []}}}"))
        .singleElement()
        .asString()
        .contains("\"command\" is empty");
  }

  @Test
  void comments_among_keys_and_servers_are_none_of_them() {
    assertThat(
            names(
                all(
                    "x.json",
                    """
                    {'mcpServers': {
                      '//': 'servers of the team', '_comment': ['a', 'b'], '#': null, 'gone': null,
                      'a': {'//': 'why', '_note': 5, '$schema': 'x', 'command': 'npx'}}}
                    """)))
        .containsExactly("a");
  }

  @Test
  void a_root_that_is_put_aside_or_empty_is_no_second_one() {
    assertThat(
            names(
                all(
                    "mcp.json",
                    """
                    {'servers': {}, 'inputs': [],
                     '_mcpServers': {'off': {'command': 'x'}},
                     'mcpServers': {'a': {'command': 'npx'}}}
                    """)))
        .containsExactly("a");
    assertThat(
            problems(
                "mcp.json",
                "{'servers': {'b': {'command': 'x'}},\n'mcpServers': {'a': {'command': 'npx'}}}"))
        .singleElement()
        .asString()
        .contains("under several keys: \"servers\" (line 1), \"mcpServers\" (line 2)");
  }

  @Test
  void variables_and_headers_may_be_lists_of_pairs() {
    ServerDefinition program =
        entry("'command': 'x', 'env': [{'name': 'A', 'value': '${TOKEN}'}, 'B=c=d']");
    assertThat(((StdioOptions) program.transport()).env())
        .isEqualTo(Sensitive.values(Map.of("A", "canary-1", "B", "c=d")));
    ServerDefinition web =
        entry("'url': 'http://h/', 'headers': [{'name': 'X', 'value': 'y'}, 'Z: a:b']");
    assertThat(headers(web)).isEqualTo(Sensitive.values(Map.of("X", "y", "Z", "a:b")));
    assertThat(problems("x.json", "{'mcpServers': {'a': {'command': 'x', 'env': ['NAME']}}}"))
        .singleElement()
        .asString()
        .contains("\"env\" must be an object of strings");
  }

  @Test
  void a_header_gets_what_the_entry_itself_sets() {
    ServerDefinition server =
        entry(
            "'url': 'http://h/${PLACE}', 'env': {'KEY': 'canary-2', 'PLACE': 'eu', 'OTHER':"
                + " '${NOT_SET}'}, 'headers': {'Authorization': 'Bearer ${KEY}', 'T': '${TOKEN}'}");
    assertThat(headers(server))
        .isEqualTo(Sensitive.values(Map.of("Authorization", "Bearer canary-2", "T", "canary-1")));
    assertThat(server.view().encode()).doesNotContain("canary");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'Bearer <YOUR_API_KEY>'|<YOUR_API_KEY> stays as it is written. Write ${YOUR_API_KEY}",
        "'<your-api-key>'|<your-api-key> stays as it is written. Write ${YOUR_API_KEY}",
        "'Bearer {env:TOKEN}'|{env:TOKEN} stays as it is written. Write ${TOKEN}",
        "'$env:TOKEN'|$env:TOKEN stays as it is written. Write ${TOKEN}",
        "'{{GITHUB_TOKEN}}'|{{GITHUB_TOKEN}} stays as it is written. Write ${GITHUB_TOKEN}"
      })
  void what_people_fill_in_is_told(String value, String note) {
    assertThat(
            notes(
                "x.json",
                "{'mcpServers': {'a': {'url': 'http://h/', 'headers': {'K': " + value + "}}}}"))
        .singleElement()
        .asString()
        .contains(note);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "${NOT_SET:eu-west}|eu-west",
        "${TOKEN:eu}|canary-1",
        "${NOT_SET:http://h:1/}|http://h:1/"
      })
  void a_default_may_stand_behind_a_colon(String argument, String value) {
    assertThat(launch(entry("'command': 'x', 'args': ['" + argument + "']")))
        .containsExactly("x", value);
  }

  @Test
  void a_program_in_the_users_folder_and_a_time_as_a_text_are_understood() {
    ServerDefinition server = entry("'command': '~/bin/x', 'args': ['~/data'], 'timeout': '60000'");
    assertThat(launch(server)).containsExactly("/home/ada/bin/x", "~/data");
    assertThat(server.connection().requestTimeout()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void an_entry_that_is_off_may_be_empty() {
    assertThat(
            all(
                "x.json",
                "{'mcpServers': {'a': {'type': 'inMemory', 'command': '', 'isActive':"
                    + " false}}}"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "x.json|\uFEFF{'mcpServers': {'a': {'command': 'npx'}}}\\r\\n",
        "x.yaml|\uFEFFmcpServers:\\r\\n  a: {command: npx}\\r\\n",
        "x.toml|\uFEFFlast = 2026-01-01T00:00:00Z\\r\\n[mcp_servers.a]\\r\\ncommand = 'npx'\\r\\n"
      })
  void a_mark_at_the_start_and_lines_of_windows_are_no_mistake(String file, String text) {
    String lines = text.replace("\\r", "\r").replace("\\n", "\n");
    assertThat(names(all(file, lines))).containsExactly("a");
  }

  // ---- keys of logins

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'auth': 'oauth'",
        "'oauth': true",
        "'oauth': {'enabled': true}",
        "'oauth': {}, 'authProviderType': 'dynamic_discovery'",
        "'oauth': {'clientId': 'c', 'callbackPort': 8080, 'authServerMetadataUrl': 'https://as/m'}",
        "'oauth': {'enabled': true, 'clientId': 'c', 'authorizationUrl': 'https://as/a',"
            + " 'tokenUrl': 'https://as/t', 'scopes': ['r'], 'redirectUri': 'http://localhost:1/x'}",
        "'oauth': {'client_id': 'c', 'client_secret': 's', 'scope': 'r w'}",
        "'oauthScopes': ['r'], 'oauth': {'redirectUri': '127.0.0.1:7778'}",
        "'oauthClientId': 'c', 'type': 'http'",
        "'auth': {'oauth': true, 'scope': 'r'}"
      })
  void a_login_is_written_in_many_ways(String members) {
    HttpOptions http = (HttpOptions) entry("'url': 'https://h/', " + members).transport();
    OAuthOptions oauth = Objects.requireNonNull(http.oauth());
    if (members.contains("'c'")) {
      assertThat(oauth.clientId()).isEqualTo("c");
    }
    if (members.contains("'r'")) {
      assertThat(oauth.scopes()).contains("r");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'oauth': false",
        "'oauth': {'enabled': false}",
        "'auth': {'oauth': false}",
        "'auth': 'none'"
      })
  void a_login_that_is_off_is_none(String members) {
    assertThat(((HttpOptions) entry("'url': 'https://h/', " + members).transport()).oauth())
        .isNull();
  }

  @Test
  void a_login_that_mcpbus_cannot_do_leaves_its_server_out() {
    assertThat(
            problems(
                "x.json",
                "{'mcpServers': {'a': {'url': 'https://h/', 'authProviderType':"
                    + " 'google_credentials'}}}"))
        .singleElement()
        .asString()
        .contains("\"authProviderType\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'auth': 'canary-3'",
        "'authorization_token': 'canary-3'",
        "'bearerToken': 'Bearer canary-3'"
      })
  void a_token_beside_the_url_is_a_header(String members) {
    ServerDefinition server = entry("'url': 'https://h/', " + members);
    assertThat(headers(server))
        .isEqualTo(Sensitive.values(Map.of("Authorization", "Bearer canary-3")));
    assertThat(server.view().encode()).doesNotContain("canary");
  }

  // ---- files of programs

  @Test
  void goose_names_no_tools_where_all_are_meant() {
    ServerDefinition server =
        good(
            "config.yaml",
            """
            extensions:
              gh:
                available_tools: []
                args: [-y, gh]
                bundled: null
                cmd: npx
                enabled: true
                env_keys: []
                envs: {}
                name: gh
                timeout: 300
                type: stdio
            """);
    assertThat(server.connection().tools().isOpen()).isTrue();
  }

  @Test
  void a_list_of_tables_is_a_list_of_servers() {
    List<ServerDefinition> servers =
        all(
            "config.toml",
            """
            active_model = "m"
            [[mcp_servers]]
            name = "fetch"
            transport = "stdio"
            command = "uvx"
            args = ["mcp-server-fetch"]
            prompt = "Use it"
            startup_timeout_sec = 15
            tool_timeout_sec = 60
            [mcp_servers.env]
            A = "b"
            [[mcp_servers]]
            name = "web"
            transport = "streamable-http"
            url = "https://w.example/mcp"
            api_key_env = "TOKEN"
            api_key_header = "X-Key"
            api_key_format = "{token}"
            [[mcp_servers]]
            name = "hub"
            transport = "http"
            url = "https://h.example/mcp"
            api_key_env = "TOKEN"
            """);
    assertThat(names(servers)).containsExactly("fetch", "web", "hub");
    assertThat(launch(servers.get(0))).containsExactly("uvx", "mcp-server-fetch");
    assertThat(servers.get(0).connection().requestTimeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(headers(servers.get(1))).isEqualTo(Sensitive.values(Map.of("X-Key", "canary-1")));
    assertThat(headers(servers.get(2)))
        .isEqualTo(Sensitive.values(Map.of("Authorization", "Bearer canary-1")));
    assertThat(
            names(
                all(
                    "x.json",
                    "{'model': 'm', 'mcp_servers': [{'type': 'url', 'name': 'a', 'url':"
                        + " 'https://a.example/sse', 'authorization_token': 't'}]}")))
        .containsExactly("a");
    assertThat(
            names(
                all("x.yaml", "servers:\n  - {name: a, command: npx}\n  - {name: b, cmd: uvx}\n")))
        .containsExactly("a", "b");
  }

  @Test
  void hermes_counts_seconds_and_names_its_login_by_a_word() {
    List<ServerDefinition> servers =
        all(
            "config.yaml",
            """
            model: {default: m}
            mcp_servers:
              local:
                command: npx
                args: [x]
                timeout: 120
                connect_timeout: 60
                sampling: {enabled: false}
                tools: {include: [a], resources: false}
              far: {url: "https://f.example/mcp", auth: oauth}
            """);
    assertThat(servers.get(0).connection().handshakeTimeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(servers.get(0).connection().requestTimeout()).isEqualTo(Duration.ofMinutes(2));
    assertThat(((HttpOptions) servers.get(1).transport()).oauth()).isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "gemini-extension.json|${extensionPath}${/}dist${/}x.js",
        "qwen-extension.json|${extensionPath}/dist/x.js",
        ".mcp.json|${CLAUDE_PLUGIN_ROOT}/dist/x.js",
        ".claude-plugin/plugin.json|${CLAUDE_PLUGIN_ROOT}/dist/x.js",
        "mcp.json|${PLUGIN_ROOT}/dist/x.js"
      })
  void a_plug_in_names_its_own_folder(String file, String argument) {
    assertThat(
            launch(
                good(
                    "p/" + file,
                    "{'name': 'p', 'version': '1', 'mcpServers': {'a': {'command': 'node', 'args':"
                        + " ['"
                        + argument
                        + "']}}}")))
        .containsExactly("node", directory.resolve("p/dist/x.js").toString());
  }

  @Test
  void an_extension_of_gemini_has_variables_without_braces() {
    assertThat(
            launch(
                good(
                    "gemini-extension.json",
                    "{'mcpServers': {'a': {'command': 'node', 'args': ['--key=$TOKEN']}}}")))
        .containsExactly("node", "--key=canary-1");
  }

  @ParameterizedTest
  @CsvSource({
    ".aws/amazonq/cli-agents/dev.json, canary-1",
    ".kiro/settings/mcp.json, canary-1",
    ".copilot/mcp-config.json, canary-1",
    ".cursor/mcp.json, $TOKEN"
  })
  void some_programs_know_variables_without_braces(String file, String value) {
    StdioOptions stdio =
        (StdioOptions)
            good(file, "{'mcpServers': {'a': {'command': 'x', 'env': {'K': '$TOKEN'}}}}")
                .transport();
    assertThat(stdio.env()).containsEntry("K", Sensitive.of(value));
  }

  @Test
  void a_key_that_only_its_program_knows_costs_a_note_in_its_file() {
    String text = "{'mcpServers': {'a': {'command': 'x', 'glow': 1}}}";
    for (String file : List.of(".kiro/settings/mcp.json", "claude_desktop_config.json")) {
      assertThat(names(all(file, text))).as(file).containsExactly("a");
      assertThat(notes(file, text))
          .as(file)
          .singleElement()
          .asString()
          .contains("the key \"glow\" of the program of this file is ignored");
    }
    for (String other : List.of("'comand': 'y'", "'toolGuard': 'x'", "'permissions': []")) {
      assertThat(
              problems(
                  ".kiro/settings/mcp.json",
                  "{'mcpServers': {'a': {'command': 'x', " + other + "}}}"))
          .as(other)
          .singleElement()
          .asString()
          .contains("unknown key");
    }
    assertThat(problems("mine.json", text)).singleElement().asString().contains("unknown key");
    assertThat(problems(".cursor/mcp.json", text.replace("{'mcp", "{'bridge': {}, 'mcp")))
        .singleElement()
        .asString()
        .contains("unknown key");
  }

  @Test
  void servers_that_a_program_switches_off_in_a_list_do_not_run() {
    String servers = "'mcpServers': {'a': {'command': 'x'}, 'b': {'command': 'y'}}";
    for (String list :
        List.of(
            "'mcp': {'allowed': ['a']}",
            "'mcp': {'excluded': ['b']}",
            "'allowMCPServers': ['a']",
            "'excludeMCPServers': ['b']",
            "'mcp': {'allowed': 'a'}",
            "'mcp': {'excluded': 'b'}",
            "'allowMCPServers': 'a'",
            "'excludeMCPServers': 'b'")) {
      assertThat(names(all(".gemini/settings.json", "{" + list + ", " + servers + "}")))
          .as(list)
          .containsExactly("a");
    }
  }

  @Test
  void claude_code_has_servers_for_each_project() {
    List<ServerDefinition> servers =
        all(
            ".claude.json",
            """
            {'numStartups': 9, 'mcpServers': {'hub': {'type': 'http', 'url': 'https://h.example/'}},
             'projects': {
               '/srv/app': {'mcpServers': {'db': {'command': './db', 'args': ['${PWD:-x}']},
                   'off': {'command': 'never'}}, 'disabledMcpServers': ['off']},
               '/srv/web': {'mcpServers': {'db': {'command': './db2'}, 'hub': {'command': 'h'}}},
               '/old/web': {'mcpServers': {'db': {'command': './db3'}}},
               '/none': {'allowedTools': []}}}
            """);
    assertThat(names(servers)).containsExactly("hub", "db", "db-web", "hub-web", "db-/old/web");
    assertThat(((StdioOptions) servers.get(1).transport()).cwd())
        .isEqualTo(Sensitive.of("/srv/app"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "smithery.yaml|startCommand: {type: stdio}|smithery.yaml",
        "manifest.json|{'name': 'x', 'server': {'type': 'node', 'mcp_config': {'command': 'n'}}}|MCPB",
        "catalog.yaml|registry: {fetch: {image: mcp/fetch}}|mcp gateway run",
        "config.toml|[mcp]\\nstdio_servers = []|OpenHands",
        "marketplace.json|{'plugins': [{'name': 'a'}]}|marketplace",
        "compose.yaml|services: {a: {image: x, command: y}}|Compose",
        "package.json|{'name': 'x', 'dependencies': {}}|package.json",
      })
  void a_file_that_is_something_else_is_named(String file, String text, String word) {
    assertThat(problems(file, text.replace("\\n", "\n")))
        .singleElement()
        .asString()
        .contains("the file defines no servers", word);
  }

  // ---- lists of a registry

  @Test
  void a_list_of_the_registry_has_the_latest_version_of_each_server() {
    String one =
        "{'server': {'name': '%s', 'version': '%s', 'remotes': [{'type': 'streamable-http', 'url':"
            + " 'https://%s/mcp'}]}, '_meta': {'io.modelcontextprotocol.registry/official':"
            + " {'status': '%s', 'isLatest': %s}}}";
    List<ServerDefinition> servers =
        all(
            "servers.json",
            "{'servers': ["
                + String.join(
                    ", ",
                    one.formatted("io.x/deals", "1", "old.example", "active", "false"),
                    one.formatted("io.x/deals", "3", "new.example", "active", "true"),
                    one.formatted("io.x/deals", "2", "mid.example", "active", "false"),
                    one.formatted("io.a/mcp", "1", "a.example", "active", "true"),
                    one.formatted("io.b/mcp", "1", "b.example", "active", "true"),
                    one.formatted("io.x/gone", "1", "gone.example", "deleted", "true"))
                + "], 'metadata': {'count': 6}}");
    assertThat(names(servers)).containsExactly("deals", "io.a/mcp", "io.b/mcp");
    assertThat(servers.get(0).view().getString("url")).contains("new.example");
  }

  @Test
  void a_key_in_a_header_that_the_file_does_not_declare_is_asked_for() {
    String file =
        """
        {'name': 'ai.smithery/x', 'remotes': [{'type': 'streamable-http', 'url': 'https://{TENANT}.example/mcp',
          'headers': [{'name': 'Authorization', 'value': 'Bearer {smithery_api_key}',
            'isRequired': true, 'isSecret': true}, {'name': 'X', 'value': 'a{b}'}]}]}
        """;
    assertThat(problems("server.json", file))
        .anyMatch(text -> text.contains("\"smithery_api_key\"") && text.endsWith("API_KEY"))
        .anyMatch(text -> text.endsWith("Set the variable TENANT"));
    ConfigResult result =
        Sample.in(directory)
            .with(Map.of("MCPBUS_INPUT_SMITHERY_API_KEY", "canary-4", "TENANT", "eu"))
            .read("server.json", file.replace('\'', '"'));
    ServerDefinition server = result.usable().orElseThrow().servers().get(0);
    assertThat(headers(server))
        .isEqualTo(Sensitive.values(Map.of("Authorization", "Bearer canary-4", "X", "a{b}")));
    assertThat(server.transport()).isNotInstanceOf(SseOptions.class);
    assertThat(server.view().encode()).doesNotContain("canary");
  }
}
