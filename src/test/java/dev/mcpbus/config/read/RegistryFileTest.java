package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.StdioOptions;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of the MCP registry, in the shapes that its schemas have had and publishers write. */
class RegistryFileTest {

  @TempDir Path directory;

  private ConfigResult read(Map<String, String> variables, String... members) {
    return Sample.in(directory)
        .with(variables)
        .read(
            "server.json",
            "{\"name\": \"io.github.ada/weather\",\n\"description\": \"d\", \"version\": \"1\",\n"
                + String.join(",\n", members)
                + "}");
  }

  private ServerDefinition good(Map<String, String> variables, String... members) {
    ConfigResult result = read(variables, members);
    assertThat(result.problems()).isEmpty();
    return result.usable().orElseThrow().servers().get(0);
  }

  private static StdioOptions stdio(ServerDefinition server) {
    return (StdioOptions) server.transport();
  }

  private List<String> problems(Map<String, String> variables, String... members) {
    return Sample.in(directory).texts(read(variables, members));
  }

  private static String npm(String more) {
    return "\"packages\": [{\"registryType\": \"npm\", \"identifier\": \"@ada/w\", \"version\":"
        + " \"1.2.3\", \"transport\": {\"type\": \"stdio\"}"
        + more
        + "}]";
  }

  @Test
  void an_npm_package_runs_by_npx_with_its_variables() {
    ServerDefinition server =
        good(
            Map.of("TODO_KEY", "canary", "UNASKED", "x"),
            npm(
                """
                , "runtimeHint": "npx", "environmentVariables": [
                  {"name": "TODO_KEY", "isRequired": true, "isSecret": true},
                  {"name": "TODO_URL", "isRequired": false},
                  {"name": "UNITS", "default": "celsius"}]
                """));
    assertThat(server.id().value()).isEqualTo("weather");
    assertThat(stdio(server).command().reveal()).isEqualTo("npx");
    assertThat(stdio(server).args())
        .extracting(Sensitive::reveal)
        .containsExactly("-y", "@ada/w@1.2.3");
    assertThat(stdio(server).env())
        .isEqualTo(Sensitive.values(Map.of("TODO_KEY", "canary", "UNITS", "celsius")));
    assertThat(server.view().encode()).doesNotContain("canary");
  }

  @Test
  void a_pypi_package_runs_by_uvx_with_fixed_arguments() {
    ServerDefinition server =
        good(
            Map.of(),
            """
            "packages": [{"registryType": "pypi", "identifier": "ada-weather", "version": "3.4.2",
              "transport": {"type": "stdio"},
              "packageArguments": [{"value": "mcp", "type": "positional"},
                                   {"value": "serve", "type": "positional"}]}]
            """);
    assertThat(stdio(server).command().reveal()).isEqualTo("uvx");
    assertThat(stdio(server).args())
        .extracting(Sensitive::reveal)
        .containsExactly("ada-weather@3.4.2", "mcp", "serve");
  }

  @Test
  void an_image_runs_by_docker_and_gets_its_variables_by_name() {
    ServerDefinition server =
        good(
            Map.of("DB_PASSWORD", "canary", "MCPBUS_INPUT_SOURCE_PATH", "/srv/data"),
            """
            "packages": [{"registryType": "oci", "identifier": "docker.example/ada/db:3.1.0",
              "transport": {"type": "stdio"},
              "runtimeArguments": [
                {"type": "named", "name": "--mount",
                 "value": "type=bind,src={source_path},dst={target_path},{other}",
                 "variables": {"source_path": {"format": "filepath", "isRequired": true},
                               "target_path": {"default": "/project"}}},
                {"type": "named", "name": "--read-only"}],
              "packageArguments": [
                {"type": "named", "name": "--host", "default": "localhost"},
                {"type": "named", "name": "--port", "format": "number"},
                {"type": "positional", "valueHint": "dir", "value": "/project"}],
              "environmentVariables": [{"name": "DB_PASSWORD", "isRequired": true}]}]
            """);
    assertThat(stdio(server).command().reveal()).isEqualTo("docker");
    assertThat(stdio(server).args())
        .extracting(Sensitive::reveal)
        .containsExactly(
            "run",
            "-i",
            "--rm",
            "--mount",
            "type=bind,src=/srv/data,dst=/project,{other}",
            "--read-only",
            "-e",
            "DB_PASSWORD",
            "docker.example/ada/db:3.1.0",
            "--host",
            "localhost",
            "/project");
    assertThat(stdio(server).env()).containsEntry("DB_PASSWORD", Sensitive.of("canary"));
  }

