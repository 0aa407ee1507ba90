package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.Pids;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client's own connection to a server that only some nodes may run. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LeasePlaceIT {

  private static final JsonArray GPU = new JsonArray().add("gpu");
  private static final JsonObject CALL =
      new JsonObject()
          .put("name", "s0__echo")
          .put("arguments", new JsonObject().put("call", "c").put("deadline", 1));

  @TempDir Path folder;

  private static long pid(McpHttp.Answer answer) {
    String text = answer.result().getJsonArray("content").getJsonObject(0).getString("text");
    return Long.parseLong(text.substring(text.indexOf(' ') + 1));
  }

  private boolean runsOn(String node, long pid) {
    return Pids.in(folder.resolve(node)).contains(pid);
  }

  @Tag("release")
  @Test
  void runs_on_a_node_with_the_servers_labels_and_ends_with_the_client_or_the_node() {
    try (ClusterBed bed = new ClusterBed(folder, 3)) {
      JsonObject servers = new JsonObject().put("s0", EchoServer.shell().put("labels", GPU));
      JsonObject gpu = new JsonObject().put("labels", GPU);
      bed.start("n1", servers);
      bed.start("n2", servers, gpu);
      bed.start("n3", servers, gpu);
      bed.until("s0 with gpu", bed.node("n1"), all -> has(all.get("s0")));
      McpHttp mcp = new McpHttp(bed.node("n1").port(), "/mcp");
      McpHttp.Session session = mcp.initialize();
      McpHttp.Answer first = session.call("tools/call", CALL);
      assertThat(first.status()).as(first.body()).isEqualTo(200);
      long own = pid(first);
      String host = runsOn("n2", own) ? "n2" : "n3";
      assertThat(runsOn(host, own)).as("pid %s on %s", own, host).isTrue();
      assertThat(pid(session.call("tools/call", CALL))).as("the same connection").isEqualTo(own);
      bed.node(host).signal("KILL");
      String other = host.equals("n2") ? "n3" : "n2";
      Awaitility.await("a new connection on " + other)
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(500))
          .untilAsserted(
              () -> {
                McpHttp.Answer answer = session.call("tools/call", CALL);
                assertThat(answer.body()).contains("\"result\"");
                assertThat(runsOn(other, pid(answer))).isTrue();
              });
      long next = pid(session.call("tools/call", CALL));
      mcp.delete("Mcp-Session-Id", session.id());
      Awaitility.await("the connection to end with its session")
          .atMost(Duration.ofSeconds(60))
          .until(() -> !Pids.runs(next));
      bed.node(other).signal("KILL");
      refused(bed);
    }
  }

  private static void refused(ClusterBed bed) {
    McpHttp.Session session = new McpHttp(bed.node("n1").port(), "/mcp").initialize();
    Awaitility.await("a failure that names the remedy")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(session.call("tools/call", CALL).body())
                    .contains("wants a node with the labels [gpu]", "start one"));
  }

  private static boolean has(@Nullable JsonObject status) {
    return status != null
        && "READY".equals(status.getString("state"))
        && Set.of("n2", "n3").contains(status.getString("node"));
  }
}
