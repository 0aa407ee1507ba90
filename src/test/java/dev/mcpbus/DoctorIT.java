package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Entries;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.ScriptedServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code mcpbus doctor} on child processes that are broken, each in its own way. */
class DoctorIT {

  /**
   * What the doctor has to say.
   *
   * @param step where the examination ends
   * @param text part of the cause, in words
   * @param remedy part of what to do
   */
  record Case(String id, String cause, String step, String text, String remedy) {
    @Override
    public String toString() {
      return id;
    }
  }

  private static final List<Case> CASES =
      List.of(
          is(
              "missing",
              "COMMAND_NOT_FOUND",
              "command",
              "no-such-command is not on PATH",
              "Install"),
          is("plain", "COMMAND_NOT_EXECUTABLE", "command", "is not executable", "chmod +x"),
          is("folder", "COMMAND_NOT_EXECUTABLE", "command", "is a directory", "Name a program"),
          is("interpreter", "INTERPRETER_NOT_FOUND", "command", "/no/such/interpreter", "#!"),
          is("env", "INTERPRETER_NOT_FOUND", "command", "no-such-runtime", "Install"),
          is("windows", "INTERPRETER_NOT_FOUND", "command", "carriage return", "line ends"),
          is("cwd", "DIRECTORY_NOT_FOUND", "command", "not-there does not exist", "\"cwd\""),
          is("script", "FILE_NOT_FOUND", "command", "server.sh does not exist", "\"args\""),
          is("node", "MODULE_NOT_FOUND", "started", "module not-installed", "npm install"),
          is("python", "MODULE_NOT_FOUND", "started", "Python module mcp_nope", "pip install"),
          is("shell", "COMMAND_NOT_FOUND", "started", "which is not on PATH", "Install"),
          is("npm", "PACKAGE_NOT_FOUND", "started", "no package @acme/nope@*", "package's name"),
          is("docker", "DOCKER_NOT_RUNNING", "started", "Docker's daemon", "Start Docker"),
          is("port", "PORT_IN_USE", "started", "Port 3000 is in use", "another port"),
          is("wants", "VARIABLE_MISSING", "started", "GITHUB_TOKEN", "\"GITHUB_TOKEN\""),
          is("zero", "EXITED_AT_ONCE", "started", "ends by itself", "an argument"),
          is("crash", "CRASHED", "started", "exit code 3", "Its own words"),
          is("killed", "KILLED", "started", "SIGKILL", "memory"),
          is("logs", "LOGS_ON_STDOUT", "first words", "its log to stdout", "stderr"),
          is("jsonlogs", "NOT_MCP", "first words", "begins like a message", "belongs on stderr"),
          is("framed", "WRONG_FRAMING", "first words", "language servers", "on each line"),
          is("silent", "NO_ANSWER", "handshake", "does not answer", "handshakeTimeout"),
          is("http", "SERVES_HTTP", "handshake", "serves HTTP", "\"url\": \"http://localhost:3000"),
          is("refuses", "INITIALIZE_REFUSED", "handshake", "license has expired", "documentation"),
          is("old", "UNSUPPORTED_VERSION", "handshake", "1999-01-01", "Update the server"),
          is("placeholder", "PLACEHOLDER_VALUE", "started", "\"API_KEY\" in \"env\"", "real value"),
          is("unset", "VARIABLE_UNSET", "environment", "IT_NOT_SET", "Set it"),
          is("envfile", "ENV_FILE_UNUSABLE", "environment", "nope.env", "Create it"),
          is("typo", "CONFIG_PROBLEM", "entry", "comand", "command"));

  private static Case is(String id, String cause, String step, String text, String remedy) {
    return new Case(id, cause, step, text, remedy);
  }

  @TempDir static Path folder;

  private static DoctorBed.Run run;

  static List<Case> cases() {
    return CASES;
  }