  @Test
  void a_nuget_package_runs_by_dnx() {
    ServerDefinition server =
        good(
            Map.of(),
            """
            "packages": [{"registryType": "nuget", "identifier": "Ada.Mcp", "version": "0.5.0",
              "transport": {"type": "stdio"},
              "packageArguments": [{"type": "positional", "value": "start"}]}]
            """);
    assertThat(stdio(server).command().reveal()).isEqualTo("dnx");
    assertThat(stdio(server).args())
        .extracting(Sensitive::reveal)
        .containsExactly("Ada.Mcp@0.5.0", "--yes", "--", "start");
  }

  @Test
  void a_remote_is_a_url_with_headers() {
    ServerDefinition server =
        good(
            Map.of("MCPBUS_INPUT_TENANT", "acme", "MCPBUS_INPUT_X_API_KEY", "canary"),
            """
            "remotes": [{"type": "streamable-http", "url": "https://{tenant}.ada.example/mcp",
              "variables": {"tenant": {"isRequired": true}},
              "headers": [{"name": "X-API-Key", "isRequired": true, "isSecret": true},
                          {"name": "X-Region", "default": "eu", "choices": ["eu", "us"]},
                          {"name": "X-Extra"}]}]
            """);
    HttpOptions http = (HttpOptions) server.transport();
    assertThat(http.url().reveal()).isEqualTo("https://acme.ada.example/mcp");
    assertThat(http.headers())
        .isEqualTo(Sensitive.values(Map.of("X-API-Key", "canary", "X-Region", "eu")));
    assertThat(server.view().encode()).doesNotContain("canary");
    assertThat(
            good(Map.of(), "\"remotes\": [{\"type\": \"sse\", \"url\": \"https://a.example/x\"}]")
                .transport())
        .isInstanceOf(SseOptions.class);
  }

  @Test
  void a_required_value_that_is_missing_names_the_server_the_place_and_the_variable() {
    assertThat(
            problems(
                Map.of("TODO_KEY", " "),
                npm(
                    """
                    , "environmentVariables": [
                      {"name": "TODO_KEY", "description": "The key", "isRequired": true}]
                    """)))
        .containsExactly(
            "server.json:4: server \"weather\": there is no value for \"TODO_KEY\" (The key). Set"
                + " the variable TODO_KEY");
    assertThat(
            problems(
                Map.of("path", "/bin"),
                npm(
                    ", \"packageArguments\": [{\"type\": \"named\", \"name\": \"--path\","
                        + " \"isRequired\": true}]")))
        .containsExactly(
            "server.json:3: server \"weather\": there is no value for \"--path\". Set the variable"
                + " MCPBUS_INPUT_PATH");
  }

  @Test
  void an_answer_outside_the_choices_or_the_format_is_refused_without_being_shown() {
    String argument =
        npm(
            """
            , "packageArguments": [
              {"type": "named", "name": "--mode", "choices": ["local", "cached"]},
              {"type": "named", "name": "--port", "format": "number"}]
            """);
    assertThat(problems(Map.of("MCPBUS_INPUT_MODE", "canary"), argument))
        .singleElement()
        .asString()
        .contains("\"--mode\" is not one of its choices. Use one of local, cached")
        .doesNotContain("canary");
    assertThat(problems(Map.of("MCPBUS_INPUT_PORT", "eighty"), argument))
        .singleElement()
        .asString()
        .contains("\"--port\" is not a number");
    assertThat(stdio(good(Map.of("MCPBUS_INPUT_PORT", "80"), argument)).args())
        .extracting(Sensitive::reveal)
        .endsWith("--port", "80");
  }

  @Test
  void of_several_packages_and_remotes_the_first_complete_one_is_used() {
    String[] both = {
      """
      "packages": [
        {"registryType": "mcpb", "identifier": "https://ada.example/w.mcpb"},
        {"registryType": "npm", "identifier": "w",
         "environmentVariables": [{"name": "W_KEY", "isRequired": true}]}]
      """,
      "\"remotes\": [{\"type\": \"streamable-http\", \"url\": \"https://w.example/mcp\"}]"
    };
    assertThat(good(Map.of(), both).transport()).isInstanceOf(HttpOptions.class);
    assertThat(stdio(good(Map.of("W_KEY", "k"), both)).args())
        .extracting(Sensitive::reveal)
        .containsExactly("-y", "w");
    assertThat(problems(Map.of(), both[0])).singleElement().asString().contains("\"W_KEY\"");
  }

