package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static dev.mcpbus.faults.DoorBed.ROOT;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What one principal's calls leave behind, and what another hears of it at each door: what he would
 * hear if it was not there. With and without policies.
 */
class OthersThingsTest {

  private static final String ELICITATION =
      "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Delete the diary?\","
          + "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}";
  private static final JsonObject FORM =
      new JsonObject()
          .put("capabilities", new JsonObject().put("elicitation", new JsonObject()))
          .put("id", "q");
  private static final String ACCEPT = "{\"action\":\"accept\",\"content\":{}}";

  static Stream<Arguments> auths() {
    Policy all = new Policy(List.of("root"), List.of(), List.of(), Set.of(), Effect.ALLOW);
    Policy some =
        new Policy(List.of("alice", "bob"), List.of("q"), List.of(), Set.of(), Effect.ALLOW);
    return Stream.of(
        Arguments.of("keys", DoorBed.keys()),
        Arguments.of("policies", RecordCopy.with(DoorBed.keys(), "policies", List.of(all, some))));
  }

  /** Asks before it answers a call. */
  private static ScriptedPeer asking(DoorBed bed) {
    return bed.add(
        "q",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" ->
                  "\"result\":{\"tools\":[{\"name\":\"ask\",\"inputSchema\":{\"type\":\"object\"}}],"
                      + "\"ttlMs\":60000}";
              case "tools/call" ->
                  params.containsKey("inputResponses")
                      ? "\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\","
                          + "\"text\":\"done\"}]}"
                      : "\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"k\":"
                          + ELICITATION
                          + "}}";
              default -> null;
            });
  }

  private static CompletableFuture<HttpResponse<String>> calling(
      DoorBed bed, ApiKeys.Fresh key, String tool, String... headers) {
    String[] all = Stream.concat(Stream.of(as(key)), Stream.of(headers)).toArray(String[]::new);
    return CompletableFuture.supplyAsync(
            () -> bed.send("POST", "/api/servers/q/tools/" + tool, "{}", all))
        .orTimeout(60, TimeUnit.SECONDS);
  }

  private static JsonArray questions(DoorBed bed, ApiKeys.Fresh key) {
    return new JsonObject(bed.send("GET", "/api/inputs", "", as(key)).body())
        .getJsonArray("questions");
  }

  /** Status and body, which say all that a caller can see. */
  private static String told(HttpResponse<String> answer) {
    return answer.statusCode() + " " + answer.body();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("auths")
  void a_question_is_there_for_whose_call_it_belongs_to(String name, AuthOptions auth) {
    try (DoorBed bed = new DoorBed(auth)) {
      asking(bed);
      bed.send("POST", "/api/offers", FORM.encode(), as(ALICE));
      try (Listening alice = new Listening(bed, ALICE, "q");
          Listening bob = new Listening(bed, BOB, "q")) {
        var call = calling(bed, ALICE, "ask");
        await().until(() -> questions(bed, ALICE).size() == 1);
        JsonObject question = questions(bed, ALICE).getJsonObject(0);
        assertThat(question.getString("principal")).isEqualTo("alice");
        String key = question.getString("question");

        assertThat(questions(bed, BOB)).isEmpty();
        String stolen = told(bed.send("POST", "/api/inputs/" + key, ACCEPT, as(BOB)));
        String never = told(bed.send("POST", "/api/inputs/never-was", ACCEPT, as(BOB)));
        assertThat(stolen).isEqualTo(never).startsWith("400");
        assertThat(questions(bed, ALICE)).hasSize(1);
        assertThat(questions(bed, ROOT)).hasSize(1);
        assertThat(call).isNotDone();

        bed.send("POST", "/api/inputs/" + key, ACCEPT, as(ALICE));
        assertThat(call.join().body()).contains("done");

        alice.mark("q");
        bob.mark("q");
        for (String heard : List.of(alice.streamed(), alice.socket())) {
          assertThat(heard).contains("inputRequested", "inputResolved", "diary");
        }
        for (String heard : List.of(bob.streamed(), bob.socket())) {
          assertThat(heard).doesNotContain("inputRequested", "inputResolved", "diary", key);
        }
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("auths")
  void an_admin_answers_for_others(String name, AuthOptions auth) {
    try (DoorBed bed = new DoorBed(auth)) {
      asking(bed);
      bed.send("POST", "/api/offers", FORM.encode(), as(ROOT));
      var call = calling(bed, ALICE, "ask");
      await().until(() -> questions(bed, ROOT).size() == 1);
      String key = questions(bed, ROOT).getJsonObject(0).getString("question");

      bed.send("POST", "/api/inputs/" + key, ACCEPT, as(ROOT));

      assertThat(call.join().body()).contains("done");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("auths")
  void an_offer_is_its_makers_alone(String name, AuthOptions auth) {
    try (DoorBed bed = new DoorBed(auth)) {
      asking(bed);
      String offer =
          new JsonObject(bed.send("POST", "/api/offers", FORM.encode(), as(ALICE)).body())
              .getString("offer");

      // A call of somebody else asks nobody: it is not put to her, and does not wait for her.
      assertThat(calling(bed, BOB, "ask").join().body()).contains("UNAVAILABLE");
      assertThat(questions(bed, ALICE)).isEmpty();
      String taken = told(bed.send("DELETE", "/api/offers/" + offer, "", as(BOB)));
      assertThat(taken.replace(offer, "x"))
          .isEqualTo(told(bed.send("DELETE", "/api/offers/x", "", as(BOB))));
      JsonObject renewed = FORM.copy().put("offer", offer).put("ttl", 1);
      bed.send("POST", "/api/offers", renewed.encode(), as(BOB));
      var call = calling(bed, ALICE, "ask");
      await().until(() -> questions(bed, ALICE).size() == 1);

      bed.send("DELETE", "/api/offers/" + offer, "", as(ROOT));
      JsonObject offered = bed.bus.request(Addresses.INPUT_OFFERS, new JsonObject());
      assertThat(offered.getJsonObject("servers").encode()).doesNotContain("elicitation");
      String key = questions(bed, ROOT).getJsonObject(0).getString("question");
      bed.send("POST", "/api/inputs/" + key, ACCEPT, as(ROOT));
      assertThat(call.join().body()).contains("done");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("auths")
  void a_call_is_cancelled_by_its_caller_alone(String name, AuthOptions auth) {
    try (DoorBed bed = new DoorBed(auth);
        Listening alice = new Listening(bed, ALICE, "q");
        Listening bob = new Listening(bed, BOB, "q")) {
      ScriptedPeer peer =
          bed.add(
              "q",
              (method, params, connection) ->
                  method.equals("tools/list")
                      ? "\"result\":{\"tools\":[{\"name\":\"slow\",\"inputSchema\":"
                          + "{\"type\":\"object\"}}],\"ttlMs\":60000}"
                      : null);
      var call = calling(bed, ALICE, "slow", "Call-Id", "c-1");
      await().until(() -> peer.received("tools/call").size() == 1);
      JsonObject tool = new JsonObject().put("name", "slow").put("arguments", new JsonObject());
      JsonObject named = new JsonObject().put("call-id", "c-2");
      String reply = alice.start("mcp.q.tools.call", tool, named);
      await().until(() -> peer.received("tools/call").size() == 2);

      for (String id : List.of("c-1", "c-2", "alice/c-1", "never-was")) {
        JsonObject body = new JsonObject().put("callId", id).put("principal", "alice");
        assertThat(told(bed.send("POST", "/api/servers/q/cancel", body.encode(), as(BOB))))
            .isEqualTo("200 {\"cancelled\":false}\n");
        assertThat(bob.send("mcp.q.cancel", body, new JsonObject()).getJsonObject("body"))
            .isEqualTo(new JsonObject().put("cancelled", false));
      }
      assertThat(call).isNotDone();
      assertThat(alice.answers(reply)).isEmpty();

      String own = new JsonObject().put("callId", "c-2").encode();
      assertThat(bed.send("POST", "/api/servers/q/cancel", own, as(ALICE)).body())
          .isEqualTo("{\"cancelled\":true}\n");
      await().until(() -> alice.answers(reply).size() == 1);
      String hers = new JsonObject().put("callId", "c-1").put("principal", "alice").encode();
      assertThat(bed.send("POST", "/api/servers/q/cancel", hers, as(ROOT)).body())
          .isEqualTo("{\"cancelled\":true}\n");
      assertThat(call.join().body()).contains("CANCELLED");
    }
  }

  /** A server of the older era asks by itself, over a connection that many share. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("auths")
  void a_question_of_an_older_server_is_whose_calls_alone_it_works_on(
      String name, AuthOptions auth) {
    try (DoorBed bed = new DoorBed(auth)) {
      ScriptedPeer peer =
          new ScriptedPeer(
              bed.bus.vertx(),
              (method, params, connection) ->
                  switch (method) {
                    case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                    case "initialize" -> ScriptedPeer.INITIALIZED;
                    case "tools/list" ->
                        "\"result\":{\"tools\":[{\"name\":\"slow\",\"inputSchema\":"
                            + "{\"type\":\"object\"}}]}";
                    default -> null;
                  });
      bed.send("POST", "/api/offers", FORM.encode(), as(ALICE));
      bed.send("POST", "/api/offers", FORM.encode(), as(BOB));
      TestBus.await(
          TestOptions.add(
              bed.bus.bus(), new ConnectionId("q"), peer.transport(), ConnectionOptions.DEFAULT));
      bed.bus.awaitState("q", "READY");

      var first = calling(bed, ALICE, "slow", "Call-Id", "c-1");
      await().until(() -> peer.received("tools/call").size() == 1);
      peer.say("{\"jsonrpc\":\"2.0\",\"id\":901," + ELICITATION.substring(1));
      await().until(() -> questions(bed, ALICE).size() == 1);
      assertThat(questions(bed, BOB)).isEmpty();
      String key = questions(bed, ALICE).getJsonObject(0).getString("question");
      bed.send("POST", "/api/inputs/" + key, ACCEPT, as(ALICE));
      await().until(() -> peer.answers(901).size() == 1);
      assertThat(peer.answers(901).get(0).getJsonObject("result").getString("action"))
          .isEqualTo("accept");

      // Two at work, and the server does not say for whom it asks: it is put to neither.
      var second = calling(bed, BOB, "slow", "Call-Id", "c-2");
      await().until(() -> peer.received("tools/call").size() == 2);
      peer.say("{\"jsonrpc\":\"2.0\",\"id\":902," + ELICITATION.substring(1));
      await().until(() -> peer.answers(902).size() == 1);
      assertThat(peer.answers(902).get(0).containsKey("error")).isTrue();

      // She gave hers up, but the server may not have heard of it yet.
      String own = new JsonObject().put("callId", "c-1").encode();
      bed.send("POST", "/api/servers/q/cancel", own, as(ALICE));
      peer.say("{\"jsonrpc\":\"2.0\",\"id\":903," + ELICITATION.substring(1));
      await().until(() -> peer.answers(903).size() == 1);
      assertThat(peer.answers(903).get(0).containsKey("error")).isTrue();
      String his = new JsonObject().put("callId", "c-2").encode();
      bed.send("POST", "/api/servers/q/cancel", his, as(BOB));
      assertThat(List.of(first.join().body(), second.join().body()))
          .allSatisfy(ended -> assertThat(ended).contains("CANCELLED"));
    }
  }

  private static final String TASK =
      "{\"taskId\":\"task-OWN\",\"status\":\"working\",\"ttl\":60000,"
          + "\"createdAt\":\"2026-11-22T00:00:00Z\",\"lastUpdatedAt\":\"2026-11-22T00:00:00Z\"}";

  /** Every call becomes a task, each under the next number. */
  private static ScriptedPeer working(DoorBed bed, boolean discover) {
    AtomicInteger made = new AtomicInteger();
    String tool =
        "{\"name\":\"work\",\"inputSchema\":{\"type\":\"object\"},\"execution\":"
            + "{\"taskSupport\":\"required\"}}";
    ScriptedPeer peer =
        new ScriptedPeer(
            bed.bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" ->
                      discover
                          ? ScriptedPeer.DISCOVERED.replace(
                              "\"capabilities\":{",
                              "\"capabilities\":{\"extensions\":{"
                                  + "\"io.modelcontextprotocol/tasks\":{}},")
                          : ScriptedPeer.error(-32601, "no such method");
                  case "initialize" ->
                      ScriptedPeer.INITIALIZED.replace(
                          "\"capabilities\":{",
                          "\"capabilities\":{\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":"
                              + "{\"tools\":{\"call\":{}}}},");
                  case "tools/list" -> "\"result\":{\"tools\":[" + tool + "],\"ttlMs\":60000}";
                  case "tools/call" -> {
                    String task = TASK.replace("OWN", "" + made.incrementAndGet());
                    yield "\"result\":"
                        + (discover
                            ? task.replace("{\"taskId\"", "{\"resultType\":\"task\",\"taskId\"")
                            : "{\"task\":" + task + "}");
                  }
                  case "tasks/get", "tasks/cancel" ->
                      "\"result\":" + TASK.replace("task-OWN", params.getString("taskId"));
                  case "tasks/update" -> "\"result\":{\"resultType\":\"complete\"}";
                  case "tasks/list" ->
                      "\"result\":{\"tasks\":["
                          + IntStream.rangeClosed(1, made.get())
                              .mapToObj(number -> TASK.replace("OWN", "" + number))
                              .collect(Collectors.joining(","))
                          + "]}";
                  default -> null;
                });
    TestBus.await(
        TestOptions.add(
            bed.bus.bus(), new ConnectionId("q"), peer.transport(), ConnectionOptions.DEFAULT));
    bed.bus.awaitState("q", "READY");
    return peer;
  }

  static Stream<Arguments> authsAndEras() {
    return auths()
        .flatMap(
            auth ->
                Stream.of(true, false)
                    .map(discover -> Arguments.of(auth.get()[0], auth.get()[1], discover)));
  }

  private static String rpc(DoorBed bed, ApiKeys.Fresh key, String method, JsonObject params) {
    JsonObject request =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", 1)
            .put("method", method)
            .put("serverId", "q")
            .put("params", params);
    return bed.send("POST", "/rpc", request.encode(), as(key)).body();
  }

  private static final Pattern ID = Pattern.compile("\"taskId\":\"([^\"]+)\"");

  private static String id(String answer) {
    Matcher found = ID.matcher(answer);
    assertThat(found.find()).as(answer).isTrue();
    return found.group(1);
  }

  @ParameterizedTest(name = "{0}, discover {2}")
  @MethodSource("authsAndEras")
  void a_task_is_there_for_whose_call_became_it(String name, AuthOptions auth, boolean discover) {
    try (DoorBed bed = new DoorBed(auth)) {
      ScriptedPeer peer = working(bed, discover);
      try (Listening alice = new Listening(bed, ALICE, "q");
          Listening bob = new Listening(bed, BOB, "q")) {
        JsonObject call = new JsonObject().put("name", "work").put("arguments", new JsonObject());
        JsonObject wish = call.copy().put("task", new JsonObject());
        List<String> hers =
            List.of(
                id(calling(bed, ALICE, "work?task=true").join().body()),
                id(rpc(bed, ALICE, "tools/call", wish)),
                id(
                    alice
                        .send("mcp.q.tools.call", call, new JsonObject().put("task", true))
                        .encode()));
        assertThat(hers).doesNotHaveDuplicates().noneMatch(id -> id.startsWith("task-"));
        int before = peer.messages().size();

        List<String> wrong = new ArrayList<>(hers);
        wrong.addAll(List.of("task-1", "task-2", "task-3"));
        JsonObject never = new JsonObject().put("taskId", "never-was");
        for (String id : wrong) {
          JsonObject task = new JsonObject().put("taskId", id);
          for (String verb : List.of("get", "result", "cancel", "update")) {
            String method = "tasks/" + verb;
            assertThat(rpc(bed, BOB, method, task)).isEqualTo(rpc(bed, BOB, method, never));
            JsonObject raw = new JsonObject().put("method", method).put("params", task);
            JsonObject none = new JsonObject().put("method", method).put("params", never);
            String request = "/api/servers/q/request";
            assertThat(told(bed.send("POST", request, raw.encode(), as(BOB))))
                .isEqualTo(told(bed.send("POST", request, none.encode(), as(BOB))));
            String address = "mcp.q.tasks." + verb;
            assertThat(frame(bob, address, task)).isEqualTo(frame(bob, address, never));
          }
          for (String path : List.of("", "/result", "/cancel", "/update")) {
            String verb = path.endsWith("e") || path.endsWith("l") ? "POST" : "GET";
            String there = "/api/servers/q/tasks/" + id + path;
            assertThat(told(bed.send(verb, there, "", as(BOB))))
                .isEqualTo(told(bed.send(verb, there.replace(id, "never-was"), "", as(BOB))))
                .startsWith("404 ")
                .contains("UNKNOWN_TASK", "\"sent\":\"no\"", "Task not found");
          }
        }
        assertThat(peer.messages().stream().skip(before).filter(OthersThingsTest::isOfTask))
            .isEmpty();

        for (String id : hers) {
          for (ApiKeys.Fresh who : List.of(ALICE, ROOT)) {
            String there = "/api/servers/q/tasks/" + id;
            assertThat(bed.send("GET", there, "", as(who)).body())
                .contains("working")
                .doesNotContain("task-");
          }
        }
        peer.notify(
            "notifications/tasks" + (discover ? "" : "/status"),
            new JsonObject(TASK.replace("OWN", "1")));
        await().until(() -> task(alice));
        alice.mark("q");
        bob.mark("q");
        assertThat(alice.streamed()).contains("\"type\":\"task\"", hers.get(0));
        assertThat(alice.socket()).contains(hers.get(0));
        for (String heard : List.of(bob.streamed(), bob.socket())) {
          assertThat(heard).doesNotContain("\"status\":\"working\"", hers.get(0));
        }
        for (String heard :
            List.of(alice.streamed(), alice.socket(), bob.streamed(), bob.socket())) {
          assertThat(heard).doesNotContain("task-1");
        }
        if (!discover) {
          listed(bed, hers);
        }
        assertThat(rpc(bed, ROOT, "tasks/cancel", new JsonObject().put("taskId", hers.get(2))))
            .doesNotContain("error");
        assertThat(peer.received("tasks/cancel")).hasSize(1);
      }
    }
  }

  private static boolean task(Listening who) {
    return who.streamed().contains("\"type\":\"task\"")
        && who.frames.stream().anyMatch(frame -> frame.encode().contains("\"type\":\"task\""));
  }

  private static boolean isOfTask(JsonObject message) {
    return message.getString("method", "").startsWith("tasks/");
  }

  private static String frame(Listening who, String address, JsonObject body) {
    JsonObject frame = who.send(address, body, new JsonObject());
    frame.remove("address");
    return frame.encode();
  }

  private static void listed(DoorBed bed, List<String> hers) {
    JsonObject none = new JsonObject();
    JsonObject raw = new JsonObject().put("method", "tasks/list");
    assertThat(rpc(bed, BOB, "tasks/list", none)).contains("\"tasks\":[]");
    assertThat(bed.send("POST", "/api/servers/q/request", raw.encode(), as(BOB)).body())
        .contains("\"tasks\":[]");
    assertThat(bed.send("GET", "/api/servers/q/tasks", "", as(BOB)).body())
        .contains("\"tasks\":[]");
    assertThat(rpc(bed, ALICE, "tasks/list", none)).contains(hers);
    String all = bed.send("GET", "/api/servers/q/tasks", "", as(ROOT)).body();
    assertThat(new JsonObject(all).getJsonArray("tasks")).hasSize(3);
    String there = "/api/servers/q/tasks/" + id(all);
    assertThat(bed.send("GET", there, "", as(ROOT)).body()).contains("working");
    assertThat(bed.send("GET", there, "", as(BOB)).body()).contains("Task not found");
  }

  /** Counts what it is asked for: it knows one subscriber, whoever is behind. */
  private static ScriptedPeer watched(DoorBed bed) {
    ScriptedPeer peer =
        new ScriptedPeer(
            bed.bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                  case "initialize" ->
                      ScriptedPeer.INITIALIZED.replace(
                          "\"capabilities\":{",
                          "\"capabilities\":{\"resources\":{\"subscribe\":true},");
                  case "tools/list" -> "\"result\":{\"tools\":[]}";
                  case "resources/list" ->
                      "\"result\":{\"resources\":[{\"uri\":\"x:1\",\"name\":\"x\"}]}";
                  case "resources/templates/list" -> "\"result\":{\"resourceTemplates\":[]}";
                  case "resources/subscribe", "resources/unsubscribe" ->
                      params.getString("uri").equals("x:1")
                          ? "\"result\":{}"
                          : ScriptedPeer.error(-32002, "no such resource");
                  default -> null;
                });
    TestBus.await(
        TestOptions.add(
            bed.bus.bus(), new ConnectionId("q"), peer.transport(), ConnectionOptions.DEFAULT));
    bed.bus.awaitState("q", "READY");
    return peer;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("auths")
  void nobody_ends_a_subscription_of_somebody_else(String name, AuthOptions auth) {
    try (DoorBed bed = new DoorBed(auth)) {
      ScriptedPeer peer = watched(bed);
      JsonObject uri = new JsonObject().put("uri", "x:1");
      String subscribe = "/api/servers/q/resources/subscribe";
      String unsubscribe = "/api/servers/q/resources/unsubscribe";
      JsonObject raw = new JsonObject().put("method", "resources/unsubscribe").put("params", uri);
      McpHttp.Session session =
          bed.mcp("/mcp/q").initialize("2025-11-25", new JsonObject(), as(BOB));
      try (Listening bob = new Listening(bed, BOB, "q")) {
        Listening socket = new Listening(bed, ALICE, "q");
        assertThat(told(bed.send("POST", subscribe, uri.encode(), as(ALICE)))).isEqualTo("200 {}");
        socket.send("mcp.q.resources.subscribe", uri, new JsonObject());
        bed.bus.request("mcp.q.resources.subscribe", uri.copy());

        session.call("resources/subscribe", uri).result();
        session.call("resources/unsubscribe", uri).result();
        assertThat(peer.received("resources/unsubscribe")).as("over his own session").hasSize(1);
        assertThat(told(bed.send("POST", unsubscribe, uri.encode(), as(BOB)))).isEqualTo("200 {}");
        assertThat(rpc(bed, BOB, "resources/unsubscribe", uri)).contains("\"result\":{}");
        bed.send("POST", "/api/servers/q/request", raw.encode(), as(BOB));
        bob.send("mcp.q.resources.unsubscribe", uri, new JsonObject());
        bed.bus.request("mcp.q.resources.unsubscribe", uri.copy());
        bed.send("POST", unsubscribe, uri.encode(), as(ALICE)); // her socket wants it still
        assertThat(peer.received("resources/unsubscribe")).hasSize(1);

        socket.close();
        await().until(() -> peer.received("resources/unsubscribe").size() == 2);
        assertThat(bed.send("POST", subscribe, "{\"uri\":\"no:\"}", as(ALICE)).body())
            .contains("no such resource");
      }
    }
  }
}
