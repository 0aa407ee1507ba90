package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static dev.mcpbus.faults.DoorBed.ROOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.bus.BusServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is one principal's, in a cluster: alice comes in on one node, bob and later alice herself on
 * the other. One of the two has the server's connection, so each test runs with the nodes both
 * ways.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OthersThingsIT {

  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final String ADDRESS = "test.asking";
  private static final String ACCEPT = "{\"action\":\"accept\",\"content\":{}}";
  private static final String ELICITATION =
      "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Delete the diary?\","
          + "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}";
  private static final String TASK =
      "{\"resultType\":\"complete\",\"taskId\":\"task-OWN\",\"status\":\"working\",\"ttl\":60000,"
          + "\"createdAt\":\"2026-11-22T00:00:00Z\",\"lastUpdatedAt\":\"2026-11-22T00:00:00Z\"}";

  private final InnerCluster cluster = new InnerCluster(2);
  private final List<Node> nodes = new ArrayList<>();
  private final AtomicInteger tasks = new AtomicInteger();

  @SuppressWarnings("NullAway.Init") // by start
  private ScriptedPeer peer;

  @BeforeEach
  void start() {
    Node first = cluster.join("one", WireForm.NEWEST);
    peer = new ScriptedPeer(first.vertx(), this::answer);
    TestBus.await(BusServer.listen(first.vertx(), ADDRESS, peer::accept));
    JsonObject server = new JsonObject().put("type", "bus").put("address", ADDRESS);
    JsonObject servers = new JsonObject().put("q", server);
    nodes.add(on(first, servers));
    nodes.add(on(cluster.join("two", WireForm.NEWEST), servers));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> nodes.stream().allMatch(OthersThingsIT::isReady));
  }

  private Node on(Node node, JsonObject servers) {
    BridgeOptions bridge = BridgeOptions.DEFAULT.withPort(0);
    return cluster.start(node, "cluster.json", servers, Map.of(), bridge, DoorBed.keys());
  }

  private static boolean isReady(Node node) {
    JsonObject status = node.statuses().get("q");
    return status != null && "READY".equals(status.getString("state"));
  }

  @AfterEach
  void end() {
    cluster.close();
  }

  private @Nullable String answer(String method, JsonObject params, int connection) {
    return switch (method) {
      case Methods.DISCOVER ->
          ScriptedPeer.DISCOVERED.replace(
              "\"capabilities\":{",
              "\"capabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}},");
      case Methods.TOOLS_LIST -> "\"result\":" + tools();
      case Methods.TOOLS_CALL -> called(params);
      case Methods.TASKS_GET, Methods.TASKS_CANCEL ->
          "\"result\":" + TASK.replace("task-OWN", params.getString("taskId"));
      default -> ScriptedPeer.error(-32601, "no such method");
    };
  }

  private static JsonObject tools() {
    JsonArray tools = new JsonArray();
    for (String name : List.of("ask", "slow", "work")) {
      tools.add(new JsonObject().put("name", name).put("inputSchema", new JsonObject()));
    }
    return new JsonObject().put("tools", tools).put("ttlMs", 60_000);
  }

  private @Nullable String called(JsonObject params) {
    return switch (params.getString("name")) {
      case "ask" ->
          params.containsKey("inputResponses")
              ? "\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\","
                  + "\"text\":\"done\"}]}"
              : "\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"k\":"
                  + ELICITATION
                  + "}}";
      case "work" ->
          "\"result\":"
              + TASK.replace("complete", "task").replace("OWN", "" + tasks.incrementAndGet());
      default -> null;
    };
  }

  private static HttpResponse<String> send(
      Node node, ApiKeys.Fresh key, String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.port() + path))
            .method(method, BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + key.key());
    return CLIENT
        .sendAsync(
            (headers.length == 0 ? request : request.headers(headers)).build(),
            BodyHandlers.ofString())
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  private static String told(
      Node node, ApiKeys.Fresh key, String method, String path, String body) {
    HttpResponse<String> answer = send(node, key, method, path, body);
    return answer.statusCode() + " " + answer.body();
  }

  private static CompletableFuture<HttpResponse<String>> calling(
      Node node, ApiKeys.Fresh key, String tool, String... headers) {
    return CompletableFuture.supplyAsync(
        () -> send(node, key, "POST", "/api/servers/q/tools/" + tool, "{}", headers));
  }

  private static JsonArray questions(Node node, ApiKeys.Fresh key) {
    return new JsonObject(send(node, key, "GET", "/api/inputs", "").body())
        .getJsonArray("questions");
  }

  private static String offer(Node node, ApiKeys.Fresh key, JsonObject more) {
    JsonObject offer =
        new JsonObject()
            .put("capabilities", new JsonObject().put("elicitation", new JsonObject()))
            .put("id", "q")
            .mergeIn(more);
    return new JsonObject(send(node, key, "POST", "/api/offers", offer.encode()).body())
        .getString("offer");
  }

  /**
   * A call of Alice by one node whose question waits as another sees it. The node that runs the
   * server may hear of her offer a moment after she has made it, and refuses her calls until then.
   */
  private CompletableFuture<HttpResponse<String>> asking(Node by, Node seen) {
    List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
    await()
        .until(
            () -> {
              if (calls.stream().allMatch(CompletableFuture::isDone)) {
                calls.add(calling(by, ALICE, "ask"));
              }
              return questions(seen, ALICE).size() == 1;
            });
    return calls.get(calls.size() - 1);
  }

  @ParameterizedTest(name = "alice at node {0}")
  @ValueSource(ints = {0, 1})
  void a_question_is_there_for_its_principal_on_every_node_and_for_nobody_else(int alices) {
    Node here = nodes.get(alices);
    Node there = nodes.get(1 - alices);
    offer(here, ALICE, new JsonObject());
    var call = asking(here, here);
    for (Node node : nodes) {
      await().until(() -> questions(node, ALICE).size() == 1);
      assertThat(questions(node, BOB)).isEmpty();
      assertThat(questions(node, ROOT)).hasSize(1);
    }
    String path = "/api/inputs/" + questions(there, ALICE).getJsonObject(0).getString("question");
    for (Node node : nodes) {
      assertThat(told(node, BOB, "POST", path, ACCEPT))
          .isEqualTo(told(node, BOB, "POST", "/api/inputs/never-was", ACCEPT))
          .startsWith("400");
    }
    assertThat(call).isNotDone();
    assertThat(questions(here, ALICE)).hasSize(1);

    assertThat(told(there, ALICE, "POST", path, ACCEPT)).startsWith("200");
    assertThat(call.join().body()).contains("done");
  }

  @ParameterizedTest(name = "alice at node {0}")
  @ValueSource(ints = {0, 1})
  void an_offer_is_its_makers_alone_on_every_node(int alices) {
    Node here = nodes.get(alices);
    Node there = nodes.get(1 - alices);
    String offer = offer(here, ALICE, new JsonObject());

    for (Node node : nodes) {
      assertThat(calling(node, BOB, "ask").join().body()).contains("UNAVAILABLE");
      assertThat(told(node, BOB, "DELETE", "/api/offers/" + offer, "").replace(offer, "x"))
          .isEqualTo(told(node, BOB, "DELETE", "/api/offers/x", ""));
      offer(node, BOB, new JsonObject().put("offer", offer).put("ttl", 1));
    }
    // Made on one node, it is good for her calls on the other.
    var call = asking(there, here);
    String path = "/api/inputs/" + questions(here, ALICE).getJsonObject(0).getString("question");
    send(here, ALICE, "POST", path, ACCEPT);
    assertThat(call.join().body()).contains("done");

    assertThat(told(there, ALICE, "DELETE", "/api/offers/" + offer, "")).startsWith("200");
    // A call before the other node knows it would wait for an answer that nobody gives.
    await()
        .until(
            () -> calling(here, ALICE, "ask?timeout=1000").join().body().contains("UNAVAILABLE"));
  }

  @ParameterizedTest(name = "alice at node {0}")
  @ValueSource(ints = {0, 1})
  void a_call_is_cancelled_by_its_caller_alone_from_every_node(int alices) {
    Node here = nodes.get(alices);
    Node there = nodes.get(1 - alices);
    String cancel = "/api/servers/q/cancel";
    var call = calling(here, ALICE, "slow", "Call-Id", "c-1");
    await().until(() -> peer.received(Methods.TOOLS_CALL).size() == 1);
    for (Node node : nodes) {
      for (String id : List.of("c-1", "alice/c-1", "never-was")) {
        JsonObject body = new JsonObject().put("callId", id).put("principal", "alice");
        assertThat(told(node, BOB, "POST", cancel, body.encode()))
            .isEqualTo("200 {\"cancelled\":false}\n");
      }
    }
    // His own of the same name is another call.
    var his = calling(there, BOB, "slow", "Call-Id", "c-1");
    await().until(() -> peer.received(Methods.TOOLS_CALL).size() == 2);
    JsonObject own = new JsonObject().put("callId", "c-1");
    assertThat(told(here, BOB, "POST", cancel, own.encode()))
        .isEqualTo("200 {\"cancelled\":true}\n");
    assertThat(his.join().body()).contains("CANCELLED");
    assertThat(call).isNotDone();

    assertThat(told(there, ALICE, "POST", cancel, own.encode()))
        .isEqualTo("200 {\"cancelled\":true}\n");
    assertThat(call.join().body()).contains("CANCELLED");
  }

  @ParameterizedTest(name = "alice at node {0}")
  @ValueSource(ints = {0, 1})
  void a_task_is_there_for_its_principal_on_every_node_and_for_nobody_else(int alices) {
    Node here = nodes.get(alices);
    JsonObject made = new JsonObject(calling(here, ALICE, "work?task=true").join().body());
    String task = "/api/servers/q/tasks/" + made.getString("taskId");
    String never = "/api/servers/q/tasks/never-was";
    for (Node node : nodes) {
      for (String verb : List.of("GET", "GET /result", "POST /cancel", "POST /update")) {
        String method = verb.split(" ", 2)[0];
        String path = verb.substring(method.length()).strip();
        for (String his : List.of(task, "/api/servers/q/tasks/task-1")) {
          assertThat(told(node, BOB, method, his + path, ""))
              .isEqualTo(told(node, BOB, method, never + path, ""))
              .startsWith("404 ")
              .contains("UNKNOWN_TASK");
        }
      }
    }
    assertThat(peer.methods()).noneMatch(method -> method.startsWith("tasks/"));
    for (Node node : nodes) {
      for (ApiKeys.Fresh key : List.of(ALICE, ROOT)) {
        assertThat(told(node, key, "GET", task, ""))
            .startsWith("200 ")
            .contains("working")
            .doesNotContain("task-1");
      }
    }
    Node there = nodes.get(1 - alices);
    assertThat(told(there, ALICE, "POST", task + "/cancel", "")).startsWith("200 ");
    assertThat(peer.received(Methods.TASKS_CANCEL)).hasSize(1);
  }
}