  @Test
  void a_package_that_cannot_be_run_says_why() {
    assertThat(problems(Map.of(), "\"packages\": [{\"registryType\": \"mcpb\"}]"))
        .containsExactly(
            "server.json:3: server \"weather\": a package of type \"mcpb\" cannot be run. Known"
                + " are npm, pypi, oci and nuget; install it, and name its \"command\" under"
                + " \"mcpServers\"");
    assertThat(
            problems(
                Map.of(),
                "\"packages\": [{\"registryType\": \"npm\", \"identifier\": \"w\","
                    + " \"transport\": {\"type\": \"streamable-http\", \"url\": \"x\"}}]"))
        .singleElement()
        .asString()
        .contains("by itself is not started");
    assertThat(
            problems(
                Map.of(),
                "\"packages\": [{\"registryType\": \"npm\", \"identifier\": \"--evil\"}]"))
        .singleElement()
        .asString()
        .contains("no usable \"identifier\"");
    assertThat(problems(Map.of(), "\"packages\": []"))
        .singleElement()
        .asString()
        .contains("the entry does not say how to reach the server");
    assertThat(problems(Map.of(), "\"remotes\": [{\"type\": \"carrier-pigeon\"}]")).hasSize(2);
  }

  @Test
  void the_older_schemas_with_underscores_are_read_too() {
    ServerDefinition server =
        good(
            Map.of("W_KEY", "k"),
            """
            "packages": [{"registry_name": "docker", "name": "ada/weather", "version": "1.0.2",
              "runtime_hint": "docker",
              "package_arguments": [{"type": "positional", "value_hint": "dir", "default": "/d"}],
              "environment_variables": [{"name": "W_KEY", "is_required": true}]}]
            """);
    assertThat(stdio(server).args())
        .extracting(Sensitive::reveal)
        .containsExactly("run", "-i", "--rm", "-e", "W_KEY", "ada/weather:1.0.2", "/d");
    assertThat(
            good(
                    Map.of(),
                    "\"remotes\": [{\"transport_type\": \"sse\", \"url\": \"https://a.example\"}]")
                .transport())
        .isInstanceOf(SseOptions.class);
  }

  @Test
  void answers_of_a_registry_are_read_as_they_come() {
    Sample sample = Sample.in(directory);
    String one = "{\"name\": \"a/one.v2\", " + npm("") + "}";
    McpBusConfig wrapped =
        sample.json("{\"server\": " + one + ", \"_meta\": {}}").usable().orElseThrow();
    assertThat(wrapped.servers()).extracting(s -> s.id().value()).containsExactly("one-v2");

    String two = "{\"name\": \"a/two\", \"packages\": [{\"registryType\": \"mcpb\"}]}";
    ConfigResult list =
        sample.json("{\"servers\": [{\"server\": " + one + "}, {\"server\": " + two + "}]}");
    assertThat(list.usable().orElseThrow().servers()).hasSize(1);
    assertThat(list.problems()).singleElement().asString().contains("server \"two\"");

    assertThat(sample.json("{\"packages\": []}").problems())
        .singleElement()
        .asString()
        .contains("a server has no \"name\"");
  }

  @Test
  void the_example_is_complete_with_one_variable() {
    ConfigEnvironment environment =
        Sample.in(directory).with(Map.of("NOTES_TOKEN", "canary")).environment();
    ConfigResult result =
        ConfigReader.read(Path.of("conf/examples/registry/server.json"), environment);
    assertThat(result.problems()).isEmpty();
    ServerDefinition notes = result.usable().orElseThrow().servers().get(0);
    assertThat(stdio(notes).args())
        .extracting(Sensitive::reveal)
        .containsExactly("-y", "@ada/notes-mcp@1.4.0", "/srv/notes");
    assertThat(notes.view().encode()).doesNotContain("canary");
  }

  @Test
  void an_entry_on_the_bus_may_be_a_registry_file_too() {
    JsonObject file = new JsonObject("{\"name\": \"a/w\", " + npm("") + "}");
    ConfigEnvironment environment = Sample.in(directory).environment();
    ServerResult result =
        ConfigReader.readServer("mine", file, environment, directory, ServerSettings.DEFAULT);
    assertThat(result.problems()).isEmpty();
    assertThat(result.usable().orElseThrow().id().value()).isEqualTo("mine");
    JsonObject wrong = new JsonObject("{\"packages\": [{\"registryType\": \"mcpb\"}]}");
    assertThat(
            ConfigReader.readServer("mine", wrong, environment, directory, ServerSettings.DEFAULT)
                .problems())
        .singleElement()
        .asString()
        .startsWith("server \"mine\"");
  }