  /** All of them at once, as without an id. */
  @BeforeAll
  static void examines() {
    DoctorBed bed = new DoctorBed(folder);
    bed.command("missing", "no-such-command");
    bed.command("plain", bed.file("plain.txt", "hello", false).toString());
    bed.command("folder", folder.toString());
    bed.command(
        "interpreter", bed.file("interpreted", "#!/no/such/interpreter -x\n", true).toString());
    bed.command("env", bed.file("by-env", "#!/usr/bin/env no-such-runtime\n", true).toString());
    bed.command("windows", bed.file("windows", "#!/bin/sh\r\nexit 0\r\n", true).toString());
    bed.server("cwd", DoctorBed.sh("true").put("cwd", folder.resolve("not-there").toString()));
    bed.command("script", "sh", "server.sh");
    bed.command("node", NpmServers.node(), "-e", "require('not-installed')");
    bed.server("python", python(bed));
    bed.sh("shell", "no-such-helper --serve");
    bed.command("npm", "/bin/sh", npm(bed).toString());
    bed.sh(
        "docker",
        "echo 'docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the"
            + " docker daemon running?' >&2; exit 125");
    bed.sh("port", "echo 'Error: listen EADDRINUSE: address already in use :::3000' >&2; exit 1");
    bed.sh("wants", "echo 'GITHUB_TOKEN environment variable is required' >&2; exit 1");
    bed.command("zero", "true");
    bed.sh("crash", "echo 'fatal: the moon is in the wrong phase' >&2; exit 3");
    bed.sh("killed", "kill -KILL $$");
    bed.sh(
        "logs",
        "i=0; while [ $i -lt 30000 ]; do echo \"INFO starting part $i\"; i=$((i+1)); done; sleep 60");
    bed.sh(
        "jsonlogs",
        "echo '{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"up\",\"params\":{]}'; sleep 60");
    bed.sh("framed", "printf 'Content-Length: 2\\r\\n\\r\\n'; sleep 60");
    bed.sh("silent", "sleep 60");
    bed.sh("http", "echo 'Server listening on http://localhost:3000/mcp' >&2; sleep 60");
    bed.sh("refuses", answering("\"error\":{\"code\":-32603,\"message\":\"license has expired\"}"));
    bed.sh(
        "old",
        answering(
            "\"result\":{\"protocolVersion\":\"1999-01-01\",\"capabilities\":{},"
                + "\"serverInfo\":{\"name\":\"old\",\"version\":\"1\"}}"));
    bed.server(
        "placeholder",
        DoctorBed.sh("exit 1").put("env", new JsonObject().put("API_KEY", "<YOUR_API_KEY>")));
    bed.server(
        "unset", DoctorBed.sh("true").put("env", new JsonObject().put("KEY", "${IT_NOT_SET}")));
    bed.server("envfile", DoctorBed.sh("true").put("envFile", "nope.env"));
    bed.server("typo", new JsonObject().put("comand", "true"));
    run = bed.run("--json", "--timeout", "6");
  }

