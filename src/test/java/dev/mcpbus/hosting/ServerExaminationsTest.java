package dev.mcpbus.hosting;

import static dev.mcpbus.testing.Entries.scripted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class ServerExaminationsTest {

  private static final String SECRET = "s3cr3t-9041";

  /** Lives until it is killed, and never says a word. */
  private static final JsonObject SILENT =
      new JsonObject()
          .put("command", "sleep")
          .put("args", new JsonArray().add("600"))
          .put("closeGrace", "10ms")
          .put("lazy", true);

  private static Map<String, String> results(JsonObject reply) {
    Map<String, String> results = new java.util.LinkedHashMap<>();
    reply.getJsonArray("steps").stream()
        .map(JsonObject.class::cast)
        .forEach(step -> results.put(step.getString("name"), step.getString("result")));
    return results;
  }

  private static JsonObject examine(TestBus bus, String id) {
    return bus.request(Addresses.SERVERS_EXAMINE, new JsonObject().put("id", id));
  }

  @Test
  void the_steps_of_the_doctor_are_taken_beside_the_connection_that_is_there() {
    JsonObject servers =
        new JsonObject()
            .put("good", scripted("good"))
            .put("gone", new JsonObject().put("command", "no-such-program").put("lazy", true))
            .put(
                "loud",
                new JsonObject()
                    .put("command", "sh")
                    .put("lazy", true)
                    .put(
                        "args",
                        new JsonArray().add("-c").add("echo \"Error: key $KEY\" >&2; exit 3"))
                    .put("env", new JsonObject().put("KEY", SECRET)));
    try (TestBus bus = TestBus.start(servers)) {
      JsonObject before = bus.awaitState("good", "READY");

      JsonObject good = examine(bus, "good");
      assertThat(results(good))
          .containsKeys("entry", "environment", "command", "started", "era", "handshake")
          .containsEntry("lists", "fine")
          .containsEntry("ping", "fine")
          .doesNotContainValue("failed");
      assertThat(good.containsKey("cause")).isFalse();
      JsonObject after = bus.status("good");
      assertThat(after.getValue("epoch")).isEqualTo(before.getValue("epoch"));
      assertThat(after.getString("state")).isEqualTo("READY");

      JsonObject gone = examine(bus, "gone");
      assertThat(results(gone))
          .containsEntry("command", "failed")
          .containsEntry("handshake", "skipped");
      assertThat(gone.getString("cause")).isEqualTo("COMMAND_NOT_FOUND");

      JsonObject loud = examine(bus, "loud");
      assertThat(results(loud)).containsEntry("started", "failed");
      assertThat(loud.getString("cause")).isNotNull();
      assertThat(loud.encode()).contains("exit code 3").doesNotContain(SECRET);

      McpFailure unknown =
          bus.failure(
              Addresses.SERVERS_EXAMINE,
              new JsonObject().put("id", "other").put("config", scripted("good")));
      assertThat(unknown.code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    }
  }

  @Test
  void a_server_inside_the_process_is_examined_by_its_own_connection() {
    JsonObject demo =
        new JsonObject().put("demo", new JsonObject().put("type", "bus").put("address", "demo"));
    JsonObject none =
        new JsonObject().put("none", new JsonObject().put("type", "bus").put("address", "nobody"));
    try (TestBus bus = TestBus.start(demo.mergeIn(none))) {
      bus.awaitState("none", "RECONNECTING", "FAILED");
      JsonObject reply = examine(bus, "none");
      assertThat(results(reply)).containsEntry("handshake", "failed");
      assertThat(bus.status("none").getString("state")).isNotEqualTo("CLOSED");
    }
  }

  @Test
  void one_examination_of_a_server_and_four_of_a_node_at_once_each_with_an_end(Vertx vertx) {
    List<Future<JsonObject>> replies = new ArrayList<>();
    List<FailureCode> refused = new ArrayList<>();
    Future<Void> begun =
        Future.future(
            done ->
                vertx.runOnContext(
                    now -> {
                      ServerExaminations examinations =
                          new ServerExaminations(
                              vertx, System.getenv(), Path.of("/"), Duration.ofSeconds(2));
                      for (int i = 0; i < ServerExaminations.AT_ONCE; i++) {
                        replies.add(examinations.examine(silent("s" + i)));
                      }
                      refused.add(refusal(examinations, "s0"));
                      refused.add(refusal(examinations, "other"));
                      done.complete();
                    }));
    TestBus.await(begun);

    assertThat(refused).containsExactly(FailureCode.RATE_LIMITED, FailureCode.OVERLOADED);
    for (Future<JsonObject> reply : replies) {
      JsonObject over = TestBus.await(reply);
      assertThat(results(over)).containsEntry("command", "fine").containsEntry("time", "failed");
      assertThat(over.getString("cause")).isEqualTo("NO_ANSWER");
    }
  }

  private static FailureCode refusal(ServerExaminations examinations, String id) {
    return catchThrowableOfType(McpFailure.class, () -> examinations.examine(silent(id))).code();
  }

  private static ServerDefinition silent(String id) {
    return ConfigReader.read(
            new JsonObject().put("mcpServers", new JsonObject().put(id, SILENT)),
            Path.of("/"),
            ConfigEnvironment.system())
        .usable()
        .orElseThrow()
        .servers()
        .get(0);
  }
}
