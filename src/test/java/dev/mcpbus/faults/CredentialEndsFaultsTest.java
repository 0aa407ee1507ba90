package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.Reload;
import dev.mcpbus.TestOptions;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** {@code auth} is read anew while clients are connected. */
class CredentialEndsFaultsTest {

  private static AuthOptions without(String name) {
    return TestOptions.ofKeys(
        DoorBed.keys().apiKeys().stream().filter(key -> !key.name().equals(name)).toList());
  }

  private static void reload(DoorBed bed, AuthOptions auth) {
    TestBus.await(
        Reload.of(
            bed.bus.bus(),
            new ConfigDiff(List.of(), List.of(), List.of(), List.of(), auth, List.of())));
  }

  /** A standing stream, a {@code discover} subscription, and a stream of HTTP+SSE. */
  private static List<McpHttp.Stream> streams(DoorBed bed, String[] caller) {
    McpHttp mcp = bed.mcp("/mcp");
    JsonObject filter =
        new JsonObject().put("notifications", new JsonObject().put("toolsListChanged", true));
    JsonObject listen = mcp.described("subscriptions/listen", filter);
    List<String> headers = new ArrayList<>(List.of(McpHttp.headers(listen)));
    headers.addAll(List.of(caller));
    List<McpHttp.Stream> streams = new ArrayList<>();
    streams.add(mcp.initialize("2025-11-25", new JsonObject(), caller).listen());
    streams.add(mcp.streamed(listen, headers.toArray(String[]::new)));
    streams.add(bed.mcp("/sse").get(caller));
    assertThat(streams).allMatch(stream -> stream.status() == 200);
    return streams;
  }

  @Test
  void streams_of_the_gateway_end_with_the_key_that_opened_them() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      List<McpHttp.Stream> bob = streams(bed, DoorBed.as(DoorBed.BOB));
      List<McpHttp.Stream> alice = streams(bed, DoorBed.as(DoorBed.ALICE));

