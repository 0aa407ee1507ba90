package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cli.CommandRun;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every command, in pipes, against a real mcpbus with real servers. Those that run while the test
 * looks at them, and each exit code once, are processes of the executable jar.
 */
class CliIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";
  private static final String RESOURCE = "demo://resource/static/document/architecture.md";
  private static final int SIGTERM_EXIT = 128 + 15;

  @TempDir static Path folder;
  private static ServiceProcess service;
  private static String url;

  @BeforeAll
  static void start() throws IOException {
    JsonObject servers =
        new JsonObject()
            .put("demo", new JsonObject().put("type", "bus").put("address", "mcpbus.demo"))
            .put(
                "everything",
                NpmServers.stdio(EVERYTHING)
                    .put("capabilities", new JsonArray().add("elicitation")))
            .put(
                "broken",
                new JsonObject()
                    .put("command", "sh")
                    .put("args", new JsonArray().add("-c").add("echo no luck >&2; exit 3")))
            .put("typo", new JsonObject().put("comand", "x"));
    Path file = folder.resolve("servers.json");
    Files.writeString(file, new JsonObject().put("mcpServers", servers).encode());
    service = ServiceProcess.start(folder, "--config", file.toString(), "--port", "0").early();
    url = "http://127.0.0.1:" + service.port();
    service.awaitReady("everything");
  }

  @AfterAll
  static void end() {
    service.close();
  }

  /**
   * Runs a command to its end in this JVM, as the jar does: a JVM for each of them takes longer
   * than the command.
   */
  private static CommandRun run(int code, String... args) {
    CommandRun command =
        new CommandRun(Path.of(System.getProperty("user.home")), System.getenv(), "", all(args));
    assertThat(command.code())
        .as("%s%n%s%n%s", List.of(args), command.out(), command.err())
        .isEqualTo(code);
    return command;
  }

  /** Begins a command of the jar, in a process of its own. */
  private static ServiceProcess begun(String... args) {
    return ServiceProcess.start(folder, all(args));
  }

  private static String[] all(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.add(1, "--url=" + url);
    return all.toArray(String[]::new);
  }

  private static JsonObject json(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.add(1, "--json");
    CommandRun command = run(0, all.toArray(String[]::new));
    assertThat(command.err()).isEmpty();
    return new JsonObject(command.out());
  }

  @Test
  void status_shows_every_server_with_the_reason_of_those_that_do_not_run() {
    CommandRun status = run(0, "status");
    assertThat(status.out())
        .containsPattern("CONNECTION +STATE +SINCE +RESTARTS +TOOLS +ERA +SERVER")
        .containsPattern("demo +READY")
        .containsPattern("everything +READY .*mcp-servers/everything")
        .contains("no luck");
    JsonObject all = json("status");
    assertThat(all.getJsonArray("servers")).hasSizeGreaterThanOrEqualTo(3);
    assertThat(run(0, "status", "demo").out()).containsPattern("state +READY");
    assertThat(json("status", "demo").getString("state")).isEqualTo("READY");
    assertThat(run(1, "status", "--watch").err()).contains("pipe");
  }

  @Test
  void tools_lists_all_those_of_one_and_the_arguments_of_one_tool() {
    assertThat(run(0, "tools").out()).contains("demo.add", "everything.echo");
    assertThat(run(0, "tools", "demo").out()).contains("demo.add").doesNotContain("everything");
    assertThat(run(0, "tools", "demo.add").out())
        .contains("ARGUMENT", "number", "mcpbus call demo.add");
    assertThat(json("tools").getJsonArray("tools")).hasSizeGreaterThan(10);
    assertThat(json("tools", "demo.add").getJsonObject("inputSchema")).isNotNull();
    assertThat(run(2, "tools", "nowhere").err()).contains("nowhere");
  }

  @Test
  void call_types_its_arguments_and_says_how_it_went() throws IOException {
    assertThat(run(0, "call", "everything.get-sum", "a=1", "b=2.5").out()).contains("3.5");
    assertThat(run(0, "call", "everything.echo", "message=17").out()).contains("Echo: 17");
    Path arguments = Files.writeString(folder.resolve("args.json"), "{\"a\": 2, \"b\": 3}");
    assertThat(json("call", "demo.add", "--args", arguments.toString()).containsKey("content"))
        .isTrue();
    ServiceProcess wrong = begun("call", "everything.get-sum", "a=one");
    assertThat(wrong.awaitExit(SOON)).isEqualTo(1);
    assertThat(wrong.errText()).contains("argument a");
    assertThat(run(5, "call", "demo.nope").err()).contains("nope");
    assertThat(run(5, "call", "demo.ad", "a=1").err()).contains("did you mean add?");
    ServiceProcess nowhere = begun("call", "nowhere.echo");
    assertThat(nowhere.awaitExit(SOON)).isEqualTo(2);
    assertThat(nowhere.errText()).contains("nowhere");
    ServiceProcess failed = begun("call", "demo.nope", "--json");
    assertThat(failed.awaitExit(SOON)).isEqualTo(5);
    assertThat(new JsonObject(failed.errText()).getJsonObject("error").getString("code"))
        .isEqualTo("UNKNOWN_TOOL");
  }

  @Test
  void read_and_prompt_print_what_the_server_gives() {
    assertThat(run(0, "read", "everything", RESOURCE).out()).contains("Architecture");
    assertThat(json("read", "everything", RESOURCE).getJsonArray("contents")).hasSize(1);
    assertThat(run(0, "prompt", "everything").out()).contains("args-prompt");
    assertThat(run(0, "prompt", "everything", "args-prompt", "city=Rome").out())
        .contains("user:", "Rome");
    assertThat(json("prompt", "everything", "args-prompt", "city=Rome").getJsonArray("messages"))
        .isNotEmpty();
  }

  @Test
  void logs_and_history_say_what_a_broken_server_said() {
    assertThat(run(0, "logs", "broken").out()).contains("err no luck");
    assertThat(json("logs", "broken").getJsonArray("lines")).isNotEmpty();
    assertThat(run(0, "history", "broken").out()).contains("exit code 3", "| no luck");
    assertThat(json("history", "broken").getJsonArray("endings")).isNotEmpty();
  }

  @Test
  void a_call_in_flight_is_listed_and_an_operator_cancels_it() {
    ServiceProcess call = begun("call", "everything.trigger-long-running-operation", "duration=60");
    String place = awaitCall();
    run(0, "calls", "cancel", place);
    assertThat(call.awaitExit(SOON)).isNotZero();
    assertThat(call.errText()).containsIgnoringCase("cancel");
    assertThat(run(0, "calls", "--recent").out()).contains("CANCELLED", "OUTCOME");
    assertThat(json("calls").containsKey("inFlight")).isTrue();
    assertThat(run(1, "calls", "cancel", "everything").err()).contains("SERVER/NUMBER");
  }

  @Test
  void a_call_on_a_clients_own_connection_is_listed_with_it_and_cancelled() {
    McpHttp client = new McpHttp(service.port(), "/mcp/everything");
    McpHttp.Session session = client.initialize("2025-11-25", new JsonObject());
    JsonObject params =
        new JsonObject()
            .put("name", "trigger-long-running-operation")
            .put("arguments", new JsonObject().put("duration", 62).put("steps", 5));
    CompletableFuture<McpHttp.Answer> answer = session.called(client.request("tools/call", params));
    String place = awaitCall();
    assertThat(place).matches("everything--[0-9a-f]{32}/[0-9]+");
    run(0, "calls", "cancel", place);
    assertThat(answer.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join().response().encode())
        .containsIgnoringCase("cancel");
    assertThat(run(0, "calls", "everything", "--recent").out()).contains(place);
  }

  private static String awaitCall() {
    return Awaitility.await()
        .atMost(SOON)
        .until(
            () ->
                run(0, "calls")
                    .out()
                    .lines()
                    .filter(line -> line.contains("trigger-long-running-operation"))
                    .map(line -> line.replaceFirst(" .*", ""))
                    .findFirst()
                    .orElse(""),
            place -> !place.isEmpty());
  }

  @Test
  void a_signal_cancels_the_call_at_the_server_and_ends_the_command() {
    ServiceProcess call = begun("call", "everything.trigger-long-running-operation", "duration=61");
    String place = awaitCall();
    // Not INT: a child of a process that ignores it, as in the background of a shell, ignores it
    // too.
    call.signal("TERM");
    assertThat(call.awaitExit(SOON)).isEqualTo(SIGTERM_EXIT);
    Awaitility.await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(run(0, "calls").out()).doesNotContain(place + " "));
  }

  @Test
  void a_server_comes_restarts_and_goes() {
    assertThat(run(0, "add", "second", "--", "sh", "-c", "cat").out()).contains("second");
    assertThat(json("status", "second").getString("id")).isEqualTo("second");
    assertThat(run(0, "restart", "second").out()).contains("second");
    assertThat(run(1, "add", "second", "--", "cat").err()).contains("exists already");
    assertThat(run(0, "remove", "second").out()).contains("second");
    assertThat(run(2, "remove", "second").err()).contains("there is no server 'second'");
  }

  @Test
  void events_are_lines_as_they_happen() {
    ServiceProcess events = begun("events", "demo", "--type=stateChanged", "--json");
    try (events) {
      Awaitility.await()
          .atMost(SOON)
          .until(
              () -> {
                run(0, "restart", "demo");
                return !events.out().isEmpty();
              });
      assertThat(new JsonObject(events.out().get(0)).getString("type")).isEqualTo("stateChanged");
    }
  }

  @Test
  void a_question_is_listed_and_answered() {
    ServiceProcess call = begun("call", "everything.trigger-elicitation-request");
    String key =
        Awaitility.await()
            .atMost(SOON)
            .until(
                () ->
                    json("answer").getJsonArray("questions").stream()
                        .map(question -> ((JsonObject) question).getString("question"))
                        .findFirst()
                        .orElse(""),
                found -> !found.isEmpty());
    assertThat(run(0, "answer").out()).contains("QUESTION", "everything");
    assertThat(run(0, "answer", key, "name=Ada L.").out()).contains("answered");
    assertThat(call.awaitExit(SOON)).as(call.errText()).isZero();
    assertThat(call.outText()).contains("Ada L.");
    assertThat(run(2, "answer", key).err()).contains("waits for an answer");
  }

  @Test
  void health_is_for_containers() {
    assertThat(run(0, "health").out()).contains("UP");
    assertThat(run(0, "health", "--live").out()).contains("UP");
    assertThat(json("health").getString("status")).isEqualTo("UP");
    ServiceProcess nobody = ServiceProcess.start(folder, "health", "--url", "http://127.0.0.1:9");
    assertThat(nobody.awaitExit(SOON)).isEqualTo(4);
  }

  @Test
  void without_a_running_mcpbus_a_command_starts_one_for_itself() throws IOException {
    Path file = folder.resolve("alone.json");
    Files.writeString(
        file,
        "{\"bridge\": {\"port\": 9}, \"mcpServers\": {\"mine\": {\"type\": \"bus\", \"address\":"
            + " \"mcpbus.demo\"}}}");
    ServiceProcess call =
        ServiceProcess.start(
            folder, "call", "mine.add", "a=2", "b=3", "--json", "--config", file.toString());
    assertThat(call.awaitExit(SOON)).as(call.errText()).isZero();
    JsonObject result = new JsonObject(call.outText());
    assertThat(result.getJsonObject("structuredContent").getInteger("sum")).isEqualTo(5);
    assertThat(call.errText()).as("its log is silent").isEmpty();
    ServiceProcess restart =
        ServiceProcess.start(folder, "restart", "mine", "--config", file.toString());
    assertThat(restart.awaitExit(SOON)).isEqualTo(4);
    assertThat(restart.errText()).contains("no mcpbus runs at http://127.0.0.1:9");
  }
}
