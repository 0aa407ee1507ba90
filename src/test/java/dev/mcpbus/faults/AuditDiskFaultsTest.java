package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.AuditFile;
import dev.mcpbus.security.AuthOptions.OnAuditFailure;
import dev.mcpbus.testing.McpHttp;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An audit file that cannot be written, because its folder has become a file. */
class AuditDiskFaultsTest {

  private static final String[] ALICE = DoorBed.as(DoorBed.ALICE);

  @TempDir Path folder;

  private final AtomicInteger calls = new AtomicInteger();

  private Path file() {
    return folder.resolve("logs/audit.log");
  }

  private DoorBed bed(OnAuditFailure onFailure) {
    AuthOptions keys = DoorBed.keys();
    DoorBed bed =
        new DoorBed(
            new AuthOptions(
                keys.apiKeys(),
                List.of(),
                null,
                AuthOptions.Dpop.DEFAULT,
                List.of(),
                keys.limits(),
                true,
                new AuditFile(file().toString(), 1_000_000, 2, onFailure)));
    bed.add(
        "c",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" ->
                  "\"result\":{\"tools\":[{\"name\":\"count\",\"inputSchema\":"
                      + "{\"type\":\"object\"}}],\"ttlMs\":60000}";
              case "tools/call" -> {
                calls.incrementAndGet();
                yield "\"result\":{\"resultType\":\"complete\",\"content\":[]}";
              }
              default -> null;
            });
    return bed;
  }

  private void breakDisk() throws IOException {
    if (Files.exists(file())) {
      Files.move(file(), folder.resolve("before"));
    }
    Files.deleteIfExists(file().getParent());
    Files.writeString(file().getParent(), "no folder");
  }

  private void mend() throws IOException {
    Files.delete(file().getParent());
  }

  private static HttpResponse<String> call(DoorBed bed) {
    return bed.send("POST", "/api/servers/c/tools/count", "{}", ALICE);
  }

  private static String ready(DoorBed bed) {
    return bed.send("GET", "/health/ready", "").body();
  }

  private List<String> codes() throws IOException {
    return Files.exists(file())
        ? Files.readAllLines(file()).stream()
            .map(line -> new JsonObject(line).getString("code"))
            .toList()
        : List.of();
  }

  private static void until(org.awaitility.core.ThrowingRunnable holds) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(holds);
  }

  @Test
  void calls_go_on_and_their_lines_follow() throws IOException {
    try (DoorBed bed = bed(OnAuditFailure.CONTINUE)) {
      assertThat(call(bed).statusCode()).isEqualTo(200);
      until(() -> assertThat(codes()).containsExactly("OK"));
      breakDisk();
      assertThat(call(bed).statusCode()).isEqualTo(200);
      until(() -> assertThat(ready(bed)).contains("the audit log cannot be written; calls go on"));
      mend();
      until(() -> assertThat(codes()).containsExactly("OK"));
      until(() -> assertThat(ready(bed)).doesNotContain("audit"));
      assertThat(bed.everythingLogged()).contains("cannot be written", "0 lines are lost");
    }
    assertThat(codes()).containsExactly("OK");
  }

  @Test
  void with_refuse_no_door_lets_a_call_through_without_its_line() throws IOException {
    try (DoorBed bed = bed(OnAuditFailure.REFUSE)) {
      McpHttp.Session session = bed.mcp("/mcp").initialize("2025-11-25", new JsonObject(), ALICE);
      JsonObject tool = new JsonObject().put("name", "c__count");
      try (Listening socket = new Listening(bed, DoorBed.ALICE, "c")) {
        assertThat(call(bed).statusCode()).isEqualTo(200);
        assertThat(session.call("tools/call", tool).result()).isNotNull();
        assertThat(bed.discover("/mcp", "tools/call", tool, ALICE).result()).isNotNull();
        assertThat(calls).hasValue(3);
        until(() -> assertThat(codes()).containsSubsequence("BEGIN", "OK", "BEGIN", "OK", "BEGIN"));
        breakDisk();

        HttpResponse<String> refused = call(bed);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(refused.body())
            .contains("UNAVAILABLE", "\"sent\":\"no\"", "auth.audit.onFailure");
        String rpc =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"c:count\"}}";
        assertThat(bed.send("POST", "/rpc", rpc, ALICE).body()).contains("UNAVAILABLE");
        assertThat(session.call("tools/call", tool).body()).contains("UNAVAILABLE");
        assertThat(bed.discover("/mcp", "tools/call", tool, ALICE).body()).contains("UNAVAILABLE");
        JsonObject answer =
            socket.send(
                "mcp.c.tools.call", new JsonObject().put("name", "count"), new JsonObject());
        assertThat(answer.getString("type")).isEqualTo("err");
        assertThat(bed.send("GET", "/api/events", "", ALICE).statusCode()).isEqualTo(503);
        assertThat(calls).as("the server got none of them").hasValue(3);
        assertThat(ready(bed)).contains("\"UP\"", "so calls are refused");

        mend();
        until(() -> assertThat(call(bed).statusCode()).isEqualTo(200));
        assertThat(codes()).as("the line is there before the answer").contains("BEGIN");
      }
    }
  }
}
