package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.StdioOptions;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SubstitutionTest {

  @TempDir Path directory;

  private List<String> args(String... args) {
    ServerDefinition one =
        Sample.in(directory)
            .good("\"command\": \"x\"", "\"args\": [\"" + String.join("\",\"", args) + "\"]");
    return ((StdioOptions) one.transport()).args().stream().map(Sensitive::reveal).toList();
  }

  private List<String> problems(String arg) {
    Sample sample = Sample.in(directory);
    return sample.texts(sample.server("\"command\": \"x\"", "\"args\": [\"" + arg + "\"]"));
  }

  @Test
  void a_variable_is_filled_wherever_it_stands() {
    assertThat(args("${HOME_SET}", "a${HOME_SET}b${env:HOME_SET}c", "$HOME_SET", "plain"))
        .containsExactly("/srv", "a/srvb/srvc", "$HOME_SET", "plain");
  }

  @Test
  void a_default_stands_in_for_an_unset_or_empty_variable() {
    assertThat(
            args("${NOPE:-a:-b}", "${EMPTY:-c}", "${HOME_SET:-d}", "${env:NOPE:-e}", "${NOPE:-}"))
        .containsExactly("a:-b", "c", "/srv", "e", "");
  }

  @Test
  void paths_are_inserted() {
    assertThat(
            args(
                "${userHome}/x",
                "${workspaceFolder}",
                "${workspaceFolderBasename}",
                "${pathSeparator}${/}",
                "${mcpbus:java}",
                "${mcpbus:jar}"))
        .containsExactly(
            "/home/ada/x",
            directory.toString(),
            directory.getFileName().toString(),
            "//",
            "/jdk/bin/java",
            "/opt/mcpbus.jar");
  }

  @Test
  void case_116_an_unset_variable_makes_its_server_invalid_and_is_named() {
    Sample sample = Sample.in(directory);
    ConfigResult result =
        sample.json(
            """
            {"mcpServers": {
              "bad": {"command": "x",
                "env": {"A": "${NOT_SET}"}},
              "good": {"command": "x"}}}
            """);
    assertThat(sample.texts(result))
        .containsExactly(
            "mcp.json:3: server \"bad\": the variable NOT_SET is not set. Set it in the environment"
                + " or in the entry's \"env\", or give a default: ${NOT_SET:-value}");
    assertThat(result.usable().orElseThrow().servers())
        .extracting(s -> s.id().value())
        .containsExactly("good");
    assertThat(result.usable().orElseThrow().problems()).hasSize(1);
  }

  @Test
  void several_unset_variables_in_one_text_are_all_named() {
    assertThat(problems("${ONE}-${TWO}")).hasSize(2);
  }

  @Test
  void unknown_and_unclosed_forms_are_problems() {
    assertThat(problems("${command:pick}").get(0))
        .startsWith("mcp.json:4: server \"one\": ${command:pick} is not known. Known are ${VAR}");
    assertThat(problems("${HOME_SET").get(0))
        .isEqualTo("mcp.json:4: server \"one\": a ${ is not closed. Write ${NAME}");
  }

  private ConfigResult entry(String... lines) {
    return Sample.in(directory).server(lines);
  }

  private static StdioOptions stdio(ConfigResult result) {
    assertThat(result.problems()).isEmpty();
    return (StdioOptions) result.usable().orElseThrow().servers().get(0).transport();
  }

  private static List<String> argsOf(ConfigResult result) {
    return stdio(result).args().stream().map(Sensitive::reveal).toList();
  }

  private static String env(ConfigResult result, String name) {
    return java.util.Objects.requireNonNull(stdio(result).env().get(name)).reveal();
  }

  @Test
  void an_argument_gets_what_the_entry_itself_sets_before_what_the_process_has() {
    ConfigResult result =
        entry(
            "\"command\": \"npx\"",
            "\"args\": [\"mcp-remote\", \"Authorization: Bearer ${PAT}\", \"${env:PAT}\","
                + " \"${HOME_SET}\", \"${PAT:-none}\", \"${BLANK:-none}\"]",
            "\"env\": {\"PAT\": \"pat-of-nobody-123\", \"HOME_SET\": \"own\", \"BLANK\": \"\"}");
    assertThat(argsOf(result))
        .containsExactly(
            "mcp-remote",
            "Authorization: Bearer pat-of-nobody-123",
            "pat-of-nobody-123",
            "own",
            "pat-of-nobody-123",
            "none");
    ServerDefinition one = result.usable().orElseThrow().servers().get(0);
    assertThat(one.view().encode()).doesNotContain("pat-of-nobody");
    assertThat(one.redactor().redact("it has pat-of-nobody-123")).doesNotContain("pat-of-nobody");
  }

  @Test
  void a_variable_of_the_entry_may_name_that_of_the_process_and_the_others_of_the_entry() {
    ConfigResult result =
        entry(
            "\"command\": \"x\"",
            "\"args\": [\"${HOME_SET}\", \"${BOTH}\"]",
            "\"env\": {\"HOME_SET\": \"${HOME_SET}\", \"ROOT\": \"/r\", \"BOTH\":"
                + " \"${ROOT}/x\"}");
    assertThat(argsOf(result)).containsExactly("/srv", "/r/x");
    assertThat(env(result, "BOTH")).isEqualTo("/r/x");
    assertThat(problems("${ROOT}").get(0)).contains("the variable ROOT is not set");
    assertThat(
            Sample.in(directory)
                .texts(entry("\"command\": \"x\"", "\"env\": {\"A\": \"${B}\", \"B\": \"${A}\"}")))
        .hasSize(2);
  }

  @Test
  void a_script_for_a_shell_keeps_the_names_of_variables_that_the_shell_has() {
    ConfigResult result =
        entry(
            "\"command\": \"/bin/bash\"",
            "\"args\": [\"-lc\", \"run ${TOKEN} ${env:TOKEN} $TOKEN ${HOME_SET} ${TOKEN:-x}\"]",
            "\"env\": {\"TOKEN\": \"a b'c\"}");
    assertThat(argsOf(result))
        .containsExactly("-lc", "run ${TOKEN} ${TOKEN} $TOKEN /srv ${TOKEN:-x}");
    assertThat(result.notes()).isEmpty();
  }

  @Test
  void no_variable_of_mcpbus_itself_comes_by_way_of_the_entry() {
    Sample sample = Sample.in(directory).with(Map.of("MCPBUS_TOKEN_KEY", "canary"));
    assertThat(
            sample.texts(
                sample.server(
                    "\"command\": \"x\"",
                    "\"args\": [\"${MCPBUS_TOKEN_KEY}\"]",
                    "\"env\": {\"MCPBUS_TOKEN_KEY\": \"${MCPBUS_TOKEN_KEY}\"}")))
        .isNotEmpty()
        .allMatch(text -> text.contains("is mcpbus's own") && !text.contains("canary"));
  }

  @Test
  void a_default_may_have_a_variable() {
    assertThat(args("${NOPE:-${HOME_SET}}/x", "${NOPE:-${NOPE2:-a}b}", "${HOME_SET:-${NOPE}}"))
        .containsExactly("/srv/x", "ab", "/srv");
    assertThat(problems("${A:-${B}}").get(0)).contains("the variable B is not set");
    assertThat(problems("${A:-".repeat(2_000) + "x" + "}".repeat(2_000)).get(0))
        .contains("too often");
    assertThat(problems("${".repeat(50_000)).get(0)).contains("not closed");
  }

  @Test
  void forms_of_other_programs_stay_and_are_told() {
    ConfigResult result =
        entry(
            "\"command\": \"x\"",
            "\"args\": [\"$HOME_SET\", \"$NOPE\", \"a$HOME_SET/b\", \"%APPDATA%\\\\npm\","
                + " \"%UserProfile%\", \"https://h/%E4%BD%A0%20%ABC%\", \"pa$WORD\", \"$5 100%\"]",
            "\"env\": {\"TOKEN\": \"a\", \"HEADER\": \"Bearer $TOKEN\"}");
    assertThat(argsOf(result)).startsWith("$HOME_SET", "$NOPE", "a$HOME_SET/b");
    assertThat(result.notes())
        .extracting(ConfigProblem::message)
        .containsExactlyInAnyOrder(
            "$HOME_SET stays as it is written",
            "$NOPE stays as it is written",
            "$HOME_SET stays as it is written",
            "%APPDATA% stays as it is written",
            "%UserProfile% stays as it is written",
            "$TOKEN stays as it is written");
    assertThat(result.notes().get(0).remedy())
        .isEqualTo("Write ${HOME_SET} for the value of the variable");
  }

  @Test
  void a_file_of_gemini_has_variables_without_braces() {
    Sample sample = Sample.in(directory);
    ConfigResult result =
        ConfigReader.read(
            sample.write(
                ".gemini/settings.json",
                """
                {"theme": "$HOME_SET", "mcpServers": {
                  "a": {"command": "x", "args": ["$HOME_SET", "pa$word", "a/$TOKEN/$NOPE"],
                        "env": {"TOKEN": "own", "URL": "$HOME_SET/${HOME_SET}"}},
                  "b": {"command": "x", "env": {"KEY": "$NOPE"}}}}
                """),
            sample.environment());
    StdioOptions a = (StdioOptions) result.usable().orElseThrow().servers().get(0).transport();
    assertThat(a.args().stream().map(Sensitive::reveal))
        .containsExactly("/srv", "pa$word", "a/own/$NOPE");
    assertThat(java.util.Objects.requireNonNull(a.env().get("URL")).reveal())
        .isEqualTo("/srv//srv");
    assertThat(result.problems())
        .singleElement()
        .matches(one -> "b".equals(one.server()) && one.message().contains("NOPE is not set"));
  }

  @Test
  void an_input_without_an_answer_has_its_default_and_says_so() {
    Sample sample = Sample.in(directory);
    Path file =
        sample.write(
            "mcp.json",
            """
            {"inputs": [{"type": "promptString", "id": "region", "default": "eu"},
                        {"type": "pickString", "id": "level", "options": ["a", "b"], "default": "b"},
                        {"type": "promptString", "id": "key", "password": true, "default": "canary-9"},
                        {"type": "promptString", "id": "none"}],
             "servers": {
               "one": {"command": "x", "args": ["${input:region}", "${input:level}", "--key", "${input:key}"]},
               "two": {"command": "x", "args": ["${input:none}"]}}}
            """);
    ConfigResult result = ConfigReader.read(file, sample.environment());
    ServerDefinition one = result.usable().orElseThrow().servers().get(0);
    assertThat(((StdioOptions) one.transport()).args().stream().map(Sensitive::reveal))
        .containsExactly("eu", "b", "--key", "canary-9");
    assertThat(one.view().encode()).doesNotContain("canary");
    assertThat(result.notes())
        .extracting(ConfigProblem::message)
        .contains("the input \"region\" has its default", "the input \"level\" has its default");
    assertThat(result.problems()).singleElement().matches(each -> "two".equals(each.server()));
    assertThat(arg(file, sample.with(Map.of("MCPBUS_INPUT_REGION", "us")).environment()))
        .isEqualTo("us");
  }

  @Test
  void other_names_of_the_folder_are_known() {
    assertThat(
            args("${workspaceRoot}", "${cwd}", "${CLAUDE_PROJECT_DIR}", "${CLAUDE_PROJECT_DIR:-.}"))
        .containsExactly(
            directory.toString(), directory.toString(), directory.toString(), directory.toString());
  }

  @Test
  void an_input_is_answered_by_the_resolver_then_by_a_variable() {
    Path file =
        Sample.in(directory)
            .write(
                "mcp.json",
                """
                {"inputs": [{"type": "promptString", "id": "a-b", "description": "The key"}],
                 "servers": {"one": {"command": "x", "args": ["${input:a-b}"]}}}
                """);
    ConfigEnvironment none =
        Sample.in(directory).with(Map.of("MCPBUS_INPUT_A_B", "var")).environment();
    assertThat(arg(file, none)).isEqualTo("var");
    assertThat(arg(file, none.withInputs(id -> Optional.of("asked " + id)))).isEqualTo("asked a-b");
  }

  private static String arg(Path file, ConfigEnvironment environment) {
    McpBusConfig config = ConfigReader.read(file, environment).usable().orElseThrow();
    return ((StdioOptions) config.servers().get(0).transport()).args().get(0).reveal();
  }

  @Test
  void the_environment_of_this_process_finds_java_and_what_to_run() {
    ConfigEnvironment system = ConfigEnvironment.system();
    assertThat(Path.of(system.java())).isExecutable();
    assertThat(system.jar()).isNotEmpty();
  }

  @Test
  void an_env_file_is_read_and_env_overrides_it() {
    Sample sample = Sample.in(directory);
    sample.write(
        "secret.env",
        "\uFEFF# comment\nexport A=1\nB = \"two \\\"words\\\"\\n\" # rest\nC='${x} #'\nD=a # b\n\nE=\nF=x#y\n");
    ServerDefinition one =
        sample.good(
            "\"command\": \"x\"", "\"envFile\": \"secret.env\"", "\"env\": {\"A\": \"own\"}");
    assertThat(((StdioOptions) one.transport()).env())
        .containsExactlyInAnyOrderEntriesOf(
            Sensitive.values(
                Map.of(
                    "A",
                    "own",
                    "B",
                    "two \"words\"\n",
                    "C",
                    "${x} #",
                    "D",
                    "a",
                    "E",
                    "",
                    "F",
                    "x#y")));
    assertThat(one.view().getJsonObject("env").getMap().values()).containsOnly("***");
  }

  @Test
  void a_missing_or_broken_env_file_is_a_problem_and_shows_no_value() {
    Sample sample = Sample.in(directory);
    sample.write("broken.env", "A=1\ncanary-line\nB=\"canary\n=canary\n1X=canary\nC='a' canary\n");
    List<String> broken =
        sample.texts(sample.server("\"command\": \"x\"", "\"envFile\": \"broken.env\""));
    assertThat(broken)
        .hasSize(5)
        .allMatch(p -> p.startsWith("mcp.json:4: server \"one\": envFile"));
    assertThat(broken.get(0)).contains("line 2: no = after a name");
    assertThat(broken).noneMatch(p -> p.contains("canary"));
    assertThat(sample.texts(sample.server("\"command\": \"x\"", "\"envFile\": \"none.env\"")))
        .containsExactly(
            "mcp.json:4: server \"one\": envFile \"none.env\" does not exist. Create it, correct the"
                + " path, or remove envFile");
  }

  private static final Map<String, String> OWN =
      Map.of(
          "MCPBUS_TOKEN_KEY",
          "canary-1",
          "MCPBUS_CLUSTER_SECRET",
          "canary-2canary-2canary-2canary-2canary-2",
          "MCPBUS_KEY_HASH",
          "sha256:" + "a".repeat(64),
          "mcpbus_key",
          "canary-4",
          "GIVEN",
          "given",
          "OTHER",
          "canary-5",
          "MCPBUS_INPUT_ANSWER",
          "answer",
          "MCPBUS_VARS",
          "GIVEN, MCPBUS_* X*");

  @Test
  void no_text_of_a_file_gets_a_variable_of_mcpbus_itself() {
    Sample sample = Sample.in(directory).with(OWN);
    for (String name : List.of("MCPBUS_TOKEN_KEY", "env:MCPBUS_CLUSTER_SECRET", "mcpbus_key")) {
      for (String entry :
          List.of(
              "\"command\": \"${%s}\"",
              "\"command\": \"x\", \"args\": [\"-k\", \"${%s:-none}\"]",
              "\"command\": \"x\", \"env\": {\"A\": \"${%s}\"}",
              "\"command\": \"x\", \"cwd\": \"${%s}\"",
              "\"url\": \"https://x.example/${%s}\"",
              "\"url\": \"https://x.example/\", \"headers\": {\"A\": \"Bearer ${%s}\"}",
              "\"url\": \"https://x.example/\", \"headersHelper\": \"echo ${%s}\"",
              "\"url\": \"https://x.example/\", \"oauth\": {\"clientSecret\": \"${%s}\"}")) {
        ConfigResult read = sample.server(entry.formatted(name));
        assertThat(read.usable().orElseThrow().servers())
            .as(entry.formatted(name))
            .allMatch(
                one ->
                    entry.contains(":-none")
                        && ((StdioOptions) one.transport())
                            .args()
                            .equals(Sensitive.all(List.of("-k", "none"))));
        if (!entry.contains(":-none")) {
          assertThat(sample.texts(read))
              .singleElement()
              .asString()
              .contains("is mcpbus's own", "does not begin with MCPBUS_");
        }
      }
    }
    ConfigResult top =
        sample.json(
            "{\"tracing\": {\"endpoint\": \"https://x.example/${MCPBUS_TOKEN_KEY}\"},"
                + " \"mcpServers\": {}}");
    assertThat(sample.texts(top)).anyMatch(text -> text.contains("is mcpbus's own"));
  }

  @Test
  void the_hash_of_a_key_and_the_secret_of_a_cluster_come_from_variables_of_mcpbus() {
    McpBusConfig config =
        Sample.in(directory)
            .with(OWN)
            .json(
                "{\"auth\": {\"apiKeys\": [{\"name\": \"a\", \"hash\": \"${MCPBUS_KEY_HASH}\"}]},"
                    + " \"cluster\": {\"secret\": \"${MCPBUS_CLUSTER_SECRET}\"}, \"mcpServers\": {}}")
            .usable()
            .orElseThrow();
    assertThat(config.auth().apiKeys()).singleElement().extracting("name").isEqualTo("a");
    assertThat(config.cluster().secret()).isNotNull();
  }

  private ServerResult added(String entry, String source) {
    return ConfigReader.readServer(
        new ServerOrigin("one", new JsonObject(entry), null, false),
        source,
        Sample.in(directory).with(OWN).environment(),
        directory,
        ServerSettings.DEFAULT);
  }

  @Test
  void an_entry_that_a_caller_adds_gets_what_the_list_names_and_answers_alone() {
    String entry = "{\"command\": \"x\", \"args\": [\"%s\"]}";
    for (String good : List.of("${GIVEN}", "${env:GIVEN}", "${input:answer}", "${OTHER:-given}")) {
      assertThat(added(entry.formatted(good), ConfigReader.CALLER).usable().orElseThrow())
          .extracting(one -> ((StdioOptions) one.transport()).args().get(0).reveal())
          .as(good)
          .isEqualTo(good.contains("input") ? "answer" : "given");
    }
    for (String bad : List.of("${OTHER}", "${env:OTHER}", "${NOT_THERE}")) {
      assertThat(added(entry.formatted(bad), ConfigReader.CALLER).problems())
          .as(bad)
          .singleElement()
          .asString()
          .contains("not among those that an added server may use", "MCPBUS_VARS=");
    }
    assertThat(added(entry.formatted("${OTHER}"), "mcp.servers.add").problems()).isEmpty();
    for (String own : List.of("${MCPBUS_TOKEN_KEY}", "${MCPBUS_VARS}")) {
      assertThat(added(entry.formatted(own), ConfigReader.CALLER).problems()).hasSize(1);
    }
    String registry =
        "{\"name\": \"io.x/y\", \"remotes\": [{\"type\": \"streamable-http\","
            + " \"url\": \"https://x.example/{OTHER}\", \"variables\": {\"OTHER\":"
            + " {\"isRequired\": true}}, \"headers\": [{\"name\": \"K\", \"value\":"
            + " \"${MCPBUS_TOKEN_KEY}\"}]}]}";
    assertThat(added(registry, ConfigReader.CALLER).usable()).isEmpty();
    assertThat(added(registry, ConfigReader.CALLER).problems())
        .anyMatch(one -> one.toString().contains("Set the variable MCPBUS_INPUT_OTHER"));
  }

  @Test
  void an_entry_names_no_file_of_mcpbus_and_one_that_a_caller_adds_none_beside_the_list()
      throws Exception {
    Sample sample = Sample.in(directory);
    sample.write("a.env", "A=1\n");
    sample.write("state/servers.json", "S=1\n");
    Path link = directory.resolve("link.env");
    Files.createSymbolicLink(link, directory.resolve("state/servers.json"));
    assertThat(sample.good("\"command\": \"x\"", "\"envFile\": \"a.env\"")).isNotNull();
    for (String file :
        List.of(
            "~/.mcpbus/admin/8790",
            "/home/ada/x/../.mcpbus/c",
            "state/servers.json",
            "link.env",
            "/proc/self/environ")) {
      for (String entry :
          List.of(
              "\"command\": \"x\", \"envFile\": \"%s\"",
              "\"url\": \"https://x.example/\", \"oauth\": {\"workloadIdentity\": {\"tokenFile\": \"%s\"}}",
              "\"url\": \"https://x.example/\", \"tls\": {\"certFile\": \"a.env\", \"keyFile\": \"%s\"}")) {
        ConfigResult read =
            sample.json(
                "{\"state\": {\"dir\": \"state\"}, \"mcpServers\": {\"one\": {"
                    + entry.formatted(file)
                    + "}}}");
        assertThat(sample.texts(read))
            .as(entry.formatted(file))
            .anyMatch(text -> text.contains("is one of mcpbus's own files"));
      }
    }
    String entry = "{\"command\": \"x\", \"envFile\": \"" + directory + "/a.env\"}";
    assertThat(added(entry, ConfigReader.CALLER).problems())
        .singleElement()
        .asString()
        .contains("names a file", "MCPBUS_VARS=PATH");
    Files.createSymbolicLink(directory.resolve("..data"), directory.resolve("state"));
    Files.createSymbolicLink(directory.resolve("token"), Path.of("..data", "servers.json"));
    String linked = "{\"command\": \"x\", \"envFile\": \"" + directory + "/token\"}";
    Path real = directory.toRealPath();
    assertThat(addedWith(real + "/*", entry)).isEmpty();
    assertThat(addedWith(directory + "/token", linked)).isEmpty();
    for (String none : List.of("*", "*env", "?tmp*", real + "/token*", real + "/b.env")) {
      assertThat(addedWith(none, entry)).as(none).hasSize(1);
    }
    assertThat(addedWith(real + "/token*", linked)).as("where a link leads").hasSize(1);
  }

  private List<ConfigProblem> addedWith(String list, String entry) {
    return ConfigReader.readServer(
            new ServerOrigin("one", new JsonObject(entry), null, false),
            ConfigReader.CALLER,
            Sample.in(directory).with(Map.of("MCPBUS_VARS", list)).environment(),
            directory,
            ServerSettings.DEFAULT)
        .problems();
  }
}
