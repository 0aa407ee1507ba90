package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both eras over HTTP, and how the handshake finds the era there. */
class HttpEraTest {

  private static final String TOOL =
      "\"result\":{\"tools\":[{\"name\":\"cut\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
          + "{\"where\":{\"type\":\"string\",\"x-mcp-header\":\"%s\"}}}}]}";

  private static void answer(
      RawHttpServer.Request request, RawHttpServer.Peer peer, String status, String member)
      throws IOException {
    peer.reply(
        status,
        "{\"jsonrpc\":\"2.0\",\"id\":" + request.id() + "," + member + "}",
        "content-type: application/json");
  }

  private static void discover(RawHttpServer.Request request, RawHttpServer.Peer peer)
      throws IOException {
    answer(
        request,
        peer,
        "200 OK",
        request.calls("tools/list") ? String.format(TOOL, "Where") : ScriptedPeer.DISCOVERED);
  }

  private static void initialize(RawHttpServer.Request request, RawHttpServer.Peer peer)
      throws IOException {
    if (request.calls("initialize")) {
      answer(request, peer, "200 OK", ScriptedPeer.INITIALIZED);
    } else if (request.id() < 0) {
      peer.reply("202 Accepted", "");
    } else {
      answer(request, peer, "200 OK", "\"result\":{\"tools\":[]}");
    }
  }

  /** A server of the {@code initialize} era, which refuses these requests without a reason. */
  private static RawHttpServer refusing(Predicate<RawHttpServer.Request> refused) {
    return RawHttpServer.answering(
        (request, peer) -> {
          if (request.calls("server/discover")) {
            answer(request, peer, "200 OK", ScriptedPeer.error(-32601, "what?"));
          } else if (refused.test(request)) {
            answer(request, peer, "200 OK", ScriptedPeer.error(-32000, "nope"));
          } else {
            initialize(request, peer);
          }
        });
  }

  private static TestBus bus(RawHttpServer server) {
    return bus(server, new JsonObject());
  }

  private static TestBus bus(RawHttpServer server, JsonObject more) {
    return TestBus.start(
        TestBus.server(
            "peer",
            new JsonObject()
                .put("url", server.url().toString())
                .put("listen", false)
                .put("handshakeTimeout", 3_000)
                .mergeIn(more)));
  }

