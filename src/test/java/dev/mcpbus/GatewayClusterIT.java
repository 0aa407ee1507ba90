package dev.mcpbus;

import static dev.mcpbus.testing.ThreeNodes.ACCEPTED;
import static dev.mcpbus.testing.ThreeNodes.ASKED;
import static dev.mcpbus.testing.ThreeNodes.NODES;
import static dev.mcpbus.testing.ThreeNodes.NOTHING;
import static dev.mcpbus.testing.ThreeNodes.asking;
import static dev.mcpbus.testing.ThreeNodes.call;
import static dev.mcpbus.testing.ThreeNodes.last;
import static dev.mcpbus.testing.ThreeNodes.lastId;
import static dev.mcpbus.testing.ThreeNodes.questionOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Balancer;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.ThreeNodes;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Three nodes behind a balancer that hands each request to another one. */
class GatewayClusterIT {

  @TempDir static Path folder;

  private static ThreeNodes nodes;
  private static Balancer balancer;

  @BeforeAll
  static void start() {
    nodes = new ThreeNodes(folder);
    balancer = new Balancer(nodes.ports());
  }

  @AfterAll
  static void close() {
    if (balancer != null) {
      balancer.close();
    }
    nodes.close();
  }

  // ---- sessions

  @Test
  void a_session_is_served_by_whichever_node_a_request_comes_to() throws Exception {
    McpHttp client = new McpHttp(balancer.port(), "/mcp/own");
    int before = balancer.served().size();
    McpHttp.Session session = client.initialize("2025-11-25", ASKED);
    assertThat(McpHttp.names(session.call("tools/list", NOTHING).result(), "tools"))
        .contains("test_simple_text");
    for (int i = 0; i < 3; i++) {
      assertThat(
              McpHttp.text(session.call("tools/call", call("test_simple_text", NOTHING)).result()))
          .startsWith("This is a simple text");
    }

    JsonObject withToken =
        call("test_tool_with_progress", NOTHING)
            .put("_meta", new JsonObject().put("progressToken", "p"));
    McpHttp.Answer told = session.call("tools/call", withToken);
    assertThat(told.messages())
        .hasSize(4)
        .last()
        .extracting(one -> one.getValue("result"))
        .isNotNull();

    McpHttp.Stream asking =
        session.streamed(client.request("tools/call", asking("test_elicitation")));
    JsonObject question = questionOf(asking);
    assertThat(session.answer(question.getValue("id"), ACCEPTED)).isEqualTo(202);
    Awaitility.await("the answer").until(asking::hasEnded);
    assertThat(McpHttp.text(last(asking).getJsonObject("result"))).contains("Ada");

    McpHttp.Stream cut = session.streamed(client.request("tools/call", asking("test_elicitation")));
    JsonObject again = questionOf(cut);
    String seen = lastId(cut);
    cut.close();
    assertThat(session.answer(again.getValue("id"), ACCEPTED)).isEqualTo(202);
    try (McpHttp.Stream resumed = session.resume(seen)) {
      Awaitility.await("the answer elsewhere").until(() -> !resumed.messages().isEmpty());
      assertThat(McpHttp.text(last(resumed).getJsonObject("result"))).contains("Ada");
    }

    JsonObject waits =
        client.request("tools/call", call("test_wait", new JsonObject().put("name", "w")));
    CompletableFuture<McpHttp.Answer> waiting = session.called(waits);
    Awaitility.await().until(() -> nodes.notes("w").contains("started"));
    session.notify(
        "notifications/cancelled", new JsonObject().put("requestId", waits.getValue("id")));
    Awaitility.await().until(() -> nodes.notes("w").contains("cancelled"));
    assertThat(waiting.get(60, TimeUnit.SECONDS).messages()).isEmpty();

    try (McpHttp.Stream standing = session.listen()) {
      assertThat(standing.status()).isEqualTo(200);
      session.call("tools/list", NOTHING);
      session.call("tools/call", call("test_trigger_tool_change", NOTHING));
      Awaitility.await("a changed list")
          .until(() -> standing.methods().contains("notifications/tools/list_changed"));
      assertThat(session.end()).isEqualTo(204);
      Awaitility.await("its end").until(standing::hasEnded);
    }
    for (String node : NODES) {
      assertThat(
              nodes
                  .at(node, "/mcp/own")
                  .post(client.request("ping", NOTHING), session.headers())
                  .status())
          .as(node)
          .isEqualTo(404);
    }
    List<Balancer.Served> served = balancer.served().subList(before, balancer.served().size());
    for (int i = 1; i < served.size(); i++) {
      assertThat(served.get(i).port()).isNotEqualTo(served.get(i - 1).port());
    }
  }