      reload(bed, without("bob"));

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> bob.stream().allMatch(McpHttp.Stream::hasEnded));
      assertThat(alice).noneMatch(McpHttp.Stream::hasEnded);
      assertThat(bed.send("GET", "/api/servers", "", DoorBed.as(DoorBed.BOB)).statusCode())
          .isEqualTo(401);
      assertThat(bed.send("GET", "/api/servers", "", DoorBed.as(DoorBed.ALICE)).statusCode())
          .isEqualTo(200);
      alice.forEach(McpHttp.Stream::close);
    }
  }

  /** A server whose only tool says how far it is, and answers when {@code say} is called. */
  private static ScriptedPeer working(DoorBed bed) {
    return bed.add(
        "w",
        (method, params, connection) ->
            method.equals("tools/list")
                ? "\"result\":{\"tools\":[{\"name\":\"work\",\"inputSchema\":{\"type\":\"object\"}}],"
                    + "\"ttlMs\":60000}"
                : null);
  }

  private static JsonObject work(McpHttp mcp, boolean discover) {
    JsonObject call =
        new JsonObject()
            .put("name", "w__work")
            .put("_meta", new JsonObject().put("progressToken", "mine"));
    return discover ? mcp.described("tools/call", call) : mcp.request("tools/call", call);
  }

  /** The call is at the server, which says how far it is: with that the answer is a stream. */
  private static McpHttp.Stream begun(
      ScriptedPeer peer, McpHttp mcp, JsonObject request, List<String> headers) {
    var answer =
        CompletableFuture.supplyAsync(() -> mcp.streamed(request, headers.toArray(String[]::new)));
    Awaitility.await().until(() -> !peer.received("tools/call").isEmpty());
    JsonObject meta = called(peer).getJsonObject("params").getJsonObject("_meta");
    peer.notify(
        "notifications/progress",
        new JsonObject().put("progressToken", meta.getValue("progressToken")).put("progress", 1));
    McpHttp.Stream stream = answer.join();
    Awaitility.await().until(() -> stream.methods().contains("notifications/progress"));
    return stream;
  }

  private static JsonObject called(ScriptedPeer peer) {
    return peer.received("tools/call").get(0);
  }

  private static void ended(McpHttp.Stream stream) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(stream::hasEnded);
  }

  private static void assertRefused(McpHttp.Stream stream, Object id) {
    ended(stream);
    JsonObject last = stream.messages().get(stream.messages().size() - 1);
    assertThat(last.getValue("id")).isEqualTo(id);
    JsonObject error = last.getJsonObject("error");
    assertThat(error.getString("message")).startsWith("the key is no longer good here");
    assertThat(error.getJsonObject("data"))
        .isEqualTo(new JsonObject().put("code", "FORBIDDEN").put("sent", "maybe"));
  }

  @Test
  void a_request_that_is_still_open_fails_with_the_key() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = working(bed);
      McpHttp mcp = bed.mcp("/mcp");
      JsonObject request = work(mcp, true);
      List<String> headers = new ArrayList<>(List.of(McpHttp.headers(request)));
      headers.addAll(List.of(DoorBed.as(DoorBed.BOB)));
      JsonObject filter =
          new JsonObject().put("notifications", new JsonObject().put("toolsListChanged", true));
      JsonObject listen = mcp.described("subscriptions/listen", filter);
      List<String> listening = new ArrayList<>(List.of(McpHttp.headers(listen)));
      listening.addAll(List.of(DoorBed.as(DoorBed.BOB)));
      try (McpHttp.Stream call = begun(peer, mcp, request, headers);
          McpHttp.Stream subscription = mcp.streamed(listen, listening.toArray(String[]::new))) {
        reload(bed, without("bob"));
        assertRefused(call, request.getValue("id"));
        ended(subscription);
        assertThat(subscription.methods())
            .as("no answer: a client of today listens again, and is asked to log in")
            .containsExactly("notifications/subscriptions/acknowledged");
        Awaitility.await().until(() -> peer.methods().contains("notifications/cancelled"));
      }
    }
  }

  /** Draft "Authorization Lifetime for Subscription Streams". */
  @Test
  void a_listening_client_that_knows_the_draft_is_told_why_its_right_has_ended() {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      McpHttp mcp = bed.mcp("/mcp");
      JsonObject listen =
          mcp.described(
              "subscriptions/listen",
              new JsonObject()
                  .put("notifications", new JsonObject().put("toolsListChanged", true)));
      JsonObject draft =
          new JsonObject().put("io.modelcontextprotocol/subscription-lifetime", new JsonObject());
      listen
          .getJsonObject("params")
          .getJsonObject("_meta")
          .getJsonObject("io.modelcontextprotocol/clientCapabilities")
          .put("experimental", draft);
      try (McpHttp.Stream bob = mcp.streamed(listen, listening(listen, DoorBed.BOB));
          McpHttp.Stream alice = mcp.streamed(listen, listening(listen, DoorBed.ALICE))) {
        List<Policy> less = new ArrayList<>(DoorBed.policies().policies());
        less.add(
            new Policy(
                List.of("alice"), List.of("a"), List.of(), Set.of(Action.LIST), Effect.DENY));
        reload(bed, RecordCopy.with(without("bob"), "policies", less));
        assertEnd(bob, listen.getValue("id"), "revoked");
        assertEnd(alice, listen.getValue("id"), "insufficient_authorization");
      }
    }
  }

  private static String[] listening(JsonObject request, ApiKeys.Fresh key) {
    List<String> headers = new ArrayList<>(List.of(McpHttp.headers(request)));
    headers.addAll(List.of(DoorBed.as(key)));
    return headers.toArray(String[]::new);
  }

  private static void assertEnd(McpHttp.Stream stream, Object id, String reason) {
    ended(stream);
    JsonObject last = stream.messages().get(stream.messages().size() - 1);
    assertThat(last.getValue("id")).isEqualTo(id);
    assertThat(last.getJsonObject("error"))
        .isEqualTo(
            new JsonObject()
                .put("code", -32028)
                .put("message", "Authorization ended")
                .put("data", new JsonObject().put("reason", reason)));
  }

  /** SEP-3415, Subscription Termination; also where a policy takes the right, not the key. */
  @Test
  void a_stream_of_events_is_terminated_with_the_right_to_it() {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      ScriptedPeer peer = bed.add("e", (method, params, connection) -> null);
      McpHttp mcp = bed.mcp("/mcp/e");
      JsonObject request = mcp.described("events/stream", new JsonObject().put("cursor", "c"));
      AuthOptions all =
          RecordCopy.with(
              DoorBed.keys(),
              "policies",
              List.of(new Policy(List.of("bob"), List.of("e"), List.of(), Set.of(), Effect.ALLOW)));
      reload(bed, all);
      var opening =
          CompletableFuture.supplyAsync(
              () -> mcp.streamed(request, listening(request, DoorBed.BOB)));
      Awaitility.await().until(() -> !peer.received("events/stream").isEmpty());
      JsonObject meta =
          new JsonObject()
              .put(
                  "io.modelcontextprotocol/subscriptionId",
                  peer.received("events/stream").get(0).getValue("id"));
      peer.notify(
          "notifications/events/active", new JsonObject().put("cursor", "c").put("_meta", meta));
      try (McpHttp.Stream stream = opening.join()) {
        reload(bed, RecordCopy.with(DoorBed.keys(), "policies", DoorBed.policies().policies()));
        ended(stream);
        assertThat(stream.methods())
            .containsExactly("notifications/events/active", "notifications/events/terminated", "");
        JsonObject told = stream.messages().get(1).getJsonObject("params");
        assertThat(told.getJsonObject("error").getInteger("code")).isEqualTo(-32024);
        assertThat(told.getJsonObject("_meta").getValue("io.modelcontextprotocol/subscriptionId"))
            .isEqualTo(request.getValue("id"));
        assertThat(stream.messages().get(2).getValue("id")).isEqualTo(request.getValue("id"));
        Awaitility.await().until(() -> peer.methods().contains("notifications/cancelled"));
      }
    }
  }

  @Test
  void a_request_of_a_session_that_cannot_go_on_fails_with_the_key() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = working(bed);
      McpHttp mcp = bed.mcp("/mcp");
      McpHttp.Session session =
          mcp.initialize("2025-06-18", new JsonObject(), DoorBed.as(DoorBed.BOB));
      JsonObject request = work(mcp, false);
      try (McpHttp.Stream call = begun(peer, mcp, request, List.of(session.headers()))) {
        reload(bed, without("bob"));
        assertRefused(call, request.getValue("id"));
      }
    }
  }

  @Test
  void a_client_that_can_go_on_gets_the_answer_when_he_comes_back_with_another_key() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = working(bed);
      McpHttp mcp = bed.mcp("/mcp");
      McpHttp.Session session =
          mcp.initialize("2025-11-25", new JsonObject(), DoorBed.as(DoorBed.BOB));
      JsonObject request = work(mcp, false);
      try (McpHttp.Stream call = begun(peer, mcp, request, List.of(session.headers()))) {
        ApiKeys.Fresh next = ApiKeys.generate(new SecureRandom());
        reload(bed, TestOptions.ofKeys(List.of(DoorBed.key("bob", next, false))));
        ended(call);
        assertThat(call.messages()).noneMatch(message -> message.containsKey("id"));
        String last =
            call.events().stream().map(McpHttp.Event::id).reduce("", (a, b) -> b == null ? a : b);
        List<String> headers = new ArrayList<>(List.of(session.headers()));
        headers.set(headers.indexOf("Bearer " + DoorBed.BOB.key()), "Bearer " + next.key());
        headers.addAll(List.of("Last-Event-ID", last));
        try (McpHttp.Stream again = mcp.get(headers.toArray(String[]::new))) {
          assertThat(again.status()).isEqualTo(200);
          peer.say(
              new JsonObject()
                  .put("jsonrpc", "2.0")
                  .put("id", called(peer).getValue("id"))
                  .put(
                      "result",
                      new JsonObject()
                          .put("resultType", "complete")
                          .put("content", new JsonArray()))
                  .encode());
          Awaitility.await().until(() -> !again.messages().isEmpty());
          assertThat(again.messages().get(0).getValue("id")).isEqualTo(request.getValue("id"));
          assertThat(again.messages().get(0).getJsonObject("result")).isNotNull();
        }
      }
    }
  }

  @Test
  void a_standing_stream_ends_where_its_reader_may_do_other_things() {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      List<McpHttp.Stream> alice = streams(bed, DoorBed.as(DoorBed.ALICE));
      List<McpHttp.Stream> bob = streams(bed, DoorBed.as(DoorBed.BOB));
      List<Policy> less = new ArrayList<>(DoorBed.policies().policies());
      less.add(
          new Policy(List.of("alice"), List.of("a"), List.of(), Set.of(Action.LIST), Effect.DENY));

      reload(bed, RecordCopy.with(DoorBed.keys(), "policies", less));

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> alice.stream().allMatch(McpHttp.Stream::hasEnded));
      assertThat(bob).noneMatch(McpHttp.Stream::hasEnded);
      bob.forEach(McpHttp.Stream::close);
      assertThat(bed.send("GET", "/api/servers/a/tools", "", DoorBed.as(DoorBed.ALICE)).body())
          .doesNotContain("read_one");
    }
  }

  @Test
  void admin_flags_and_limits_of_a_reload_hold_at_once() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      assertThat(restart(bed)).isEqualTo(403);
      List<AuthOptions.ApiKey> keys =
          List.of(DoorBed.key("root", DoorBed.ROOT, false), DoorBed.key("bob", DoorBed.BOB, true));
      reload(bed, RecordCopy.with(TestOptions.ofKeys(keys), "limits", new Limits(0.001, 2, 0)));
      assertThat(List.of(restart(bed), restart(bed), restart(bed))).containsExactly(200, 200, 429);
      assertThat(
              bed.send("POST", "/api/servers/a/restart", "", DoorBed.as(DoorBed.ROOT)).statusCode())
          .isEqualTo(403);
    }
  }

  private static int restart(DoorBed bed) {
    return bed.send("POST", "/api/servers/b/restart", "", DoorBed.as(DoorBed.BOB)).statusCode();
  }

  @Test
  void a_session_whose_key_is_gone_is_of_no_use() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      McpHttp.Session session =
          bed.mcp("/mcp").initialize("2025-11-25", new JsonObject(), DoorBed.as(DoorBed.BOB));
      assertThat(session.call("tools/list", new JsonObject()).status()).isEqualTo(200);
      reload(bed, without("bob"));
      assertThat(session.call("tools/list", new JsonObject()).status()).isEqualTo(401);
      String[] others = session.headers();
      others[5] = "Bearer " + DoorBed.ALICE.key();
      assertThat(
              bed.mcp("/mcp")
                  .post(bed.mcp("/mcp").request("tools/list", new JsonObject()), others)
                  .status())
          .as("another's key does not open it")
          .isEqualTo(404);
    }
  }

  @Test
  void an_auth_without_keys_lets_nobody_in() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      reload(bed, AuthOptions.NONE);
      for (String path : List.of("/api/servers", "/mcp", "/openapi.json", "/")) {
        assertThat(bed.send("GET", path, "").statusCode()).as(path).isEqualTo(401);
        assertThat(bed.send("GET", path, "", DoorBed.as(DoorBed.ROOT)).statusCode())
            .as(path)
            .isEqualTo(401);
      }
      assertThat(bed.everythingLogged())
          .contains("auth: the new configuration has no keys and no tokens");
      reload(bed, DoorBed.keys());
      assertThat(bed.send("GET", "/", "", DoorBed.as(DoorBed.ROOT)).body()).contains("mcpbus");
    }
  }
}
