package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.cli.Terminal;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server is recorded once, and tests replay it. */
class RecordIT {

  private static final String CANARY = "canary-7a6b5c4d";
  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";

  @TempDir Path folder;

  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("everything.jsonl");
  }

  private DoctorBed.Run record(String... args) {
    JsonObject entry =
        NpmServers.stdio(EVERYTHING).put("env", new JsonObject().put("API_TOKEN", CANARY));
    return new DoctorBed(folder).server("everything", entry).runAs("record", Terminal.NONE, args);
  }

  private DoctorBed.Run recorded() {
    DoctorBed.Run run =
        record(
            "everything",
            "-o",
            file.toString(),
            "--call",
            "echo {\"message\": \"hi\"}",
            "--call",
            "get-sum {\"a\": 2, \"b\": 3}",
            "--call",
            "get-env",
            "--call",
            "trigger-long-running-operation {\"duration\": 0.2, \"steps\": 2}",
            "--call",
            "echo {\"message\": \"" + CANARY + "\"}",
            "--request",
            "prompts/get {\"name\": \"simple-prompt\"}");
    assertThat(run.code()).as(run.out() + run.err()).isZero();
    return run;
  }

  @Test
  void a_recording_is_readable_by_its_user_alone_and_without_secrets() throws IOException {
    Files.writeString(file, "older, and readable by others");
    assertThat(recorded().out()).contains("answers are in " + file);

    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    List<String> lines = Files.readAllLines(file);
    assertThat(lines.get(0)).startsWith("{\"recording\":1,");
    assertThat(lines)
        .anyMatch(
            line ->
                line.startsWith(
                    "{\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
                        + "\"arguments\":{\"message\":\"hi\"}},\"result\":"))
        .anyMatch(line -> line.startsWith("{\"method\":\"tools/list\",\"params\":{},\"result\":"))
        .anyMatch(line -> line.contains("\"API_TOKEN\\\": \\\"***"))
        .noneMatch(line -> line.contains(CANARY));
  }

  @Test
  void a_replay_answers_as_the_server_did_and_names_the_nearest_call() {
    recorded();
    try (TestBus bus = TestBus.start(new JsonObject())) {
      FakeMcpServer replay = FakeMcpServer.replay(bus.vertx(), file);
      TestBus.await(bus.bus().add("everything", replay.transport()));
      bus.awaitState("everything", "READY");

      assertThat(bus.callTool("everything", "echo", new JsonObject().put("message", "hi")).encode())
          .contains("Echo: hi");
      // The masked argument stands for any.
      assertThat(
              bus.callTool("everything", "echo", new JsonObject().put("message", "else")).encode())
          .contains("Echo: ***");
      assertThat(
              bus.callTool("everything", "get-sum", new JsonObject().put("a", 2).put("b", 3))
                  .encode())
          .contains("The sum of 2 and 3 is 5");
      replay.assertCalls("get-sum", 1);
      assertThatThrownBy(() -> replay.tool("mine", "x"))
          .hasMessageContaining("replays a recording");
      assertThatThrownBy(() -> replay.resource("file:///a", "text/plain", "x"))
          .hasMessageContaining("replays a recording");
      assertThat(bus.status("everything").encode())
          .contains("\"2025-11-25\"", "mcp-servers/everything");
      assertThat(
              bus.<JsonObject>request(
                      TestBus.address("everything", Addresses.PROMPTS_GET),
                      new JsonObject().put("name", "simple-prompt"))
                  .encode())
          .contains("simple prompt");

      List<JsonObject> progress = new CopyOnWriteArrayList<>();
      bus.vertx().eventBus().<JsonObject>consumer("my.progress", one -> progress.add(one.body()));
      bus.<JsonObject>request(
          TestBus.address("everything", Addresses.TOOLS_CALL),
          TestBus.toolCall(
              "trigger-long-running-operation",
              new JsonObject().put("duration", 0.2).put("steps", 2)),
          new DeliveryOptions().addHeader(Headers.PROGRESS, "my.progress"));
      Awaitility.await("the recorded progress").until(() -> progress.size() == 2);
      assertThat(progress.get(1).getInteger("total")).isEqualTo(2);
      // The same again gives the same again.
      assertThat(bus.callTool("everything", "echo", new JsonObject().put("message", "hi")).encode())
          .contains("Echo: hi");

      assertThatThrownBy(
              () -> bus.callTool("everything", "get-sum", new JsonObject().put("a", 2).put("b", 4)))
          .isInstanceOf(McpFailure.class)
          .hasMessageContaining("everything.jsonl has no tools/call")
          .hasMessageContaining(
              "the nearest is tools/call {\"name\":\"get-sum\",\"arguments\":{\"a\":2,\"b\":3}}");
    }
  }

  @Test
  void a_command_is_recorded_without_a_configuration() throws IOException {
    DoctorBed.Run run =
        record(
            "-o",
            file.toString(),
            "--call",
            "echo {\"message\": \"hi\"}",
            "--",
            NpmServers.node(),
            NpmServers.script(EVERYTHING));

    assertThat(run.code()).as(run.out() + run.err()).isZero();
    assertThat(Files.readString(file)).contains("Echo: hi");
  }

  @Test
  void what_cannot_be_recorded_or_replayed_says_why() throws IOException {
    DoctorBed.Run wrong = record("everything", "-o", file.toString(), "--call", "echo {oops");
    assertThat(wrong.code()).isEqualTo(1);
    assertThat(wrong.err()).contains("behind the name stands a JSON object");
    DoctorBed.Run dead = record("-o", file.toString(), "--", "/no/such/command");
    assertThat(dead.code()).isNotZero();
    assertThat(dead.err()).contains("/no/such/command");
    assertThat(file).doesNotExist();
    Path other = Files.writeString(folder.resolve("other.json"), "{}\n");
    try (TestBus bus = TestBus.start(new JsonObject())) {
      assertThatThrownBy(() -> FakeMcpServer.replay(bus.vertx(), other))
          .hasMessageContaining("is no recording; \"mcpbus record SERVER -o FILE\" makes one");
      assertThatThrownBy(() -> FakeMcpServer.replay(bus.vertx(), folder.resolve("none.jsonl")))
          .hasMessageContaining("there is no recording ");
      for (String line : List.of("{\"method\": \"ping\"}", "[]", "{oops")) {
        Path edited = Files.writeString(folder.resolve("e.jsonl"), "{\"recording\": 1}\n" + line);
        assertThatThrownBy(() -> FakeMcpServer.replay(bus.vertx(), edited))
            .hasMessageContainingAll("line 2 of the recording ", "is no answer to a request");
      }
    }
  }
}