  private List<String> command(Map<String, String> variables, String type, String... members) {
    ServerDefinition server =
        good(
            variables,
            "\"packages\": [{\"registryType\": \""
                + type
                + "\", "
                + String.join(", ", members)
                + "}]");
    List<String> all = new java.util.ArrayList<>();
    all.add(stdio(server).command().reveal());
    stdio(server).args().forEach(arg -> all.add(arg.reveal()));
    return all;
  }

  private static final String IMAGE = "\"identifier\": \"ghcr.example/ada/forge:0.13.0\"";

  private static String named(String name, String value, String... more) {
    return "{\"type\": \"named\", \"name\": \""
        + name
        + "\""
        + (value.isEmpty() ? "" : ", \"value\": \"" + value + "\"")
        + (more.length > 0 ? ", " + String.join(", ", more) : "")
        + "}";
  }

  private static String positional(String value) {
    return "{\"type\": \"positional\", \"value\": \"" + value + "\"}";
  }

  private static String list(String key, String... words) {
    return "\"" + key + "\": [" + String.join(", ", words) + "]";
  }

  @Test
  void a_docker_command_that_the_package_spells_has_its_image_once_and_flags_without_a_value() {
    String[] words = {
      positional("run"),
      named("-i", "true", "\"format\": \"boolean\""),
      named("--rm", "true"),
      named("--sig-proxy", "false", "\"format\": \"boolean\""),
      named("-e", "TOKEN={token}", "\"variables\": {\"token\": {\"isRequired\": true}}"),
      positional("ghcr.example/ada/forge")
    };
    List<String> expected =
        List.of(
            "docker",
            "run",
            "-i",
            "--rm",
            "--sig-proxy=false",
            "-e",
            "TOKEN=canary",
            "ghcr.example/ada/forge:0.13.0");
    Map<String, String> answers = Map.of("MCPBUS_INPUT_TOKEN", "canary");
    assertThat(command(answers, "oci", IMAGE, list("runtimeArguments", words))).isEqualTo(expected);
    assertThat(command(answers, "oci", IMAGE, list("packageArguments", words))).isEqualTo(expected);
    assertThat(
            command(
                Map.of(),
                "oci",
                IMAGE,
                list(
                    "runtimeArguments",
                    positional("docker"),
                    positional("run"),
                    positional("--rm"),
                    positional("ghcr.example/ada/forge:latest"),
                    positional("stdio"))))
        .containsExactly("docker", "run", "-i", "--rm", "ghcr.example/ada/forge:0.13.0", "stdio");
  }

  @Test
  void arguments_of_a_container_keep_their_form_and_optional_ones_without_an_answer_are_left_out() {
    String token = "\"variables\": {\"token\": {\"isSecret\": true}}";
    assertThat(
            command(
                Map.of("MCPBUS_INPUT_WORKSPACE", "/srv/w", "KEY", "k"),
                "oci",
                IMAGE,
                "\"runtimeHint\": \"podman\"",
                list(
                    "runtimeArguments",
                    named("-p", "127.0.0.1:8085:8085"),
                    named("-e", "PORT=8085"),
                    named("-e", "TOKEN={token}", token),
                    named(
                        "-e",
                        "MORE={more}",
                        "\"isRequired\": false, \"variables\": {\"more\": {\"isRequired\": true}}"),
                    positional("-v"),
                    "{\"type\": \"positional\", \"value\": \"{workspace}:/work\", \"variables\":"
                        + " {\"workspace\": {\"isRequired\": true}}}",
                    named("-it", ""),
                    named("--init", "")),
                list(
                    "packageArguments",
                    named("--headless", ""),
                    named("--trace", "false", "\"format\": \"boolean\""),
                    named("--allow", "a.example"),
                    named("--allow", "b.example")),
                "\"environmentVariables\": [{\"name\": \"KEY\"}, {\"name\": \"PORT\","
                    + " \"value\": \"1\"}]"))
        .containsExactly(
            "podman",
            "run",
            "--rm",
            "-p",
            "127.0.0.1:8085:8085",
            "-e",
            "PORT=8085",
            "-v",
            "/srv/w:/work",
            "-it",
            "--init",
            "-e",
            "KEY",
            "ghcr.example/ada/forge:0.13.0",
            "--headless",
            "--allow",
            "a.example",
            "--allow",
            "b.example");
  }