  /** Python itself, or its words where this machine has none. */
  private static JsonObject python(DoctorBed bed) {
    boolean there =
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "python3")));
    return there
        ? new JsonObject()
            .put("command", "python3")
            .put(
                "args",
                new JsonArray().add(bed.file("imports.py", "import mcp_nope\n", false).toString()))
        : DoctorBed.sh("echo \"ModuleNotFoundError: No module named 'mcp_nope'\" >&2; exit 1");
  }

  /** What npx prints for a package that does not exist; its last line names a log. */
  private static Path npm(DoctorBed bed) {
    return bed.file(
        "npx",
        """
        cat >&2 <<'END'
        npm error code E404
        npm error 404 Not Found - GET /@acme%2fnope - Not found
        npm error 404
        npm error 404  '@acme/nope@*' is not in this registry.
        npm error 404
        npm error A complete log of this run can be found in: /home/u/.npm/_logs/x-debug-0.log
        END
        exit 1
        """,
        false);
  }

  /** Says the same to every request. */
  private static String answering(String member) {
    return "while IFS=':,' read -r a b c id rest; do case \"$c$rest\" in *method*) printf"
        + " '{\"jsonrpc\":\"2.0\",\"id\":%s,"
        + member
        + "}\\n' \"$id\";; esac; done";
  }

  @ParameterizedTest
  @MethodSource("cases")
  void names_the_right_cause(Case wanted) {
    assertCase(run.server(wanted.id()), wanted);
  }

  static void assertCase(JsonObject server, Case wanted) {
    assertThat(server.getString("cause")).as(server.encodePrettily()).isEqualTo(wanted.cause());
    assertThat(server.getString("text")).contains(wanted.text());
    assertThat(server.getString("remedy")).contains(wanted.remedy());
    assertThat(failed(server)).isEqualTo(wanted.step());
  }

  private static String failed(JsonObject server) {
    return server.getJsonArray("steps").stream()
        .map(JsonObject.class::cast)
        .filter(step -> step.getString("result").equals("failed"))
        .map(step -> step.getString("step"))
        .findFirst()
        .orElse("");
  }

  @Test
  void the_exit_code_is_that_of_the_worst_and_every_server_has_a_report() {
    assertThat(run.code()).isEqualTo(4);
    assertThat(run.json().getBoolean("ok")).isFalse();
    assertThat(run.json().getJsonArray("servers")).hasSize(CASES.size());
  }

  @Test
  void evidence_is_the_telling_line_and_not_the_last() {
    JsonArray steps = run.server("npm").getJsonArray("steps");
    assertThat(steps.encode())
        .contains("'@acme/nope@*' is not in this registry.")
        .doesNotContain("A complete log");
  }

  @Test
  void steps_after_the_failure_are_named_as_not_tried() {
    assertThat(
            run.server("missing").getJsonArray("steps").stream()
                .map(JsonObject.class::cast)
                .filter(step -> step.getString("result").equals("skipped"))
                .map(step -> step.getString("step")))
        .containsExactly("started", "first words", "era", "handshake", "lists", "ping", "end");
  }

  @Test
  void what_runs_already_is_asked_too(@TempDir Path own) {
    DoctorBed bed = new DoctorBed(own).sh("one", "exit 1").sh("two", "exit 1");
    try (InProcessService running = bed.start("one")) {
      bed.variable("MCPBUS_URL", running.url().toString());
      bed.variable("MCPBUS_KEY", running.token());
      DoctorBed.Run both = bed.run("--json");
      assertThat(both.server("one").getString("running"))
          .startsWith(running.url() + ": ")
          .contains("restart", "last error HANDSHAKE_FAILED at 2");
      assertThat(both.server("two").getString("running")).isNull();
      bed.variable("MCPBUS_KEY", "wrong");
      assertThat(bed.run("one", "--json").server("one").getString("running"))
          .contains("does not say");
    }
  }

  @Test
  void a_server_that_is_not_there_is_the_exit_code_2(@TempDir Path own) {
    DoctorBed.Run none = new DoctorBed(own).sh("one", "exit 1").run("two", "--json");
    assertThat(none.code()).isEqualTo(2);
    assertThat(none.err()).contains("UNKNOWN_CONNECTION", "it has one");
  }

  @Test
  void a_file_that_cannot_be_read_is_one_report_with_its_line(@TempDir Path own) {
    DoctorBed.Run broken = new DoctorBed(own).text("{\"mcpServers\": {\n  oops\n").run();
    assertThat(broken.code()).isEqualTo(1);
    assertThat(broken.out()).contains("mcp.json", "FAIL entry", "[CONFIG_PROBLEM]");
  }

  @Test
  void an_entry_that_cannot_work_is_the_exit_code_1_and_starts_nothing(@TempDir Path own) {
    DoctorBed bed = new DoctorBed(own).command("one", "no-such-command");
    assertThat(bed.run("one").code()).isEqualTo(1);
    assertThat(bed.started()).isZero();
  }

  @Test
  void the_name_of_a_program_with_a_digit_is_no_secret(@TempDir Path own) {
    DoctorBed bed = new DoctorBed(own);
    bed.command("digit", bed.file("tool2", "#!/bin/sh\necho tool2 fails >&2; exit 1\n", true) + "");
    assertThat(bed.run("digit").out()).contains("| tool2 fails");
  }

  @Test
  void a_server_that_works_passes_every_step(@TempDir Path own) {
    DoctorBed bed = new DoctorBed(own);
    bed.server(
        "everything",
        NpmServers.stdio("@modelcontextprotocol/server-everything/dist/index.js", "stdio"));
    DoctorBed.Run healthy = bed.run("everything", "--json");
    JsonObject server = healthy.server("everything");
    assertThat(server.getBoolean("ok")).as(server.encodePrettily()).isTrue();
    assertThat(healthy.code()).isZero();
    assertThat(results(server))
        .containsOnly(
            Map.entry("entry", "ok"),
            Map.entry("environment", "ok"),
            Map.entry("command", "ok"),
            Map.entry("started", "ok"),
            Map.entry("first words", "ok"),
            Map.entry("era", "ok"),
            Map.entry("handshake", "ok"),
            Map.entry("lists", "ok"),
            Map.entry("ping", "ok"),
            Map.entry("end", "ok"));
  }

  @Test
  void noise_on_stdout_is_a_note_where_the_server_works(@TempDir Path own) {
    DoctorBed bed = new DoctorBed(own);
    List<String> server = ScriptedServer.command("");
    bed.sh("noisy", "echo 'Server is starting'; exec " + String.join(" ", server));
    DoctorBed.Run noisy = bed.run("noisy", "--json");
    assertThat(noisy.code()).as(noisy.out()).isZero();
    assertThat(results(noisy.server("noisy"))).containsEntry("first words", "note");
    assertThat(noisy.out()).contains("STDOUT_JUNK", "Server is starting");
  }

  private static final String WITH_A_BROKEN_SCHEMA =
      """
      while IFS=':,' read -r a b c id rest; do
        case "$c:$id,$rest" in
          *'"method":"notifications'*) continue ;;
          *'"method":"initialize"'*)
            r='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},
              "serverInfo":{"name":"s","version":"1"}}' ;;
          *'"method":"tools/list"'*)
            r='{"tools":[{"name":"good","inputSchema":{"type":"object"}},
              {"name":"bad","inputSchema":{"$ref":"#"}}]}' ;;
          *) r='{}' ;;
        esac
        printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$(echo "$r" | tr -d '\\n')"
      done
      """;

  /** What a server does wrong without failing is a note, and the server works. */
  @Test
  void oddities_of_a_server_that_works_are_notes(@TempDir Path own) {
    DoctorBed bed = new DoctorBed(own);
    bed.server("deaf", Entries.scripted("ignore-end").put("closeGrace", "300ms"));
    bed.server("twice", Entries.scripted("duplicate-tools"));
    bed.server("good", Entries.scripted("good"));
    bed.sh("schema", WITH_A_BROKEN_SCHEMA);
    DoctorBed.Run odd = bed.run("--json");
    assertThat(odd.code()).as(odd.out()).isZero();
    assertThat(note(odd.server("deaf"))).isEqualTo("end: DOES_NOT_END");
    assertThat(note(odd.server("twice"))).isEqualTo("lists: DUPLICATE_TOOLS");
    assertThat(note(odd.server("good"))).isEmpty();
    assertThat(note(odd.server("schema"))).isEqualTo("lists: TOOLS_LEFT_OUT");
    assertThat(odd.out()).contains("1 tool is left out", "bad: ");
  }

  private static String note(JsonObject server) {
    return server.getJsonArray("steps").stream()
        .map(JsonObject.class::cast)
        .filter(step -> step.getString("result").equals("note"))
        .map(step -> step.getString("step") + ": " + step.getString("cause"))
        .collect(Collectors.joining(", "));
  }

  @Test
  void a_list_that_the_server_refuses_is_a_failure(@TempDir Path own) {
    DoctorBed bed = new DoctorBed(own).server("liar", Entries.scripted("lying"));
    assertCase(
        bed.run("liar", "--json").server("liar"),
        is("liar", "LIST_FAILED", "lists", "does not list its prompts", "its log"));
  }

  private static Map<String, String> results(JsonObject server) {
    return server.getJsonArray("steps").stream()
        .map(JsonObject.class::cast)
        .collect(
            Collectors.toMap(step -> step.getString("step"), step -> step.getString("result")));
  }
}