  @Test
  void a_server_of_the_discover_era_gets_headers_that_repeat_the_body_and_no_session() {
    try (RawHttpServer server = RawHttpServer.answering(HttpEraTest::discover);
        TestBus bus = bus(server)) {
      assertThat(bus.awaitState("peer", "READY").getString("era")).isEqualTo("DISCOVER");
      bus.callTool("peer", "cut", new JsonObject().put("where", "h\u00e4lfte"));
      RawHttpServer.Request call =
          server.requests("POST").stream().filter(r -> r.calls("tools/call")).findFirst().get();
      assertThat(call.headers())
          .containsEntry("mcp-protocol-version", "2026-07-28")
          .containsEntry("mcp-method", "tools/call")
          .containsEntry("mcp-name", "cut")
          .containsEntry("mcp-param-where", "=?base64?aMOkbGZ0ZQ==?=")
          .doesNotContainKey("mcp-session-id");
      assertThat(server.requests("GET")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"400 Bad Request", "404 Not Found", "405 Method Not Allowed"})
  void a_4xx_without_an_error_of_the_modern_range_leads_to_initialize(String status) {
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls("server/discover")) {
                    peer.reply(status, "no such thing", "content-type: text/plain");
                  } else {
                    initialize(request, peer);
                  }
                });
        TestBus bus = bus(server)) {
      assertThat(bus.awaitState("peer", "READY").getString("era")).isEqualTo("INITIALIZE");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-32601, -32602, -32000})
  void a_json_rpc_error_outside_of_the_modern_range_leads_to_initialize(int code) {
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls("server/discover")) {
                    answer(request, peer, "400 Bad Request", ScriptedPeer.error(code, "what?"));
                  } else {
                    initialize(request, peer);
                  }
                });
        TestBus bus = bus(server)) {
      assertThat(bus.awaitState("peer", "READY").getString("era")).isEqualTo("INITIALIZE");
    }
  }

  @Test
  void a_connection_that_closes_on_the_probe_leads_to_initialize() {
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls("server/discover")) {
                    peer.close();
                  }
                  initialize(request, peer);
                });
        TestBus bus = bus(server)) {
      assertThat(bus.awaitState("peer", "READY").getString("era")).isEqualTo("INITIALIZE");
      assertThat(openings(server)).containsExactly("server/discover", "initialize");
    }
  }

  @Test
  void a_500_leads_to_one_initialize() {
    AtomicInteger initialized = new AtomicInteger();
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls("server/discover")) {
                    peer.reply("500 Internal Server Error", "oops", "content-type: text/plain");
                  } else {
                    initialized.addAndGet(request.calls("initialize") ? 1 : 0);
                    initialize(request, peer);
                  }
                });
        TestBus bus = bus(server)) {
      assertThat(bus.awaitState("peer", "READY").getString("era")).isEqualTo("INITIALIZE");
      assertThat(initialized).hasValue(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"401 Unauthorized", "403 Forbidden"})
  void a_demand_for_credentials_is_the_reason_of_the_failure(String status) {
    try (RawHttpServer server = RawHttpServer.answering((request, peer) -> peer.reply(status, ""));
        TestBus bus = bus(server)) {
      JsonObject down = bus.awaitState("peer", "FAILED", "RECONNECTING");
      assertThat(down.getJsonObject("lastError").getString("code"))
          .isEqualTo(status.startsWith("401") ? "AUTH_REQUIRED" : "FORBIDDEN");
      assertThat(server.requests("POST"))
          .noneMatch(request -> status.startsWith("401") && request.calls("initialize"));
    }
  }

  /** A gateway that lets only those methods pass which it knows. */
  @Test
  void a_probe_that_is_forbidden_leads_to_initialize() {
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls("server/discover")) {
                    peer.reply("403 Forbidden", "method is not allowed");
                  } else {
                    initialize(request, peer);
                  }
                });
        TestBus bus = bus(server)) {
      assertThat(bus.awaitState("peer", "READY").getString("era")).isEqualTo("INITIALIZE");
    }
  }

  @Test
  void silence_on_both_openings_is_an_outage() {
    try (RawHttpServer server = RawHttpServer.answering((request, peer) -> peer.silence());
        TestBus bus = bus(server, new JsonObject().put("handshakeTimeout", 200))) {
      JsonObject down = bus.awaitState("peer", "FAILED", "RECONNECTING");
      assertThat(down.getJsonObject("lastError").getString("code")).isEqualTo("HANDSHAKE_TIMEOUT");
    }
  }

  /** A server of the older era that is silent on the probe, or says nothing on its stream. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_silent_probe_gets_initialize_beside_it_and_the_next_start_does_not_probe(
      boolean stream, @TempDir Path state) {
    AtomicInteger givenUp = new AtomicInteger();
    try (RawHttpServer server =
        RawHttpServer.answering(
            (request, peer) -> {
              if (request.calls("server/discover")) {
                if (stream) {
                  peer.stream();
                  peer.chunk(": keep-alive\n\n");
                }
                try {
                  peer.silence();
                } finally {
                  givenUp.incrementAndGet();
                }
              }
              initialize(request, peer);
            })) {
      for (int start = 0; start < 2; start++) {
        try (TestBus bus = bus(server, state, 50)) {
          assertThat(bus.awaitState("peer", "READY").getString("era")).isEqualTo("INITIALIZE");
          Awaitility.await().until(() -> givenUp.get() == 1);
          Awaitility.await().until(() -> Files.exists(state.resolve("eras.json")));
        }
      }
      assertThat(openings(server)).containsExactly("server/discover", "initialize", "initialize");
    }
  }

  /** Whether the file says of the server which era it speaks. */
  private static boolean isKept(Path eras) throws IOException {
    return Files.exists(eras)
        && !new JsonObject(Files.readString(eras))
            .getJsonObject("servers")
            .getJsonObject("peer", new JsonObject())
            .isEmpty();
  }

  /** A wrong memory costs one attempt, and is corrected. */
  @Test
  void a_server_that_was_silent_and_speaks_the_next_era_now_is_found_again(@TempDir Path state) {
    AtomicBoolean better = new AtomicBoolean();
    try (RawHttpServer server =
        RawHttpServer.answering(
            (request, peer) -> {
              if (better.get() && request.calls("initialize")) {
                answer(request, peer, "200 OK", ScriptedPeer.error(-32601, "gone"));
              } else if (better.get()) {
                discover(request, peer);
              } else if (request.calls("server/discover")) {
                peer.silence();
              } else {
                initialize(request, peer);
              }
            })) {
      for (int start = 0; start < 3; start++) {
        try (TestBus bus = bus(server, state, start == 0 ? 50 : 5_000)) {
          boolean silent = start == 0;
          assertThat(bus.awaitState("peer", "READY").getString("era"))
              .isEqualTo(silent ? "INITIALIZE" : "DISCOVER");
          Awaitility.await().until(() -> isKept(state.resolve("eras.json")) == silent);
        }
        better.set(true);
      }
      assertThat(openings(server).stream().filter("initialize"::equals)).hasSize(2);
    }
  }

  /** One that is slow with both answers, whatever their order: that to the probe counts. */
  @ParameterizedTest
  @ValueSource(strings = {"server/discover", "initialize"})
  void a_slow_server_of_both_eras_is_spoken_to_in_the_next_one(String first) {
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch answered = new CountDownLatch(1);
    AtomicBoolean slow = new AtomicBoolean(true);
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  boolean opening = request.calls("server/discover") || request.calls("initialize");
                  boolean waits = slow.get() && opening;
                  if (waits) {
                    both.countDown();
                    await(both);
                    slow.set(false);
                    if (!request.calls(first)) {
                      await(answered);
                    }
                  }
                  if (request.calls("initialize")) {
                    initialize(request, peer);
                  } else {
                    discover(request, peer);
                  }
                  if (waits) {
                    answered.countDown();
                  }
                });
        TestBus bus = bus(server, new JsonObject().put("probeTimeout", 50))) {
      assertThat(bus.awaitState("peer", "READY").getString("era")).isEqualTo("DISCOVER");
      assertThat(openings(server).stream().filter("initialize"::equals)).hasSize(1);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static TestBus bus(RawHttpServer server, Path state, int probeTimeout) {
    return TestBus.startIn(
        state,
        TestBus.server(
            "peer",
            new JsonObject()
                .put("url", server.url().toString())
                .put("listen", false)
                .put("probeTimeout", probeTimeout)));
  }

  private static List<String> openings(RawHttpServer server) {
    return server.requests("POST").stream()
        .filter(request -> request.calls("server/discover") || request.calls("initialize"))
        .map(request -> request.calls("initialize") ? "initialize" : "server/discover")
        .toList();
  }

  @Test
  void the_health_check_finds_drift_and_then_a_malformed_answer() {
    AtomicReference<String> header = new AtomicReference<>("Where");
    AtomicReference<String> discovered = new AtomicReference<>(ScriptedPeer.DISCOVERED);
    JsonObject probe = new JsonObject().put("healthCheck", new JsonObject().put("interval", 50));
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  String listed = String.format(TOOL, header.get());
                  boolean lists = request.calls("tools/list");
                  String other = String.valueOf(discovered.get());
                  answer(request, peer, "200 OK", lists ? listed : other);
                });
        TestBus bus = bus(server, probe)) {
      bus.awaitState("peer", "READY");
      Awaitility.await().until(() -> bus.status("peer").getBoolean("toolsListed", false));
      header.set("Whither");
      bus.awaitEvent("peer", Events.SCHEMA_DRIFT);
      assertThat(bus.events(Events.SCHEMA_DRIFT).get(0).getString("message"))
          .contains("'cut' differs in inputSchema");
      assertThat(bus.events(Events.HEALTH_CHECK_FAILED)).isEmpty();

      discovered.set("\"result\":{\"supportedVersions\":[\"2031-01-01\"]}");
      bus.awaitEvent("peer", Events.HEALTH_CHECK_FAILED);
      JsonObject failed = bus.events(Events.HEALTH_CHECK_FAILED).get(0);
      assertThat(failed.getString("check")).isEqualTo("server/discover");
      assertThat(failed.getString("code")).isEqualTo("PROTOCOL_ERROR");
      assertThat(failed.getString("message")).contains("no longer speaks", "2031-01-01");
    }
  }

  /**
   * A server in Python behind a proxy that has started it anew: it answers pings before it is
   * initialized, and all else with an error that names no session.
   */
  @Test
  void a_server_that_answers_pings_and_refuses_its_list_gets_a_new_session() {
    AtomicBoolean lost = new AtomicBoolean();
    JsonObject probe = new JsonObject().put("healthCheck", new JsonObject().put("interval", 20));
    try (RawHttpServer server =
            refusing(
                request -> {
                  if (request.calls("initialize")) {
                    lost.set(false);
                  }
                  return lost.get() && request.calls("tools/list");
                });
        TestBus bus = bus(server, probe)) {
      bus.awaitState("peer", "READY");
      Awaitility.await().until(() -> bus.status("peer").getBoolean("toolsListed", false));
      lost.set(true);
      Awaitility.await()
          .until(() -> openings(server).stream().filter("initialize"::equals).count() == 2);
      bus.awaitState("peer", "READY");
      assertThat(lost).isFalse();
    }
  }

  /** Tools that cannot be listed from the beginning are no reason to begin again and again. */
  @Test
  void a_server_that_has_never_listed_its_tools_keeps_its_session() {
    AtomicInteger lists = new AtomicInteger();
    JsonObject probe = new JsonObject().put("healthCheck", new JsonObject().put("interval", 20));
    try (RawHttpServer server =
            refusing(request -> request.calls("tools/list") && lists.incrementAndGet() > 0);
        TestBus bus = bus(server, probe)) {
      bus.awaitState("peer", "READY");
      Awaitility.await().until(() -> lists.get() > 8);
      assertThat(openings(server).stream().filter("initialize"::equals)).hasSize(1);
    }
  }

  @Test
  void a_header_mismatch_leads_to_a_fresh_list_and_one_more_try() {
    AtomicBoolean refused = new AtomicBoolean();
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls("tools/list")) {
                    String header = refused.get() ? "New" : "Old";
                    answer(request, peer, "200 OK", String.format(TOOL, header));
                  } else if (request.calls("tools/call")
                      && !request.headers().containsKey("mcp-param-new")) {
                    refused.set(true);
                    answer(
                        request, peer, "400 Bad Request", ScriptedPeer.error(-32020, "mismatch"));
                  } else {
                    discover(request, peer);
                  }
                });
        TestBus bus = bus(server)) {
      bus.awaitState("peer", "READY");
      bus.callTool("peer", "cut", new JsonObject().put("where", "x"));
      // The catalog lists too, whenever it likes: what counts is the list between the two calls.
      List<String> order =
          server.requests("POST").stream()
              .filter(r -> r.calls("tools/call") || r.calls("tools/list"))
              .map(r -> r.calls("tools/call") ? "call" : "list")
              .toList();
      int first = order.indexOf("call");
      int last = order.lastIndexOf("call");
      assertThat(order).filteredOn("call"::equals).hasSize(2);
      assertThat(order.subList(first, last)).contains("list");
    }
  }

  /** What was requested before the server refused the call says nothing about its schema now. */
  @Test
  void a_list_that_was_under_way_at_a_header_mismatch_is_not_the_fresh_one() throws Exception {
    AtomicBoolean refused = new AtomicBoolean();
    AtomicReference<Callable<Void>> held = new AtomicReference<>();
    AtomicBoolean hold = new AtomicBoolean();
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls("tools/list")) {
                    String list = String.format(TOOL, refused.get() ? "New" : "Old");
                    if (hold.getAndSet(false)) {
                      held.set(
                          () -> {
                            answer(request, peer, "200 OK", list);
                            return null;
                          });
                    } else {
                      answer(request, peer, "200 OK", list);
                    }
                  } else if (request.calls("tools/call")
                      && !request.headers().containsKey("mcp-param-new")) {
                    refused.set(true);
                    answer(
                        request, peer, "400 Bad Request", ScriptedPeer.error(-32020, "mismatch"));
                  } else {
                    discover(request, peer);
                  }
                });
        TestBus bus = bus(server)) {
      bus.awaitState("peer", "READY");
      Awaitility.await().until(() -> bus.status("peer").getBoolean("toolsListed", false));
      hold.set(true);
      Future<JsonObject> list =
          bus.send(
              "mcp.peer.tools.list",
              new JsonObject(),
              new DeliveryOptions().addHeader(Headers.CACHE, "refresh"));
      Awaitility.await().until(() -> held.get() != null);
      Future<JsonObject> call =
          bus.send(
              "mcp.peer.tools.call",
              new JsonObject()
                  .put("name", "cut")
                  .put("arguments", new JsonObject().put("where", "x")),
              new DeliveryOptions());
      Awaitility.await().until(refused::get);
      Objects.requireNonNull(held.get()).call();
      TestBus.await(list);
      assertThat(TestBus.await(call)).isNotNull();
    }
  }

  @Test
  void a_lasting_header_mismatch_fails_the_call_after_a_second_try() {
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls("tools/call")) {
                    answer(
                        request, peer, "400 Bad Request", ScriptedPeer.error(-32020, "mismatch"));
                  } else {
                    discover(request, peer);
                  }
                });
        TestBus bus = bus(server)) {
      bus.awaitState("peer", "READY");
      McpFailure failure =
          bus.failure(
              TestBus.address("peer", Addresses.TOOLS_CALL),
              TestBus.toolCall("cut", new JsonObject()));
      assertThat(failure.data().getJsonObject("error").getInteger("code")).isEqualTo(-32020);
      assertThat(server.requests("POST").stream().filter(r -> r.calls("tools/call"))).hasSize(2);
    }
  }

  @Test
  void cancelling_closes_the_stream_and_sends_nothing() {
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls("tools/call")) {
                    peer.stream();
                    peer.chunk(": still here\n\n");
                    peer.silence();
                  } else {
                    discover(request, peer);
                  }
                });
        TestBus bus = bus(server)) {
      bus.awaitState("peer", "READY");
      Future<JsonObject> call =
          bus.send(
              TestBus.address("peer", Addresses.TOOLS_CALL),
              TestBus.toolCall("cut", new JsonObject()),
              new DeliveryOptions().addHeader(Headers.CALL_ID, "mine"));
      Awaitility.await()
          .until(() -> server.requests("POST").stream().anyMatch(r -> r.calls("tools/call")));
      int open = server.open();
      JsonObject cancelled =
          bus.request(
              TestBus.address("peer", Addresses.CANCEL), new JsonObject().put("callId", "mine"));
      assertThat(cancelled.getBoolean("cancelled")).isTrue();
      Awaitility.await().until(() -> server.open() < open);
      assertThat(call.failed()).isTrue();
      assertThat(List.copyOf(server.requests("POST")))
          .noneMatch(request -> request.calls("notifications/cancelled"));
    }
  }
}
