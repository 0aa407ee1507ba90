package dev.mcpbus;

import static dev.mcpbus.testing.ThreeNodes.ACCEPTED;
import static dev.mcpbus.testing.ThreeNodes.ASKED;
import static dev.mcpbus.testing.ThreeNodes.ECHOS;
import static dev.mcpbus.testing.ThreeNodes.NODES;
import static dev.mcpbus.testing.ThreeNodes.NOTHING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ThreeNodes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every node of three knows, tells and takes answers for. */
class ClusterWideIT {

  @TempDir static Path folder;

  private static ThreeNodes nodes;
  private static long started;

  @BeforeAll
  static void start() {
    nodes = new ThreeNodes(folder);
    started = System.nanoTime();
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  @Test
  void every_node_lists_finds_and_tells_of_everything() {
    String added = new JsonObject().put("name", "late").put("config", EchoServer.shell()).encode();
    List<McpHttp.Stream> events =
        NODES.stream().map(node -> nodes.at(node, "/api/events?server=late").get()).toList();
    try {
      assertThat(
              Http.post(nodes.port("n2"), "/api/servers", added, Http.admin(nodes.port("n2")))
                  .status())
          .isEqualTo(201);
      Awaitility.await("the event at every node")
          .untilAsserted(
              () ->
                  assertThat(events)
                      .allSatisfy(
                          one ->
                              assertThat(one.messages())
                                  .anyMatch(e -> "connected".equals(e.getString("type")))));
    } finally {
      events.forEach(McpHttp.Stream::close);
    }
    for (String node : NODES) {
      Awaitility.await("all at " + node)
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                assertThat(ClusterBed.statuses(nodes.node(node)).keySet())
                    .hasSize(ECHOS + 4)
                    .contains("late", "own", "modern", "notes");
                assertThat(aggregated(node))
                    .contains("late.echo", "own.test_simple_text", "e0.hang");
                assertThat(
                        McpHttp.names(
                            nodes.at(node, "/mcp").discover("tools/list", NOTHING).result(),
                            "tools"))
                    .contains("late__echo", "own__test_simple_text", "modern__test_simple_text");
                assertThat(nodes.node(node).get("/api/tools/search?q=simple+text").body())
                    .contains("own.test_simple_text", "modern.test_simple_text");
              });
    }
    assertThat(
            Http.delete(nodes.port("n1"), "/api/servers/late", Http.admin(nodes.port("n1")))
                .status())
        .isEqualTo(200);
    for (String node : NODES) {
      Awaitility.await("late to be gone at " + node)
          .until(() -> !aggregated(node).contains("late.echo"));
    }
  }

  private static List<String> aggregated(String node) {
    String list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    return McpHttp.names(
        Http.post(nodes.port(node), "/rpc", list).json().getJsonObject("result"), "tools");
  }

  private static CompletableFuture<Http.Answer> ask(String caller) {
    return Http.posted(
        nodes.port(caller),
        "/api/servers/modern/tools/test_elicitation",
        new JsonObject().put("message", "Who from " + caller + "?").encode());
  }

  @Test
  void a_question_asked_anywhere_is_seen_everywhere_and_answered_from_anywhere() throws Exception {
    JsonObject offer =
        new JsonObject().put("capabilities", ASKED).put("offer", "people").put("ttl", 60_000);
    assertThat(Http.post(nodes.port("n1"), "/api/offers", offer.encode()).status()).isEqualTo(200);
    for (String caller : NODES) {
      // The node that runs the server hears of the offer a moment later, and refuses until then.
      AtomicReference<CompletableFuture<Http.Answer>> called = new AtomicReference<>(ask(caller));
      JsonArray waiting = new JsonArray();
      for (String node : NODES) {
        waiting =
            Awaitility.await("the question at " + node)
                .atMost(Duration.ofSeconds(60))
                .until(
                    () -> {
                      called.updateAndGet(last -> last.isDone() ? ask(caller) : last);
                      return nodes.node(node).get("/api/inputs").json().getJsonArray("questions");
                    },
                    questions -> questions.size() == 1);
      }
      String question = waiting.getJsonObject(0).getString("question");
      String answerer = NODES.get((NODES.indexOf(caller) + 1) % 3);
      Http.Answer unfit =
          Http.post(nodes.port(answerer), "/api/inputs/" + question, "{\"action\":\"accept\"}");
      assertThat(unfit.json().getString("code")).isEqualTo("INVALID_ARGUMENTS");
      assertThat(
              Http.post(nodes.port(answerer), "/api/inputs/" + question, ACCEPTED.encode())
                  .status())
          .isEqualTo(200);
      assertThat(Objects.requireNonNull(called.get()).get(60, TimeUnit.SECONDS).body())
          .contains("Ada");
      assertThat(
              Http.post(nodes.port(caller), "/api/inputs/" + question, ACCEPTED.encode()).status())
          .isEqualTo(400);
    }
    assertThat(Http.delete(nodes.port("n3"), "/api/offers/people").status()).isEqualTo(200);
    for (String caller : NODES) {
      Awaitility.await("nobody to be offered at " + caller)
          .untilAsserted(
              () ->
                  assertThat(
                          nodes
                              .node(caller)
                              .callTool(
                                  "modern",
                                  "test_elicitation",
                                  new JsonObject().put("message", "Who?"))
                              .body())
                      .doesNotContain("Ada")
                      .containsAnyOf("UNAVAILABLE", "capabilit"));
    }
  }

  @Test
  void a_reader_of_events_goes_on_at_another_node_and_misses_nothing() {
    String path = "/api/events?server=e0&type=disconnected,connected";
    // A node whose log is younger than the clocks of two nodes may differ says "missed" rightly.
    Awaitility.await("logs that are old enough")
        .until(() -> System.nanoTime() - started > 2_500_000_000L);
    String seen;
    try (McpHttp.Stream first = nodes.at("n1", path).get()) {
      restarted("e0");
      Awaitility.await().until(() -> types(first).contains("connected"));
      List<McpHttp.Event> events = first.events();
      seen = String.valueOf(events.get(events.size() - 1).id());
    }
    restarted("e0");
    try (McpHttp.Stream second = nodes.at("n2", path).get("Last-Event-ID", seen)) {
      Awaitility.await().until(() -> types(second).contains("connected"));
      assertThat(types(second)).contains("disconnected").doesNotContain("missed");
    }
    try (McpHttp.Stream lost = nodes.at("n2", path).get("Last-Event-ID", "nonsense-7@12")) {
      Awaitility.await().until(() -> types(lost).contains("missed"));
    }
  }

  private static List<String> types(McpHttp.Stream stream) {
    return stream.messages().stream().map(one -> one.getString("type")).toList();
  }

  private static void restarted(String server) {
    long before = epoch(server);
    assertThat(
            Http.post(
                    nodes.port("n3"),
                    "/api/servers/" + server + "/restart",
                    "{}",
                    Http.admin(nodes.port("n3")))
                .status())
        .isEqualTo(200);
    Awaitility.await().until(() -> epoch(server) > before);
  }

  private static long epoch(String server) {
    JsonObject status =
        ClusterBed.statuses(nodes.node("n1")).getOrDefault(server, new JsonObject());
    return "READY".equals(status.getString("state")) ? status.getLong("epoch") : -1;
  }
}