  @Test
  void a_required_argument_whose_optional_variable_has_no_value_is_a_problem() {
    assertThat(
            problems(
                Map.of(),
                "\"packages\": [{\"registryType\": \"oci\", "
                    + IMAGE
                    + ", "
                    + list(
                        "runtimeArguments",
                        named("-e", "A={a}", "\"isRequired\": true, \"variables\": {\"a\": {}}"))
                    + "}]"))
        .singleElement()
        .asString()
        .contains("there is no value for \"-e\"");
  }

  @Test
  void an_answer_to_a_boolean_argument_sets_its_flag_or_not() {
    String flag = list("packageArguments", named("--headless", "", "\"format\": \"boolean\""));
    String npm = "\"identifier\": \"@ada/w\", \"version\": \"1.0.0\"";
    assertThat(command(Map.of("MCPBUS_INPUT_HEADLESS", "true"), "npm", npm, flag))
        .containsExactly("npx", "-y", "@ada/w@1.0.0", "--headless");
    assertThat(command(Map.of("MCPBUS_INPUT_HEADLESS", "false"), "npm", npm, flag))
        .containsExactly("npx", "-y", "@ada/w@1.0.0");
    assertThat(command(Map.of(), "npm", npm, flag)).containsExactly("npx", "-y", "@ada/w@1.0.0");
  }

  @Test
  void other_packages_that_spell_their_command_are_named_once_too() {
    String npm = "\"identifier\": \"@ada/w\", \"version\": \"1.0.0\"";
    String pypi = "\"identifier\": \"ada-w\", \"version\": \"1.0.0\"";
    assertThat(
            command(
                Map.of(),
                "npm",
                npm,
                list("runtimeArguments", positional("-y"), positional("@ada/w@latest")),
                list("packageArguments", positional("serve"))))
        .containsExactly("npx", "-y", "@ada/w@1.0.0", "serve");
    assertThat(
            command(
                Map.of(),
                "npm",
                npm,
                list("packageArguments", positional("-y"), positional("@ada/w"), positional("a"))))
        .containsExactly("npx", "-y", "@ada/w@1.0.0", "a");
    assertThat(
            command(
                Map.of(),
                "pypi",
                pypi,
                list("runtimeArguments", named("--from", "ada-w"), positional("w-server"))))
        .containsExactly("uvx", "--from", "ada-w==1.0.0", "w-server");
    assertThat(command(Map.of(), "npm", npm, "\"runtimeHint\": \"bunx\""))
        .containsExactly("bunx", "@ada/w@1.0.0");
    assertThat(command(Map.of(), "npm", npm, "\"runtimeHint\": \"pnpm dlx\""))
        .containsExactly("pnpm", "dlx", "@ada/w@1.0.0");
    assertThat(command(Map.of(), "npm", npm, "\"runtimeHint\": \"node\""))
        .containsExactly("npx", "-y", "@ada/w@1.0.0");
    assertThat(command(Map.of(), "pypi", pypi, "\"runtimeHint\": \"uv\""))
        .containsExactly("uv", "tool", "run", "ada-w@1.0.0");
    assertThat(
            command(
                Map.of(),
                "nuget",
                "\"identifier\": \"Ada.W\", \"version\": \"1.0.0\", \"runtimeHint\": \"dotnet\""))
        .containsExactly("dotnet", "tool", "exec", "Ada.W@1.0.0", "--yes");
  }

  @Test
  void an_image_of_another_registry_is_named_with_it() {
    assertThat(
            command(
                Map.of(),
                "oci",
                "\"identifier\": \"ada/forge\", \"version\": \"2\", \"registryBaseUrl\":"
                    + " \"https://ghcr.example\""))
        .endsWith("ghcr.example/ada/forge:2");
    assertThat(
            command(
                Map.of(),
                "oci",
                "\"identifier\": \"ada/forge\", \"version\": \"2\", \"registryBaseUrl\":"
                    + " \"https://docker.io\""))
        .endsWith("ada/forge:2");
  }

  @Test
  void headers_of_a_remote_are_filled_and_optional_ones_left_out() {
    HttpOptions http =
        (HttpOptions)
            good(
                    Map.of("MCPBUS_INPUT_TOKEN", "canary"),
                    """
                    "remotes": [{"type": "streamable-http", "url": "https://a.example/mcp",
                      "headers": [
                        {"name": "Authorization", "value": "Bearer {token}",
                         "variables": {"token": {"isRequired": true, "isSecret": true}}},
                        {"name": "X-More", "value": "m-{more}", "variables": {"more": {}}}]}]
                    """)
                .transport();
    assertThat(http.headers())
        .isEqualTo(Sensitive.values(Map.of("Authorization", "Bearer canary")));
  }
}
