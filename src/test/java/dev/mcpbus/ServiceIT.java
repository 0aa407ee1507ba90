package dev.mcpbus;

import static dev.mcpbus.testing.Entries.scripted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.Pids;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The executable jar as a person or an init system meets it. */
class ServiceIT {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int SIGTERM_EXIT = 128 + 15;
  private static final Pattern CURL =
      Pattern.compile("  curl -s http://127\\.0\\.0\\.1:(\\d+)(\\S+)(?: -d '(.*?)'(?:; echo)?)?");

  @TempDir Path folder;

  private String write(JsonObject servers) throws IOException {
    Path file = folder.resolve("servers.json");
    Files.writeString(file, new JsonObject().put("mcpServers", servers).encodePrettily());
    return file.toString();
  }

  /** Runs to the end. */
  private ServiceProcess run(int code, String... args) {
    ServiceProcess service = ServiceProcess.start(folder, args);
    assertThat(service.awaitExit(SOON)).as(service.outText() + service.errText()).isEqualTo(code);
    return service;
  }

  @Test
  void help_names_every_option_and_exit_code() {
    ServiceProcess help = run(0, "--help");
    assertThat(help.outText())
        .contains("--config", "--port", "--check", "--help", "--version", "Exit codes", "SIGTERM");
    assertThat(help.errText()).isEmpty();
  }

  @Test
  void version_is_one_line() {
    assertThat(run(0, "--version").outText()).matches("mcpbus \\d+\\.\\d+\\.\\d+\\S*");
  }

  @Test
  void check_of_a_right_file_exits_with_0_and_starts_nothing() throws IOException {
    Path mark = folder.resolve("started");
    String file =
        write(
            new JsonObject()
                .put(
                    "touch",
                    new JsonObject()
                        .put("command", "touch")
                        .put("args", new JsonArray().add(mark.toString()))));
    ServiceProcess check = run(0, "--check", "--config", file);
    assertThat(check.outText()).contains("servers.json: no problems, 1 server");
    assertThat(mark).doesNotExist();
  }

  @Test
  void check_of_a_wrong_file_exits_with_1_and_says_every_problem_at_once() throws IOException {
    String file =
        write(
            new JsonObject()
                .put("a", new JsonObject().put("command", "x").put("argz", new JsonArray()))
                .put("b", new JsonObject().put("url", "ftp://nowhere"))
                .put("c", new JsonObject().put("command", "${IT_NOT_SET}")));
    ServiceProcess check = run(1, "--check", "--config", file);
    assertThat(check.errText())
        .contains("argz", "Did you mean \"args\"", "neither http nor https", "IT_NOT_SET")
        .contains("3 problems");
    assertThat(check.outText()).isEmpty();
  }

  @Test
  void check_without_a_file_names_the_built_in_demo() {
    assertThat(run(0, "--check").outText()).contains("built-in demo: no problems, 2 servers");
  }

  @Test
  void a_wrong_option_is_wrong_usage() {
    assertThat(run(1, "--frobnicate").errText()).contains("--frobnicate", "Usage: mcpbus");
    assertThat(run(1, "--port", "70000").errText()).contains("70000", "0 to 65535");
  }

  @Test
  void a_file_that_is_not_there_or_no_json_ends_the_start_with_a_report() throws IOException {
    assertThat(run(1, "--config", "nowhere.json").errText())
        .contains("nowhere.json", "does not exist");
    Files.writeString(folder.resolve("broken.json"), "{\n  \"mcpServers\": {\n    oops\n");
    assertThat(run(1, "--config", "broken.json").errText()).contains("broken.json:3");
  }

  @Test
  void without_a_file_the_demo_starts_and_the_printed_lines_work() {
    try (ServiceProcess service = ServiceProcess.start(folder, "--port", "0")) {
      int port = service.port();
      assertThat(service.outText())
          .containsPattern("CONNECTION +STATE +ERA +SERVER +TOOLS +TOOK")
          .containsPattern("demo +READY +\\S+ +mcpbus-demo 1\\.0\\.0 +3 +\\d+ ms")
          .containsPattern("demo-stdio +READY +\\S+ +mcpbus-demo 1\\.0\\.0 +3 +\\d+ ms");
      List<Http.Answer> answers = tryPrintedLines(service, port);
      assertThat(answers.get(0).json().getJsonArray("servers")).hasSize(2);
      assertThat(answers.get(1).json().getJsonObject("structuredContent").getInteger("sum"))
          .isEqualTo(5);
    }
  }

  @Test
  void with_servers_of_ones_own_the_printed_lines_work_too() throws IOException {
    String file = write(new JsonObject().put("mine", scripted("good")));
    try (ServiceProcess service = ServiceProcess.start(folder, "-c", file, "-p", "0")) {
      List<Http.Answer> answers = tryPrintedLines(service, service.port());
      assertThat(answers.get(0).body()).contains("\"mine\"");
      assertThat(answers.get(1).json().getJsonObject("result").getJsonArray("tools").encode())
          .contains("mine.echo");
    }
  }

  /** What the two lines say, done by another HTTP client with the same request. */
  private static List<Http.Answer> tryPrintedLines(ServiceProcess service, int port) {
    List<Http.Answer> answers = new ArrayList<>();
    for (String line : service.out()) {
      Matcher curl = CURL.matcher(line);
      if (curl.matches()) {
        assertThat(Integer.parseInt(curl.group(1))).isEqualTo(port);
        answers.add(
            curl.group(3) == null
                ? Http.get(port, curl.group(2))
                : Http.post(port, curl.group(2), curl.group(3)));
      }
    }
    assertThat(answers).hasSize(2).allMatch(answer -> answer.status() == 200);
    return answers;
  }

