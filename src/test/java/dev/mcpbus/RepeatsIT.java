package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two processes of the jar, and a server on the one that is killed while it runs calls of the
 * other. The server writes down each call that it runs; {@code reads} and {@code writes} answer
 * only where the call stands there already, {@code stuck} never.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class RepeatsIT {

  private static final String SERVER =
      """
      exec 3>>"$1"
      say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$1"; }
      while IFS= read -r line; do
        id=${line#*'"id":'}
        id=${id%%[,\\}]*}
        case $line in
          *notifications/cancelled*) echo cancelled >&3 ;;
          *'"method":"tools/call"'*)
            name=${line#*'"name":"'}
            name=${name%%'"'*}
            before=$(grep -c "^$name" "$1")
            echo "$name" >&3
            if [ "$name" != stuck ] && [ "$before" -gt 0 ]; then
              say '{"content":[{"type":"text","text":"'$name'"}]}'
            fi ;;
          *'"method":"tools/list"'*)
            say '{"tools":[
              {"name":"reads","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
              {"name":"stuck","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
              {"name":"writes","inputSchema":{"type":"object"}}]}' ;;
          *'"method":"initialize"'*)
            say '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
          *'"id":'*) say '{}' ;;
        esac
      done
      """;

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // by start()
  private ClusterBed bed;

  @SuppressWarnings("NullAway.Init")
  private ServiceProcess owner;

  @SuppressWarnings("NullAway.Init")
  private ServiceProcess caller;

  @BeforeEach
  void start() throws IOException {
    // A message is one line.
    Path script =
        Files.writeString(
            folder.resolve("server.sh"), SERVER.replace("[\n", "[").replace(",\n", ","));
    Files.createFile(log());
    JsonObject servers =
        new JsonObject()
            .put(
                "s",
                new JsonObject()
                    .put("command", "sh")
                    .put("protocolVersion", "2025-11-25")
                    .put("args", new JsonArray(List.of(script.toString(), log().toString()))));
    bed = new ClusterBed(folder, 2);
    bed.start("n1", servers);
    bed.start("n2", servers);
    bed.met();
    String name =
        bed.until("s to be READY on both", bed.node("n1"), all -> "READY".equals(of(all, "state")))
            .values()
            .iterator()
            .next()
            .getString("node");
    owner = bed.node(name);
    caller = bed.other(name);
    Awaitility.await("the caller's node to know the tools")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> assertThat(Http.get(caller.port(), "/api/tools").body()).contains("s.stuck"));
  }

  @AfterEach
  void end() {
    bed.close();
  }

  private static String of(Map<String, JsonObject> statuses, String member) {
    return statuses.getOrDefault("s", new JsonObject()).getString(member, "");
  }

  private Path log() {
    return folder.resolve("executed.log");
  }

  /** How often the server has written this word. */
  private long executed(String word) {
    try {
      return Files.readAllLines(log()).stream().filter(word::equals).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitExecuted(String word, int times) {
    Awaitility.await(word + " to run " + times + " times")
        .atMost(Duration.ofSeconds(60))
        .until(() -> executed(word) == times);
  }

  private CompletableFuture<Http.Answer> call(String tool, String query) {
    return Http.posted(caller.port(), "/api/servers/s/tools/" + tool + query, "{}");
  }

  @Tag("long")
  @Test
  void a_read_only_call_survives_its_owner_and_any_other_call_runs_once() throws Exception {
    CompletableFuture<Http.Answer> reads = call("reads", "");
    CompletableFuture<Http.Answer> writes = call("writes", "");
    awaitExecuted("reads", 1);
    awaitExecuted("writes", 1);
    owner.signal("KILL");
    Http.Answer lost = writes.get(60, TimeUnit.SECONDS);
    assertThat(lost.json().getString("code")).as(lost.body()).isEqualTo("OWNER_LOST");
    assertThat(lost.json().getString("sent")).isEqualTo("maybe");
    assertThat(lost.headers().firstValue("Mcpbus-Repeated")).isEmpty();
    Http.Answer kept = reads.get(60, TimeUnit.SECONDS);
    assertThat(kept.status()).as(kept.body()).isEqualTo(200);
    assertThat(kept.body()).contains("reads");
    assertThat(kept.headers().firstValue("Mcpbus-Repeated")).hasValue("1");
    assertThat(executed("reads")).isEqualTo(2);
    assertThat(executed("writes")).isEqualTo(1);
  }

  @Tag("release")
  @Test
  void a_repeat_ends_at_the_deadline_of_the_call() throws Exception {
    long from = System.nanoTime();
    CompletableFuture<Http.Answer> stuck = call("stuck", "?timeout=6000");
    awaitExecuted("stuck", 1);
    owner.signal("KILL");
    awaitExecuted("stuck", 2);
    Http.Answer late = stuck.get(60, TimeUnit.SECONDS);
    assertThat(late.json().getString("code")).as(late.body()).isEqualTo("CALL_TIMEOUT");
    assertThat(late.json().getString("sent")).isEqualTo("maybe");
    assertThat(late.headers().firstValue("Mcpbus-Repeated")).hasValue("1");
    assertThat(Duration.ofNanos(System.nanoTime() - from))
        .isBetween(Duration.ofMillis(5_900), Duration.ofMillis(7_500));
  }

  @Tag("release")
  @Test
  void a_caller_who_leaves_ends_the_repeat_at_the_server() throws Exception {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), caller.port())) {
      client
          .getOutputStream()
          .write(
              ("POST /api/servers/s/tools/stuck HTTP/1.1\r\nHost: 127.0.0.1:"
                      + caller.port()
                      + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                  .getBytes(StandardCharsets.US_ASCII));
      awaitExecuted("stuck", 1);
      owner.signal("KILL");
      awaitExecuted("stuck", 2);
      assertThat(executed("cancelled")).isZero();
    }
    awaitExecuted("cancelled", 1);
    assertThat(executed("stuck")).isEqualTo(2);
  }
}
