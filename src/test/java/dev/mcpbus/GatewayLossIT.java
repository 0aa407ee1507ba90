package dev.mcpbus;

import static dev.mcpbus.testing.ThreeNodes.ACCEPTED;
import static dev.mcpbus.testing.ThreeNodes.ASKED;
import static dev.mcpbus.testing.ThreeNodes.NOTHING;
import static dev.mcpbus.testing.ThreeNodes.asking;
import static dev.mcpbus.testing.ThreeNodes.call;
import static dev.mcpbus.testing.ThreeNodes.last;
import static dev.mcpbus.testing.ThreeNodes.lastId;
import static dev.mcpbus.testing.ThreeNodes.questionOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ThreeNodes;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients of the gateway get when one of three nodes is killed. */
class GatewayLossIT {

  /** Calls end long before this: then the cluster loses a node that is silent. */
  private static final Duration SILENT_NODE = Duration.ofSeconds(10);

  @TempDir static Path folder;

  private static ThreeNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new ThreeNodes(folder);
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  @Test
  void after_the_loss_of_a_node_calls_end_at_once_and_sessions_go_on_or_are_gone()
      throws Exception {
    String doomed = nodes.ownedBy(Set.of("n3"));
    String safe = nodes.ownedBy(Set.of("n1", "n2"));
    JsonObject arguments = new JsonObject().put("call", "c").put("deadline", 1);
    JsonObject fly = arguments.copy().put("call", "fly");

    McpHttp here = nodes.at("n1", "/mcp");
    McpHttp.Session local = here.initialize("2025-11-25", ASKED);
    List<CompletableFuture<McpHttp.Answer>> flying = new ArrayList<>();
    JsonObject discover = here.described("tools/call", call(doomed + "__hang", fly));
    flying.add(here.posted(discover.encode(), McpHttp.headers(discover)));
    JsonObject asking = here.described("tools/call", call(doomed + "__hang", fly));
    asking
        .getJsonObject("params")
        .getJsonObject("_meta")
        .put("io.modelcontextprotocol/clientCapabilities", ASKED);
    flying.add(here.posted(asking.encode(), McpHttp.headers(asking)));
    flying.add(
        nodes
            .at("n2", "/mcp")
            .posted(
                here.request("tools/call", call(doomed + "__hang", fly)).encode(),
                local.headers()));

    McpHttp there = nodes.at("n3", "/mcp");
    McpHttp.Session bound = there.initialize("2025-11-25", ASKED);
    bound.call("tools/call", call("own__test_simple_text", NOTHING)).result();
    flying.add(
        nodes
            .at("n1", "/mcp")
            .posted(
                there.request("tools/call", call(safe + "__hang", fly)).encode(), bound.headers()));
    McpHttp.Session free = there.initialize("2025-11-25", ASKED);
    free.call("tools/call", call(safe + "__echo", arguments)).result();
    free.call("logging/setLevel", new JsonObject().put("level", "error")).result();

    JsonObject half = there.described("tools/call", asking("own__test_elicitation"));
    half.getJsonObject("params")
        .getJsonObject("_meta")
        .put("io.modelcontextprotocol/clientCapabilities", ASKED);
    JsonObject halfway = there.post(half, McpHttp.headers(half)).result();

    McpHttp.Session behind = here.initialize("2025-11-25", ASKED);
    McpHttp.Stream cut =
        there.streamed(
            here.request("tools/call", asking("own__test_elicitation")), behind.headers());
    JsonObject question = questionOf(cut);
    String seen = lastId(cut);

    try (McpHttp.Stream boundStream = nodes.at("n2", "/mcp").get(bound.headers());
        McpHttp.Stream freeStream = nodes.at("n1", "/mcp").get(free.headers())) {
      assertThat(boundStream.status()).isEqualTo(200);
      assertThat(freeStream.status()).isEqualTo(200);
      Awaitility.await("the calls to fly")
          .until(() -> nodes.executed(doomed, "fly") == 3 && nodes.executed(safe, "fly") == 1);
      assertThat(noted("n3", "a")).endsWith(": a");
      String before = noted("n1", "b");
      assertThat(before).as("one client, whichever node it comes by").endsWith(": a,b");
      long killed = System.nanoTime();
      nodes.node("n3").signal("KILL");
      for (CompletableFuture<McpHttp.Answer> call : flying) {
        JsonObject error = call.get(60, TimeUnit.SECONDS).error();
        assertThat(error.getJsonObject("data").getString("code"))
            .as(error.encode())
            .isEqualTo("OWNER_LOST");
        assertThat(error.getJsonObject("data").getString("sent")).isEqualTo("maybe");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(SILENT_NODE);
      Awaitility.await("the streams to end")
          .atMost(SILENT_NODE)
          .until(() -> boundStream.hasEnded() && freeStream.hasEnded());
    }

    Awaitility.await("the client's state in a new session")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(noted("n1", "c")).matches("[^:]+: c(,c)*"));
    assertThat(noted("n2", "d")).as("one claim again").matches("[^:]+: c(,c)*,d");

    for (String node : List.of("n1", "n2")) {
      McpHttp client = nodes.at(node, "/mcp");
      assertThat(client.post(client.request("ping", NOTHING), bound.headers()).status())
          .isEqualTo(404);
      assertThat(client.get(bound.headers()).status()).isEqualTo(404);
    }
    JsonObject retry = half.copy();
    retry
        .getJsonObject("params")
        .put("requestState", halfway.getString("requestState"))
        .put("inputResponses", new JsonObject().put("input-1", ACCEPTED));
    assertThat(here.post(retry, McpHttp.headers(retry)).error().getString("message"))
        .contains("requestState");

    Awaitility.await("the door to be gone").until(cut::hasEnded);
    assertThat(behind.answer(question.getValue("id"), ACCEPTED)).isEqualTo(202);
    List<String> resuming = new ArrayList<>(List.of(behind.headers()));
    resuming.addAll(List.of("Last-Event-ID", seen));
    try (McpHttp.Stream resumed = nodes.at("n2", "/mcp").get(resuming.toArray(String[]::new))) {
      Awaitility.await("the answer elsewhere").until(() -> !resumed.messages().isEmpty());
      assertThat(McpHttp.text(last(resumed).getJsonObject("result"))).contains("Ada");
    }

    goesOn(free, safe, arguments);
    assertThat(nodes.at("n2", "/mcp").initialize().call("ping", NOTHING).status()).isEqualTo(200);
    nodes.settled("n1", Set.of("n1", "n2"));
  }