  @Tag("release")
  @ParameterizedTest(name = "{0} client of the TypeScript SDK, {1}")
  @CsvSource({
    "v1,/mcp/own",
    "v1,/mcp/modern",
    "v1-sse,/sse/own",
    "v2-legacy,/mcp/own",
    "v2-modern,/mcp/own",
    "v2-modern,/mcp/modern"
  })
  void the_typescript_sdks_use_everything(String kind, String path) throws Exception {
    JsonObject seen =
        new JsonObject(
            NpmServers.run(
                folder,
                Path.of("src", "test", "npm", "sdk-client.mjs").toAbsolutePath().toString(),
                kind,
                "http://127.0.0.1:" + balancer.port() + path));
    assertThat(seen.getJsonArray("tools")).contains("test_simple_text", "test_elicitation");
    assertThat(seen.getString("elicitation")).contains("my username", "my email");
    assertThat(seen.getJsonArray("asked")).containsExactly("Who are you?");
    assertThat(seen.getString("sampling")).isEqualTo("LLM response: a thought");
    assertThat(seen.getJsonArray("progress")).containsExactly(0, 50, 100);
    assertThat(seen.getBoolean("cancelled")).isTrue();
  }

  // ---- requests that describe themselves

  /** Each node has session hosts of its own; the first one that hears of a client has it. */
  @Test
  void a_client_has_one_session_at_an_older_server_whichever_node_it_comes_by() {
    Map<String, List<String>> own = Map.of("ada", new ArrayList<>(), "bob", new ArrayList<>());
    Map<String, Set<String>> processes = Map.of("ada", new HashSet<>(), "bob", new HashSet<>());
    for (int i = 0; i < 9; i++) {
      for (String name : List.of("ada", "bob")) {
        String node = NODES.get((i + (name.equals("bob") ? 1 : 0)) % NODES.size());
        List<String> notes = Objects.requireNonNull(own.get(name));
        notes.add(name + i);
        JsonObject call =
            call("add", new JsonObject().put("note", name + i))
                .put(
                    "_meta",
                    new JsonObject()
                        .put(
                            "io.modelcontextprotocol/clientInfo",
                            new JsonObject().put("name", name).put("version", "1")));
        String text =
            McpHttp.text(nodes.at(node, "/mcp/notes").discover("tools/call", call).result());
        int colon = text.indexOf(": ");
        Objects.requireNonNull(processes.get(name)).add(text.substring(0, colon));
        assertThat(text.substring(colon + 2)).isEqualTo(String.join(",", notes));
      }
    }
    assertThat(processes.get("ada")).hasSize(1);
    assertThat(processes.get("bob")).hasSize(1).isNotEqualTo(processes.get("ada"));
  }

  @ParameterizedTest
  @CsvSource({"/mcp/own", "/mcp/modern"})
  void the_second_half_of_a_round_trip_may_come_to_another_node(String path) {
    JsonObject params =
        asking("test_elicitation")
            .put(
                "_meta", new JsonObject().put("io.modelcontextprotocol/clientCapabilities", ASKED));
    JsonObject asked = nodes.at("n1", path).discover("tools/call", params).result();
    assertThat(asked.getString("resultType")).as(asked.encode()).isEqualTo("input_required");
    String key = asked.getJsonObject("inputRequests").fieldNames().iterator().next();
    JsonObject retry = params.copy().put("inputResponses", new JsonObject().put(key, ACCEPTED));
    if (asked.containsKey("requestState")) {
      retry.put("requestState", asked.getString("requestState"));
    }
    JsonObject result = nodes.at("n2", path).discover("tools/call", retry).result();
    assertThat(McpHttp.text(result)).contains("Ada");
    if (path.endsWith("own")) {
      assertThat(nodes.at("n3", path).discover("tools/call", retry).error().getString("message"))
          .contains("requestState");
    }
  }

  @Test
  void subscribers_on_every_node_receive_list_changes_and_resource_updates() {
    List<McpHttp.Stream> streams = new ArrayList<>();
    try {
      for (String node : NODES) {
        McpHttp client = nodes.at(node, "/mcp/modern");
        JsonObject listen =
            client.described(
                "subscriptions/listen",
                new JsonObject()
                    .put("notifications", new JsonObject().put("toolsListChanged", true)));
        streams.add(client.streamed(listen, McpHttp.headers(listen)));
      }
      Awaitility.await("acknowledged")
          .until(() -> streams.stream().allMatch(one -> one.methods().size() == 1));
      nodes
          .at("n2", "/mcp/modern")
          .discover("tools/call", call("test_trigger_tool_change", NOTHING));
      Awaitility.await("told at every node")
          .untilAsserted(
              () ->
                  assertThat(streams)
                      .allSatisfy(
                          one ->
                              assertThat(one.methods())
                                  .contains("notifications/tools/list_changed")));
    } finally {
      streams.forEach(McpHttp.Stream::close);
    }
  }
}
