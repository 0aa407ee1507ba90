package dev.mcpbus;

import static dev.mcpbus.testing.ThreeNodes.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ThreeNodes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients of the {@code discover} era with state at a server of the other era, while three nodes
 * come and go. The server's answers are {@code <process>: <notes>}, so each shows which session it
 * is from.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DiscoverLossIT {

  private static final String NOTES = "notes://all";
  private static final Duration PATIENCE = Duration.ofSeconds(40);

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

  private static JsonObject request(String node, String client, String method, JsonObject params) {
    JsonObject meta = new JsonObject().put("dev.mcpbus/client", client);
    return nodes.at(node, "/mcp/notes").described(method, params.copy().put("_meta", meta));
  }

  private static CompletableFuture<McpHttp.Answer> sent(
      String node, String client, String tool, String note) {
    JsonObject arguments = new JsonObject().put("note", note);
    JsonObject request = request(node, client, "tools/call", call(tool, arguments));
    return nodes.at(node, "/mcp/notes").posted(request.encode(), McpHttp.headers(request));
  }

  /** What the server answers; empty for an error. */
  private static String added(String node, String client, String note) {
    JsonObject response = sent(node, client, "add", note).join().response();
    JsonObject result = response.getJsonObject("result");
    return result == null ? "" : McpHttp.text(result);
  }

  private static String process(String answer) {
    return answer.substring(0, answer.indexOf(':'));
  }

  private static boolean runs(String process) {
    return ProcessHandle.of(Long.parseLong(process)).map(ProcessHandle::isAlive).orElse(false);
  }

  /** The client listens to its notes; the stream has confirmed it. */
  private static McpHttp.Stream listening(String node, String client) {
    JsonObject filter = new JsonObject().put("resourceSubscriptions", new JsonArray().add(NOTES));
    JsonObject request =
        request(
            node, client, "subscriptions/listen", new JsonObject().put("notifications", filter));
    McpHttp.Stream stream =
        nodes.at(node, "/mcp/notes").streamed(request, McpHttp.headers(request));
    Awaitility.await("the acknowledgement").until(() -> !stream.messages().isEmpty());
    assertThat(stream.messages().get(0).encode()).contains(NOTES);
    return stream;
  }

  private static void awaitUpdate(McpHttp.Stream stream) {
    Awaitility.await("the update")
        .atMost(PATIENCE)
        .until(() -> stream.methods().contains("notifications/resources/updated"));
  }

  @Test
  @Order(1)
  void requests_of_one_client_that_come_by_three_nodes_at_once_begin_one_session()
      throws Exception {
    for (int round = 0; round < 10; round++) {
      String client = "race " + round;
      List<CompletableFuture<McpHttp.Answer>> calls = new ArrayList<>();
      ThreeNodes.NODES.forEach(node -> calls.add(sent(node, client, "add", node)));
      Set<String> processes = new HashSet<>();
      for (CompletableFuture<McpHttp.Answer> one : calls) {
        processes.add(process(McpHttp.text(one.get(60, TimeUnit.SECONDS).result())));
      }
      assertThat(processes).as(client).hasSize(1);
      assertThat(added("n1", client, "last")).contains("n1").contains("n2").contains("n3");
    }
  }

  @Tag("release")
  @Test
  @Order(2)
  void a_node_that_was_cut_off_and_comes_back_has_no_second_session_for_a_client() {
    String before = added("n3", "cut off", "a");
    assertThat(before).endsWith(": a");
    try (McpHttp.Stream here = listening("n1", "cut off");
        McpHttp.Stream there = listening("n3", "cut off")) {
      assertThat(added("n2", "cut off", "b")).endsWith(": a,b");
      awaitUpdate(here);
      awaitUpdate(there);

      nodes.node("n3").signal("STOP");
      String fresh;
      try {
        Awaitility.await("the stream to end").atMost(PATIENCE).until(here::hasEnded);
        assertThat(here.messages().get(here.messages().size() - 1).containsKey("result"))
            .as("a regular end")
            .isTrue();
        fresh =
            Awaitility.await("a fresh session")
                .atMost(PATIENCE)
                .until(() -> added("n1", "cut off", "c"), answer -> !answer.isEmpty());
        assertThat(process(fresh)).isNotEqualTo(process(before));
        assertThat(added("n2", "cut off", "d")).startsWith(process(fresh) + ": ").endsWith(",d");
      } finally {
        nodes.node("n3").signal("CONT");
      }

      Awaitility.await("the client is told to listen anew").atMost(PATIENCE).until(there::hasEnded);
      Awaitility.await("the copy to end").atMost(PATIENCE).until(() -> !runs(process(before)));
      Awaitility.await("one session again")
          .atMost(PATIENCE)
          .until(
              () -> added("n3", "cut off", "e"),
              answer -> !answer.isEmpty() && process(answer).equals(process(fresh)));
      assertThat(added("n1", "cut off", "f")).startsWith(process(fresh) + ": ").endsWith("e,f");
    }
    nodes.settled("n1", Set.copyOf(ThreeNodes.NODES));
  }

  @Test
  @Order(3)
  void after_the_loss_of_its_node_a_client_gets_an_error_at_once_and_begins_anew_elsewhere()
      throws Exception {
    String before = added("n3", "lost", "a");
    assertThat(added("n1", "lost", "b")).as("whichever node it comes by").endsWith(": a,b");
    CompletableFuture<McpHttp.Answer> flying = sent("n2", "lost", "hang", "c");
    try (McpHttp.Stream stream = listening("n1", "lost")) {
      assertThat(added("n2", "lost", "d")).endsWith(": a,b,c,d");
      awaitUpdate(stream);

      long killed = System.nanoTime();
      nodes.node("n3").signal("KILL");
      JsonObject error = flying.get(60, TimeUnit.SECONDS).error();
      assertThat(error.getJsonObject("data").getString("code")).isEqualTo("OWNER_LOST");
      assertThat(error.getJsonObject("data").getString("sent")).isEqualTo("maybe");
      Awaitility.await("the stream to end").until(stream::hasEnded);
      assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(SILENT_NODE);
      assertThat(stream.messages().get(stream.messages().size() - 1).containsKey("result"))
          .isTrue();
    }

    List<CompletableFuture<McpHttp.Answer>> next = new ArrayList<>();
    for (String node : List.of("n1", "n2")) {
      next.add(sent(node, "lost", "add", node));
    }
    Set<String> processes = new HashSet<>();
    for (CompletableFuture<McpHttp.Answer> one : next) {
      processes.add(process(McpHttp.text(one.get(60, TimeUnit.SECONDS).result())));
    }
    assertThat(processes).as("both nodes take over at once").hasSize(1);
    assertThat(processes).doesNotContain(process(before));
    try (McpHttp.Stream stream = listening("n2", "lost")) {
      assertThat(added("n1", "lost", "e")).contains("n1").contains("n2").doesNotContain("a,b");
      awaitUpdate(stream);
    }
  }

  @Test
  @Order(4)
  void a_node_that_ends_in_order_lets_a_call_end_and_its_clients_listen_anew() throws Exception {
    String before = added("n2", "drained", "a");
    try (McpHttp.Stream stream = listening("n1", "drained")) {
      CompletableFuture<McpHttp.Answer> slow = sent("n1", "drained", "slow", "b");
      awaitUpdate(stream);
      nodes.node("n2").signal("TERM");
      assertThat(McpHttp.text(slow.get(60, TimeUnit.SECONDS).result())).endsWith(": a,b");
      Awaitility.await("the stream to end").atMost(PATIENCE).until(stream::hasEnded);
    }
    String fresh =
        Awaitility.await("a fresh session")
            .atMost(PATIENCE)
            .until(() -> added("n1", "drained", "c"), answer -> !answer.isEmpty());
    assertThat(process(fresh)).isNotEqualTo(process(before));
    assertThat(nodes.node("n2").awaitExit(PATIENCE)).isNotNegative();
    assertThat(added("n1", "drained", "d")).startsWith(process(fresh)).endsWith(",d");
  }
}