  /** A session with nothing that was the lost node's alone. */
  private static void goesOn(McpHttp.Session free, String safe, JsonObject arguments)
      throws Exception {
    List<CompletableFuture<McpHttp.Answer>> both = new ArrayList<>();
    for (String node : List.of("n1", "n2")) {
      McpHttp client = nodes.at(node, "/mcp");
      both.add(
          client.posted(
              client.request("tools/call", call(safe + "__echo", arguments)).encode(),
              free.headers()));
    }
    for (CompletableFuture<McpHttp.Answer> one : both) {
      assertThat(McpHttp.text(one.get(60, TimeUnit.SECONDS).result())).startsWith("c ");
    }
    try (McpHttp.Stream standing = nodes.at("n2", "/mcp").get(free.headers())) {
      Awaitility.await("the client is told to look again")
          .until(() -> standing.methods().contains("notifications/tools/list_changed"));
    }
    assertThat(nodes.at("n2", "/mcp").delete(free.headers())).isEqualTo(204);
    for (String node : List.of("n1", "n2")) {
      McpHttp client = nodes.at(node, "/mcp");
      assertThat(client.post(client.request("ping", NOTHING), free.headers()).status())
          .isEqualTo(404);
    }
  }

  /** The notes of a client of the {@code discover} era, whose session began at {@code n3}. */
  private static String noted(String node, String note) {
    return McpHttp.text(
        nodes
            .at(node, "/mcp/notes")
            .discover("tools/call", call("add", new JsonObject().put("note", note)))
            .result());
  }
}