  @Test
  void a_port_in_use_is_named_and_the_process_ends() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      ServiceProcess service = run(1, "--port", port);
      assertThat(service.errText())
          .contains("could not start", "127.0.0.1:" + port, "in use", "--port");
      assertThat(service.errText()).doesNotContain("\tat ");
    }
  }

  @Test
  void sigterm_lets_the_call_in_flight_finish_and_leaves_no_child() throws IOException {
    String file =
        write(new JsonObject().put("one", scripted("good")).put("kin", scripted("family")));
    ServiceProcess service = ServiceProcess.start(folder, "-c", file, "-p", "0");
    try (service) {
      service.awaitReady("one");
      service.awaitReady("kin");
      List<Long> children = new ArrayList<>(pids(service, "kin"));
      children.addAll(pids(service, "one"));
      assertThat(children).hasSize(4).allMatch(Pids::runs);
      CompletableFuture<Http.Answer> slow =
          Http.posted(service.port(), "/api/servers/one/tools/sleep", "{\"ms\":1500}");
      awaitPending(service, "one", 1);

      service.signal("TERM");

      assertThat(slow.join().status()).isEqualTo(200);
      assertThat(slow.join().body()).contains("slept");
      assertThat(service.awaitExit(Duration.ofSeconds(10))).isEqualTo(SIGTERM_EXIT);
      assertThat(Pids.running(children)).isEmpty();
    }
  }

  @Test
  void a_change_of_the_file_after_sigterm_is_not_applied() throws IOException {
    String file = write(new JsonObject().put("one", scripted("good")));
    ServiceProcess service = ServiceProcess.start(folder, "-c", file, "-p", "0");
    try (service) {
      service.awaitReady("one");
      CompletableFuture<Http.Answer> slow =
          Http.posted(service.port(), "/api/servers/one/tools/sleep", "{\"ms\":3000}");
      awaitPending(service, "one", 1);

      service.signal("TERM");
      service.awaitErr("mcpbus is ending");
      write(new JsonObject().put("one", scripted("good")).put("late", scripted("good")));

      assertThat(slow.join().body()).as("long enough for a watcher").contains("slept");
      assertThat(service.awaitExit(Duration.ofSeconds(10))).isEqualTo(SIGTERM_EXIT);
      assertThat(service.errText()).doesNotContain("configuration changed").contains("has ended");
    }
  }

  @Test
  void sigterm_does_not_wait_longer_than_10_s_for_a_call_that_never_ends() throws IOException {
    String file =
        write(new JsonObject().put("one", scripted("good")).put("mule", scripted("ignore-end")));
    ServiceProcess service = ServiceProcess.start(folder, "-c", file, "-p", "0");
    try (service) {
      service.awaitReady("one");
      service.awaitReady("mule");
      List<Long> children = new ArrayList<>(pids(service, "one"));
      children.addAll(pids(service, "mule"));
      CompletableFuture<Http.Answer> never =
          Http.posted(service.port(), "/api/servers/one/tools/hang", "{}");
      awaitPending(service, "one", 1);

      service.signal("TERM");

      assertThat(service.awaitExit(Duration.ofSeconds(10))).isEqualTo(SIGTERM_EXIT);
      assertThat(never.join().status()).as("an ending, not a torn connection").isEqualTo(502);
      assertThat(never.join().json().getString("code")).isEqualTo("OUTCOME_UNKNOWN");
      Awaitility.await()
          .atMost(Duration.ofSeconds(2))
          .untilAsserted(() -> assertThat(Pids.running(children)).isEmpty());
    }
  }

  @Test
  void kill_9_of_the_service_leaves_no_child_grandchild_or_daemon_after_2_s() throws IOException {
    String file =
        write(new JsonObject().put("kin", scripted("family")).put("mule", scripted("ignore-end")));
    ServiceProcess service = ServiceProcess.start(folder, "-c", file, "-p", "0");
    try (service) {
      service.awaitReady("kin");
      service.awaitReady("mule");
      List<Long> children = new ArrayList<>(pids(service, "kin"));
      children.addAll(pids(service, "mule"));
      assertThat(children).hasSize(4).allMatch(Pids::runs);

      service.signal("KILL");

      Awaitility.await()
          .atMost(Duration.ofSeconds(2))
          .pollInterval(Duration.ofMillis(20))
          .untilAsserted(() -> assertThat(Pids.running(children)).isEmpty());
    }
  }

  /** The server's own pid, then those of its family; the first is the one in its status. */
  private static List<Long> pids(ServiceProcess service, String id) {
    Http.Answer answer = service.callTool(id, "pids", new JsonObject());
    List<Long> pids =
        Pids.of(answer.json().getJsonArray("content").getJsonObject(0).getString("text"));
    JsonObject status = service.get("/api/servers/" + id).json();
    assertThat(pids.get(0)).isEqualTo(ServiceProcess.pidOf(status));
    return pids;
  }

  private static void awaitPending(ServiceProcess service, String id, int calls) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                service
                        .get("/api/servers/" + id)
                        .json()
                        .getJsonObject("transport")
                        .getInteger("pending")
                    == calls);
  }
}
