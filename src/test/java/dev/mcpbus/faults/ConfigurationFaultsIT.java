package dev.mcpbus.faults;

import static dev.mcpbus.testing.Entries.scripted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.Pids;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cases 113 to 118 with the service as a process and a file that changes under it. */
class ConfigurationFaultsIT {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String CHANGED = "configuration changed";

  @TempDir Path folder;

  private static JsonObject servers(String... idsAndBehaviours) {
    JsonObject servers = new JsonObject();
    for (int i = 0; i < idsAndBehaviours.length; i += 2) {
      servers.put(idsAndBehaviours[i], scripted(idsAndBehaviours[i + 1]));
    }
    return servers;
  }

  private static String file(JsonObject servers) {
    return new JsonObject().put("mcpServers", servers).encodePrettily();
  }

  private Path write(String name, String text) {
    try {
      return Files.writeString(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ServiceProcess start(String name) {
    return ServiceProcess.start(folder, "--config", name, "--port", "0");
  }

  /** It refuses to start, in time. */
  private String refusal(String name) {
    ServiceProcess service = start(name);
    assertThat(service.awaitExit(SOON)).isEqualTo(1);
    assertThat(service.out()).isEmpty();
    return service.errText();
  }

  private static void assertUntouched(ServiceProcess service, JsonObject before) {
    JsonObject now = service.get("/api/servers/" + before.getString("id")).json();
    assertThat(now.getString("state")).isEqualTo("READY");
    assertThat(now.getLong("epoch")).isEqualTo(before.getLong("epoch"));
    assertThat(ServiceProcess.pidOf(now)).isEqualTo(ServiceProcess.pidOf(before));
  }

  private static JsonObject configuration(ServiceProcess service) {
    return Http.get(service.port(), "/api/config", Http.admin(service.port())).json();
  }

  private static String text(Http.Answer answer) {
    return answer.json().getJsonArray("content").getJsonObject(0).getString("text");
  }

  @Test
  void case_113_a_broken_json_file_names_the_line_and_changes_nothing() {
    write("servers.json", file(servers("one", "good")));
    try (ServiceProcess service = start("servers.json")) {
      JsonObject one = service.awaitReady("one");

      write("servers.json", "{\n  \"mcpServers\": {\n    \"one\": { \"command\": }\n  }\n}\n");

      service.awaitErr("servers.json:3");
      assertThat(service.errText()).contains("nothing is changed").doesNotContain(CHANGED);
      assertUntouched(service, one);
      JsonObject broken = configuration(service);
      assertThat(broken.getString("file")).endsWith("servers.json");
      assertThat(broken.getString("brokenSince")).isNotBlank();
      assertThat(broken.getJsonArray("problems").getJsonObject(0).getInteger("line")).isEqualTo(3);

      write("servers.json", file(servers("one", "good", "two", "good")));
      service.awaitErr("1 added, 0 changed, 0 removed, 1 untouched");
      service.awaitReady("two");
      assertThat(configuration(service).containsKey("brokenSince")).isFalse();
      assertThat(configuration(service).getJsonArray("problems")).isEmpty();
      assertUntouched(service, one);
    }
  }

  @Test
  void case_113_a_broken_yaml_file_names_the_line_and_changes_nothing() {
    String yaml =
        "mcpServers:\n  one:\n    command: sh\n    args: ['-c', 'sleep 1000']\n    lazy: true\n";
    write("servers.yaml", yaml);
    try (ServiceProcess service = start("servers.yaml")) {
      assertThat(service.get("/api/servers/one").json().getString("state")).isEqualTo("IDLE");
      write("servers.yaml", yaml + "  two:\n   command: [unclosed\n");
      service.awaitErr("servers.yaml:");
      assertThat(service.errText())
          .containsPattern(
              "servers\\.yaml:[678]:\\d+: the list that begins here with \\[ is not closed");
      assertThat(service.get("/api/servers/one").status()).isEqualTo(200);
      assertThat(service.get("/api/servers/two").status()).isEqualTo(404);
    }
  }

  @Test
  void case_114_yaml_bombs_and_tags_are_refused_at_the_start_and_while_running() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
      String alias = "*a" + (i - 1);
      bomb.append("a").append(i).append(": &a").append(i).append(" [");
      bomb.append(String.join(", ", java.util.Collections.nCopies(10, alias))).append("]\n");
    }
    String tag = "mcpServers:\n  one: !!javax.script.ScriptEngineManager []\n";
    write("bomb.yaml", bomb + "mcpServers: {}\n");
    write("tag.yaml", tag);
    assertThat(refusal("bomb.yaml")).contains("bomb.yaml:");
    assertThat(refusal("tag.yaml")).contains("tag.yaml:2");

    write("live.yaml", "mcpServers:\n  one: {command: sh, lazy: true}\n");
    try (ServiceProcess service = start("live.yaml")) {
      service.port();
      write("live.yaml", bomb + "mcpServers: {}\n");
      service.awaitErr("live.yaml:");
      assertThat(service.get("/api/servers/one").status()).isEqualTo(200);
      assertThat(service.runs()).isTrue();
    }
  }

  @Test
  void case_115_names_that_mean_the_same_server_are_all_listed_and_nothing_is_started() {
    Path mark = folder.resolve("started");
    String entry = "{ \"command\": \"touch\", \"args\": [\"" + mark + "\"] }";
    write(
        "servers.json",
        "{ \"mcpServers\": {\n"
            + String.join(
                ",\n",
                Arrays.asList(
                    "\"My Server\": " + entry,
                    "\"my-server\": " + entry,
                    "\"MY_SERVER\": " + entry,
                    "\"\uFF4Dy server\": " + entry,
                    "\"other\": " + entry,
                    "\"Other \": " + entry))
            + "\n}}\n");
    String refused = refusal("servers.json");
    assertThat(refused)
        .contains("My Server", "my-server", "MY_SERVER", "\"Other \"", "line 2", "line 7")
        .contains("nothing is started");
    assertThat(mark).doesNotExist();
  }

  @Test
  void case_116_an_unset_variable_leaves_that_server_out_and_is_named() {
    JsonObject servers = servers("good", "good");
    servers.put("bad", scripted("good").put("cwd", "${IT_NOT_SET}"));
    write("servers.json", file(servers));
    try (ServiceProcess service = start("servers.json")) {
      service.awaitReady("good");
      assertThat(service.errText()).contains("server \"bad\"", "IT_NOT_SET is not set");
      assertThat(service.outText()).containsPattern("bad +LEFT OUT +line \\d+: .*IT_NOT_SET");
      assertThat(service.get("/api/servers/bad").status()).isEqualTo(404);
    }
  }

  @Test
  void case_117_a_reload_drains_what_changed_and_leaves_the_rest_alone() {
    write("servers.json", file(servers("same", "good", "changes", "good", "goes", "good")));
    try (ServiceProcess service = start("servers.json")) {
      final JsonObject same = service.awaitReady("same");
      JsonObject changes = service.awaitReady("changes");
      JsonObject goes = service.awaitReady("goes");
      CompletableFuture<Http.Answer> inFlight =
          Http.posted(service.port(), "/api/servers/changes/tools/sleep", "{\"ms\":2500}");
      Awaitility.await()
          .atMost(SOON)
          .until(() -> text(service.callTool("changes", "count", new JsonObject())).equals("1"));

      JsonObject next = servers("same", "good", "changes", "good", "comes", "good");
      next.getJsonObject("changes").put("env", new JsonObject().put("GENERATION", "second"));
      write("servers.json", file(next));

      service.awaitErr("1 added, 1 changed, 1 removed, 1 untouched");
      Http.Answer old = inFlight.join();
      assertThat(old.status()).as(old.body()).isEqualTo(200);
      assertThat(text(old)).isEqualTo("slept");
      service.awaitReady("comes");
      Awaitility.await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                Http.Answer answer =
                    service.callTool("changes", "env", new JsonObject().put("text", "GENERATION"));
                assertThat(answer.status()).isEqualTo(200);
                assertThat(text(answer)).isEqualTo("second");
              });
      JsonObject fresh = service.awaitReady("changes");
      assertThat(fresh.getLong("epoch")).isGreaterThan(changes.getLong("epoch"));
      assertThat(Pids.runs(ServiceProcess.pidOf(changes))).isFalse();
      assertThat(service.get("/api/servers/goes").status()).isEqualTo(404);
      Awaitility.await().atMost(SOON).until(() -> !Pids.runs(ServiceProcess.pidOf(goes)));
      assertUntouched(service, same);
    }
  }

  @Test
  void case_118_a_file_that_is_still_being_written_is_not_used() throws IOException {
    write("servers.json", file(servers("one", "good")));
    try (ServiceProcess service = start("servers.json")) {
      final JsonObject one = service.awaitReady("one");
      byte[] whole = file(servers("one", "good", "two", "good")).getBytes(StandardCharsets.UTF_8);
      int step = whole.length / 20 + 1;
      int[] written = {0};
      write("servers.json", "");
      // A writer that takes two seconds: a part each time that the condition is looked at.
      Awaitility.await()
          .pollInterval(Duration.ofMillis(100))
          .atMost(SOON)
          .until(
              () -> {
                int to = Math.min(whole.length, written[0] + step);
                byte[] part = Arrays.copyOfRange(whole, written[0], to);
                Files.write(folder.resolve("servers.json"), part, StandardOpenOption.APPEND);
                written[0] = to;
                return to == whole.length;
              });

      service.awaitErr("1 added, 0 changed, 0 removed, 1 untouched");
      assertThat(service.errText().split(CHANGED, -1)).as("changed once").hasSize(2);
      service.awaitReady("two");
      assertUntouched(service, one);
    }
  }
}
