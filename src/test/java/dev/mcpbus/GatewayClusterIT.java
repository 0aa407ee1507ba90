package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Balancer;
import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Fixture;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Three processes of the jar behind a balancer that hands each request to another one. The last
 * test kills one of them.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class GatewayClusterIT {

  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final int ECHOS = 8;
  private static final JsonObject NOTHING = new JsonObject();
  private static final JsonObject ASKED =
      new JsonObject().put("elicitation", new JsonObject()).put("sampling", new JsonObject());
  private static final JsonObject ACCEPTED =
      new JsonObject()
          .put("action", "accept")
          .put("content", new JsonObject().put("username", "Ada").put("email", "a@b.c"));

  @TempDir static Path folder;

  private static Fixture fixture;
  private static ClusterBed bed;
  private static Balancer balancer;

  @BeforeAll
  static void start() {
    fixture = new Fixture(folder);
    JsonObject servers =
        new JsonObject()
            .put("own", fixture.entry("legacy", "stdio"))
            .put("common", fixture.entry("legacy", "stdio").put("shared", true))
            .put("modern", fixture.entry("modern", "stdio"));
    for (int i = 0; i < ECHOS; i++) {
      servers.put("e" + i, EchoServer.shell(executed("e" + i).toString()).put("shared", true));
    }
    bed = new ClusterBed(folder, NODES.size());
    NODES.forEach(node -> bed.start(node, servers));
    NODES.forEach(node -> bed.settled(bed.node(node), servers.size(), new HashSet<>(NODES)));
    balancer = new Balancer(NODES.stream().map(GatewayClusterIT::port).toList());
  }

  @AfterAll
  static void close() {
    if (balancer != null) {
      balancer.close();
    }
    bed.close();
    fixture.close();
  }

  private static int port(String node) {
    return bed.node(node).port();
  }

  private static McpHttp at(String node, String path) {
    return new McpHttp(port(node), path);
  }

  private static JsonObject call(String tool, JsonObject arguments) {
    return new JsonObject().put("name", tool).put("arguments", arguments);
  }

  private static JsonObject questionOf(McpHttp.Stream stream) {
    return Awaitility.await("a question")
        .atMost(Duration.ofSeconds(10))
        .until(
            () ->
                stream.messages().stream()
                    .filter(one -> "elicitation/create".equals(one.getString("method")))
                    .findFirst()
                    .orElse(NOTHING),
            one -> !one.isEmpty());
  }

  // ---- sessions

  @Test
  @Order(1)
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
        session.streamed(
            client.request(
                "tools/call", call("test_elicitation", new JsonObject().put("message", "Who?"))));
    JsonObject question = questionOf(asking);
    assertThat(session.answer(question.getValue("id"), ACCEPTED)).isEqualTo(202);
    Awaitility.await("the answer").until(asking::hasEnded);
    assertThat(McpHttp.text(last(asking).getJsonObject("result"))).contains("Ada");

    McpHttp.Stream cut =
        session.streamed(
            client.request(
                "tools/call", call("test_elicitation", new JsonObject().put("message", "Who?"))));
    JsonObject again = questionOf(cut);
    String seen =
        cut.events().stream()
            .map(McpHttp.Event::id)
            .filter(id -> id != null)
            .reduce((first, second) -> second)
            .orElseThrow();
    cut.close();
    assertThat(session.answer(again.getValue("id"), ACCEPTED)).isEqualTo(202);
    try (McpHttp.Stream resumed = session.resume(seen)) {
      Awaitility.await("the answer elsewhere").until(() -> !resumed.messages().isEmpty());
      assertThat(McpHttp.text(last(resumed).getJsonObject("result"))).contains("Ada");
    }

    JsonObject waits =
        client.request("tools/call", call("test_wait", new JsonObject().put("name", "w")));
    CompletableFuture<McpHttp.Answer> waiting = session.called(waits);
    Awaitility.await().until(() -> fixture.notes("w").contains("started"));
    session.notify(
        "notifications/cancelled", new JsonObject().put("requestId", waits.getValue("id")));
    Awaitility.await().until(() -> fixture.notes("w").contains("cancelled"));
    assertThat(waiting.get(5, TimeUnit.SECONDS).messages()).isEmpty();

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
              at(node, "/mcp/own")
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

  private static JsonObject last(McpHttp.Stream stream) {
    List<JsonObject> all = stream.messages();
    return all.get(all.size() - 1);
  }

  @ParameterizedTest(name = "{0} client of the TypeScript SDK, {1}")
  @CsvSource({
    "v1,/mcp/own",
    "v1,/mcp/modern",
    "v1-sse,/sse/own",
    "v2-legacy,/mcp/own",
    "v2-modern,/mcp/own",
    "v2-modern,/mcp/modern"
  })
  @Order(2)
  void the_typescript_sdks_use_everything(String kind, String path) throws Exception {
    JsonObject seen =
        new JsonObject(
            node(
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

  /** Runs a program of Node to its end, and gives what it says on stdout. */
  private static String node(String... args) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(NpmServers.node()));
    command.addAll(List.of(args));
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    boolean ended = process.waitFor(60, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as("ended: %s", Files.readString(err)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(err)).isZero();
    return Files.readString(out);
  }

  // ---- requests that describe themselves

  @ParameterizedTest
  @CsvSource({"/mcp/own", "/mcp/modern"})
  @Order(3)
  void the_second_half_of_a_round_trip_may_come_to_another_node(String path) {
    JsonObject params =
        call("test_elicitation", new JsonObject().put("message", "Who?"))
            .put(
                "_meta", new JsonObject().put("io.modelcontextprotocol/clientCapabilities", ASKED));
    JsonObject asked = at("n1", path).modern("tools/call", params).result();
    assertThat(asked.getString("resultType")).as(asked.encode()).isEqualTo("input_required");
    String key = asked.getJsonObject("inputRequests").fieldNames().iterator().next();
    JsonObject retry = params.copy().put("inputResponses", new JsonObject().put(key, ACCEPTED));
    if (asked.containsKey("requestState")) {
      retry.put("requestState", asked.getString("requestState"));
    }
    JsonObject result = at("n2", path).modern("tools/call", retry).result();
    assertThat(McpHttp.text(result)).contains("Ada");
    if (path.endsWith("own")) {
      assertThat(at("n3", path).modern("tools/call", retry).error().getString("message"))
          .contains("requestState");
    }
  }

  @Test
  @Order(4)
  void whoever_listens_anywhere_hears_of_changes_and_of_resources() {
    List<McpHttp.Stream> streams = new ArrayList<>();
    try {
      for (String node : NODES) {
        McpHttp client = at(node, "/mcp/modern");
        JsonObject listen =
            client.described(
                "subscriptions/listen",
                new JsonObject()
                    .put("notifications", new JsonObject().put("toolsListChanged", true)));
        streams.add(client.streamed(listen, McpHttp.headers(listen)));
      }
      Awaitility.await("acknowledged")
          .until(() -> streams.stream().allMatch(one -> one.methods().size() == 1));
      at("n2", "/mcp/modern").modern("tools/call", call("test_trigger_tool_change", NOTHING));
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

  // ---- what every node knows

  @Test
  @Order(5)
  void every_node_lists_finds_and_tells_of_everything() {
    String added = new JsonObject().put("name", "late").put("config", EchoServer.shell()).encode();
    List<McpHttp.Stream> events =
        NODES.stream().map(node -> at(node, "/api/events?server=late").get()).toList();
    try {
      assertThat(Http.post(port("n2"), "/api/servers", added).status()).isEqualTo(201);
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
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(
              () -> {
                assertThat(ClusterBed.statuses(bed.node(node)).keySet())
                    .hasSize(ECHOS + 4)
                    .contains("late", "own", "modern");
                assertThat(aggregated(node))
                    .contains("late.echo", "own.test_simple_text", "e0.hang");
                assertThat(
                        McpHttp.names(
                            at(node, "/mcp").modern("tools/list", NOTHING).result(), "tools"))
                    .contains("late__echo", "own__test_simple_text", "modern__test_simple_text");
                assertThat(bed.node(node).get("/api/tools/search?q=simple+text").body())
                    .contains("own.test_simple_text", "modern.test_simple_text");
              });
    }
    assertThat(Http.delete(port("n1"), "/api/servers/late").status()).isEqualTo(200);
    for (String node : NODES) {
      Awaitility.await("late to be gone at " + node)
          .until(() -> !aggregated(node).contains("late.echo"));
    }
  }

  private static List<String> aggregated(String node) {
    String list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    return McpHttp.names(
        Http.post(port(node), "/rpc", list).json().getJsonObject("result"), "tools");
  }

  @Test
  @Order(6)
  void a_question_asked_anywhere_is_seen_everywhere_and_answered_from_anywhere() throws Exception {
    JsonObject offer =
        new JsonObject().put("capabilities", ASKED).put("offer", "people").put("ttl", 60_000);
    assertThat(Http.post(port("n1"), "/api/offers", offer.encode()).status()).isEqualTo(200);
    for (String caller : NODES) {
      CompletableFuture<Http.Answer> called =
          Http.posted(
              port(caller),
              "/api/servers/modern/tools/test_elicitation",
              new JsonObject().put("message", "Who from " + caller + "?").encode());
      JsonArray waiting = new JsonArray();
      for (String node : NODES) {
        waiting =
            Awaitility.await("the question at " + node)
                .atMost(Duration.ofSeconds(10))
                .until(
                    () -> bed.node(node).get("/api/inputs").json().getJsonArray("questions"),
                    questions -> questions.size() == 1);
      }
      String question = waiting.getJsonObject(0).getString("question");
      String answerer = NODES.get((NODES.indexOf(caller) + 1) % 3);
      Http.Answer unfit =
          Http.post(port(answerer), "/api/inputs/" + question, "{\"action\":\"accept\"}");
      assertThat(unfit.json().getString("code")).isEqualTo("INVALID_ARGUMENTS");
      assertThat(Http.post(port(answerer), "/api/inputs/" + question, ACCEPTED.encode()).status())
          .isEqualTo(200);
      assertThat(called.get(10, TimeUnit.SECONDS).body()).contains("Ada");
      assertThat(Http.post(port(caller), "/api/inputs/" + question, ACCEPTED.encode()).status())
          .isEqualTo(400);
    }
    assertThat(Http.delete(port("n3"), "/api/offers/people").status()).isEqualTo(200);
    for (String caller : NODES) {
      Awaitility.await("nobody to be offered at " + caller)
          .untilAsserted(
              () ->
                  assertThat(
                          bed.node(caller)
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
  @Order(7)
  void a_reader_of_events_goes_on_at_another_node_and_misses_nothing() {
    String path = "/api/events?server=e0&type=disconnected,connected";
    String seen;
    try (McpHttp.Stream first = at("n1", path).get()) {
      restarted("e0");
      Awaitility.await().until(() -> types(first).contains("connected"));
      List<McpHttp.Event> events = first.events();
      seen = String.valueOf(events.get(events.size() - 1).id());
    }
    restarted("e0");
    try (McpHttp.Stream second = at("n2", path).get("Last-Event-ID", seen)) {
      Awaitility.await().until(() -> types(second).contains("connected"));
      assertThat(types(second)).contains("disconnected").doesNotContain("missed");
    }
    try (McpHttp.Stream lost = at("n2", path).get("Last-Event-ID", "nonsense-7@12")) {
      Awaitility.await().until(() -> types(lost).contains("missed"));
    }
  }

  private static List<String> types(McpHttp.Stream stream) {
    return stream.messages().stream().map(one -> one.getString("type")).toList();
  }

  private static void restarted(String server) {
    long before = epoch(server);
    assertThat(Http.post(port("n3"), "/api/servers/" + server + "/restart", "{}").status())
        .isEqualTo(200);
    Awaitility.await().until(() -> epoch(server) > before);
  }

  private static long epoch(String server) {
    JsonObject status = ClusterBed.statuses(bed.node("n1")).getOrDefault(server, new JsonObject());
    return "READY".equals(status.getString("state")) ? status.getLong("epoch") : -1;
  }

  // ---- a node is lost

  @Test
  @Order(100)
  void after_the_loss_of_a_node_calls_end_at_once_and_sessions_go_on_or_are_gone()
      throws Exception {
    Map<String, JsonObject> statuses = ClusterBed.statuses(bed.node("n1"));
    String doomed = ownedBy(statuses, Set.of("n3"));
    String safe = ownedBy(statuses, Set.of("n1", "n2"));
    JsonObject arguments = new JsonObject().put("call", "c").put("deadline", 1);
    JsonObject fly = arguments.copy().put("call", "fly");

    McpHttp here = at("n1", "/mcp");
    McpHttp.Session local = here.initialize("2025-11-25", ASKED);
    List<CompletableFuture<McpHttp.Answer>> flying = new ArrayList<>();
    JsonObject modern = here.described("tools/call", call(doomed + "__hang", fly));
    flying.add(here.posted(modern.encode(), McpHttp.headers(modern)));
    JsonObject asking = here.described("tools/call", call(doomed + "__hang", fly));
    asking
        .getJsonObject("params")
        .getJsonObject("_meta")
        .put("io.modelcontextprotocol/clientCapabilities", ASKED);
    flying.add(here.posted(asking.encode(), McpHttp.headers(asking)));
    flying.add(
        at("n2", "/mcp")
            .posted(
                here.request("tools/call", call(doomed + "__hang", fly)).encode(),
                local.headers()));

    McpHttp there = at("n3", "/mcp");
    McpHttp.Session bound = there.initialize("2025-11-25", ASKED);
    bound.call("tools/call", call("own__test_simple_text", NOTHING)).result();
    flying.add(
        at("n1", "/mcp")
            .posted(
                there.request("tools/call", call(safe + "__hang", fly)).encode(), bound.headers()));
    McpHttp.Session free = there.initialize("2025-11-25", ASKED);
    free.call("tools/call", call(safe + "__echo", arguments)).result();
    free.call("logging/setLevel", new JsonObject().put("level", "error")).result();

    JsonObject half =
        there.described(
            "tools/call", call("own__test_elicitation", new JsonObject().put("message", "Who?")));
    half.getJsonObject("params")
        .getJsonObject("_meta")
        .put("io.modelcontextprotocol/clientCapabilities", ASKED);
    JsonObject halfway = there.post(half, McpHttp.headers(half)).result();

    try (McpHttp.Stream boundStream = at("n2", "/mcp").get(bound.headers());
        McpHttp.Stream freeStream = at("n1", "/mcp").get(free.headers())) {
      assertThat(boundStream.status()).isEqualTo(200);
      assertThat(freeStream.status()).isEqualTo(200);
      Awaitility.await("the calls to fly").until(() -> flying(doomed) == 3 && flying(safe) == 1);
      long killed = System.nanoTime();
      bed.node("n3").signal("KILL");
      for (CompletableFuture<McpHttp.Answer> call : flying) {
        JsonObject error = call.get(10, TimeUnit.SECONDS).error();
        assertThat(error.getJsonObject("data").getString("code"))
            .as(error.encode())
            .isEqualTo("OWNER_LOST");
        assertThat(error.getJsonObject("data").getString("sent")).isEqualTo("maybe");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(2));
      Awaitility.await("the streams to end")
          .atMost(Duration.ofSeconds(2))
          .until(() -> boundStream.hasEnded() && freeStream.hasEnded());
    }

    for (String node : List.of("n1", "n2")) {
      McpHttp client = at(node, "/mcp");
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

    goesOn(free, safe, arguments);
    assertThat(at("n2", "/mcp").initialize().call("ping", NOTHING).status()).isEqualTo(200);
    bed.settled(bed.node("n1"), ECHOS + 3, Set.of("n1", "n2"));
  }

  /** A session with nothing that was the lost node's alone. */
  private static void goesOn(McpHttp.Session free, String safe, JsonObject arguments)
      throws Exception {
    List<CompletableFuture<McpHttp.Answer>> both = new ArrayList<>();
    for (String node : List.of("n1", "n2")) {
      McpHttp client = at(node, "/mcp");
      both.add(
          client.posted(
              client.request("tools/call", call(safe + "__echo", arguments)).encode(),
              free.headers()));
    }
    for (CompletableFuture<McpHttp.Answer> one : both) {
      assertThat(McpHttp.text(one.get(10, TimeUnit.SECONDS).result())).startsWith("c ");
    }
    try (McpHttp.Stream standing = at("n2", "/mcp").get(free.headers())) {
      Awaitility.await("the client is told to look again")
          .until(() -> standing.methods().contains("notifications/tools/list_changed"));
    }
    assertThat(at("n2", "/mcp").delete(free.headers())).isEqualTo(204);
    for (String node : List.of("n1", "n2")) {
      McpHttp client = at(node, "/mcp");
      assertThat(client.post(client.request("ping", NOTHING), free.headers()).status())
          .isEqualTo(404);
    }
  }

  private static String ownedBy(Map<String, JsonObject> statuses, Set<String> nodes) {
    return statuses.entrySet().stream()
        .filter(one -> one.getKey().startsWith("e"))
        .filter(one -> nodes.contains(one.getValue().getString("node")))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  private static Path executed(String server) {
    return folder.resolve(server + ".txt");
  }

  private static long flying(String server) throws IOException {
    return Files.readAllLines(executed(server)).stream()
        .filter(line -> line.startsWith("fly "))
        .count();
  }
}
