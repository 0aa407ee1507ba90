package dev.mcpbus.bridge;

import static dev.mcpbus.bridge.BridgeFixture.ALPHA;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.BridgeFixture.Answer;
import dev.mcpbus.bridge.BridgeFixture.Seen;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.Standstill;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.Socket;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class BridgeVerticleTest {

  private static final String CALL = Addresses.of(ALPHA, Addresses.TOOLS_CALL);
  private static final String ODD =
      " {\"z\" :1.50e+2,\t\"a\":12345678901234567890123, \"\\u0061\":null,\"_meta\":{\"x\":[ ]},"
          + "\"content\":[{\"type\":\"later\",\"text\":\"\u00e9\u2028\"}]}";

  @Test
  void servers_are_listed_and_shown(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.service();

    assertThat(bridge.get("/api/servers").json().getJsonArray("servers")).hasSize(2);
    assertThat(bridge.get("/api/servers/beta").json().getString("state")).isEqualTo("FAILED");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ALPHA", "%20alpha", "alph%D0%B0", "alpha_"})
  void a_path_takes_a_name_as_written_and_goes_by_the_id(String name, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.service();

    assertThat(bridge.get("/api/servers/" + name).json().getString("id")).isEqualTo("alpha");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gamma", "%20", "a.b", "tools", "GAMMA", "alpha."})
  void an_unknown_or_impossible_id_is_a_problem_404(String id, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.service();

    Answer answer = bridge.get("/api/servers/" + id);

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.headers().get("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.json().getString("code")).isEqualTo("UNKNOWN_CONNECTION");
    assertThat(answer.json().getString("sent")).isEqualTo("no");
  }

  @Test
  void arguments_and_result_of_a_tool_pass_as_they_were_written(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(CALL, ODD);

    String arguments = "{ \"n\": 1.0E2,\"big\":123456789012345678901234567890 , \"n2\":-0}";
    Answer answer = bridge.post("/api/servers/alpha/tools/say%3Fit+%22now%22", arguments);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.headers().get("Content-Type")).isEqualTo("application/json");
    assertThat(answer.body()).isEqualTo(ODD);
    Seen seen = bridge.seen.get(0);
    assertThat(seen.body())
        .isEqualTo("{\"name\":\"say?it+\\\"now\\\"\",\"arguments\":" + arguments + "}");
    assertThat(seen.headers().get(Headers.VALIDATE)).isEqualTo("true");
    assertThat(seen.headers().get(Headers.CALL_ID)).isEqualTo("local/call-1");
    assertThat(seen.headers().contains(Headers.DEADLINE)).isFalse();
  }

  @Test
  void an_empty_body_means_no_arguments(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(CALL, "{}");

    assertThat(bridge.post("/api/servers/alpha/tools/t", "").status()).isEqualTo(200);
    assertThat(bridge.seen.get(0).body()).isEqualTo("{\"name\":\"t\",\"arguments\":{}}");
  }

  @ParameterizedTest
  @CsvSource({
    "/api/servers/alpha/tools,mcp.alpha.tools.list",
    "/api/servers/alpha/resources,mcp.alpha.resources.list",
    "/api/servers/alpha/resources/templates,mcp.alpha.resources.templates",
    "/api/servers/alpha/prompts,mcp.alpha.prompts.list",
    "/api/tools,mcp.tools.list",
    "/api/resources,mcp.resources.list",
    "/api/prompts,mcp.prompts.list"
  })
  void lists_pass_as_bytes(String path, String address, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(address, ODD);

    // Below it a line break, where mcpbus has put the list together.
    String body = ODD + (path.contains("alpha") ? "" : "\n");
    assertThat(bridge.get(path).body()).isEqualTo(body);
    assertThat(bridge.get(path + "?cursor=p%222").body()).isEqualTo(body);
    assertThat(bridge.seen.get(0).body()).isEqualTo("{}");
    assertThat(bridge.seen.get(1).body()).isEqualTo("{\"cursor\":\"p\\\"2\"}");
  }

  @Test
  void a_search_is_a_get_with_words_and_numbers(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp.tools.search", "{\"tools\":[],\"total\":0}");

    assertThat(bridge.get("/api/tools/search?q=a%20b&limit=3&server=x&server=y").body())
        .isEqualTo("{\"tools\":[],\"total\":0}\n");
    assertThat(bridge.get("/api/tools/search").status()).isEqualTo(200);
    assertThat(bridge.get("/api/tools/search?limit=many").status()).isEqualTo(400);
    assertThat(bridge.seen.stream().map(one -> one.body()))
        .containsExactly(
            "{\"query\":\"a b\",\"limit\":3,\"servers\":[\"x\",\"y\"]}", "{\"query\":\"\"}");
  }

  @Test
  void an_approval_is_a_post_with_tool_and_hash(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp.alpha.tools.approve", ODD);

    assertThat(bridge.postAsAdmin("/api/servers/alpha/drift/approve", "{\"tool\":\"t\"}").body())
        .isEqualTo(ODD);
    assertThat(bridge.seen.get(0).body()).isEqualTo("{\"tool\":\"t\"}");
    assertThat(bridge.get("/api/servers/alpha/drift/approve").status()).isEqualTo(405);
    assertThat(bridge.postAsAdmin("/api/servers/alpha/drift/approve", "[]").status())
        .isEqualTo(400);
    assertThat(bridge.seen).hasSize(1);
  }

  @Test
  void the_time_budget_and_the_trace_travel_and_a_principal_of_the_callers_making_does_not(
      Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(CALL, "{}");
    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap()
            .add("Timeout", "60000")
            .add("traceparent", trace)
            .add("principal", "root");

    bridge.send(HttpMethod.POST, "/api/servers/alpha/tools/t", "", headers);
    bridge.post("/api/servers/alpha/tools/t?timeout=30000", "");

    assertThat(timeLeft(bridge.seen.get(0))).isBetween(50_000, 60_000);
    assertThat(bridge.seen.get(0).headers().get(Headers.TRACEPARENT)).isEqualTo(trace);
    assertThat(Requester.of(bridge.seen.get(0).headers()))
        .extracting(Requester::name)
        .isEqualTo("local");
    assertThat(timeLeft(bridge.seen.get(1))).isBetween(20_000, 30_000);
  }

  /** The time that the request took before it was sent is not left. */
  private static int timeLeft(BridgeFixture.Seen seen) {
    return Integer.parseInt(seen.headers().get(Headers.DEADLINE));
  }

  @Test
  void the_connections_own_failure_arrives_also_after_the_deadline(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    McpFailure late = McpFailure.maybeSent(FailureCode.CALL_TIMEOUT, "no answer in 500 ms");
    vertx.eventBus().consumer(CALL, m -> vertx.setTimer(600, fired -> m.reply(late)));

    Answer answer = bridge.post("/api/servers/alpha/tools/t?timeout=500", "");

    assertThat(answer.status()).isEqualTo(504);
    assertThat(answer.json().getString("detail")).isEqualTo("no answer in 500 ms");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "soon", "1e3", "86400001", "99999999999999999999", "%20"})
  void a_timeout_that_is_none_is_refused(String timeout, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(CALL, "{}");

    Answer answer = bridge.post("/api/servers/alpha/tools/t?timeout=" + timeout, "");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().getString("detail")).startsWith("timeout: must be");
    assertThat(bridge.seen).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(FailureCode.class)
  void every_failure_has_its_status_and_problem(FailureCode code, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    JsonObject data = new JsonObject().put("path", "/a/0").put("status", "forged");
    bridge.on(CALL, new McpFailure(code, McpFailure.Sent.MAYBE, "what and why", 1_001, data));

    Answer answer = bridge.post("/api/servers/alpha/tools/t", "{}");

    assertThat(answer.status()).isEqualTo(code.httpStatus());
    assertThat(answer.headers().get("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.headers().get("Retry-After")).isEqualTo("2");
    String urn = "urn:mcpbus:" + code.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    assertThat(answer.json())
        .isEqualTo(
            new JsonObject()
                .put("path", "/a/0")
                .put("type", urn)
                .put("title", code.title())
                .put("status", code.httpStatus())
                .put("detail", "what and why")
                .put("code", code.name())
                .put("sent", "maybe")
                .put("retryAfter", 1_001));
  }

  @Test
  void an_error_of_the_server_keeps_its_code_and_data(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(CALL, McpFailure.upstream(new JsonRpcError(-7, "no", new JsonObject().put("k", 1))));

    Answer answer = bridge.post("/api/servers/alpha/tools/t", "{}");

    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.json().getJsonObject("error").getInteger("code")).isEqualTo(-7);
    assertThat(answer.headers().contains("Retry-After")).isFalse();
  }

  @Test
  void a_connection_without_a_consumer_is_unknown(Vertx vertx) {
    Answer answer = new BridgeFixture(vertx).post("/api/servers/alpha/tools/t", "{}");

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.json().getString("code")).isEqualTo("UNKNOWN_CONNECTION");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"{\"a\":1,}|7", "[1]|0", "{\"a\":tru}|5", "{} {}|3", "{\"a\":01}|6"})
  void malformed_arguments_are_refused_with_the_byte(String body, int position, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(CALL, "{}");

    Answer answer = bridge.post("/api/servers/alpha/tools/t", body);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().getInteger("position")).isEqualTo(position);
    assertThat(bridge.seen).isEmpty();
  }

  @Test
  void arguments_that_are_too_deep_are_over_a_limit(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    String body = "{\"a\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}";

    Answer answer = bridge.post("/api/servers/alpha/tools/t", body);

    assertThat(answer.status()).isEqualTo(413);
    assertThat(answer.json().getString("code")).isEqualTo("LIMIT_EXCEEDED");
  }

  @Test
  void unknown_paths_and_wrong_methods_are_problems(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);

    Answer unknown = bridge.get("/api/nothing");
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(unknown.json().getString("type")).isEqualTo("about:blank");
    Answer wrong = bridge.get("/rpc");
    assertThat(wrong.status()).isEqualTo(405);
    assertThat(wrong.headers().get("Allow")).isEqualTo("POST");
    assertThat(bridge.post("/api/tools", "{}").headers().get("Allow")).isEqualTo("GET");
    for (Answer answer : List.of(unknown, wrong)) {
      assertThat(answer.headers().get("Content-Type")).isEqualTo("application/problem+json");
      assertThat(answer.headers().get("X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(answer.headers().get("Cache-Control")).isEqualTo("no-store");
      assertThat(answer.headers().contains("Access-Control-Allow-Origin")).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/api/servers/%zz", "/%", "/api/servers/%c3%28/tools", "/api/tools?a=%zz"})
  void a_path_that_cannot_be_decoded_is_the_clients_fault(String path, Vertx vertx)
      throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);

    String answer =
        bridge.raw(
            "GET "
                + path
                + " HTTP/1.1\r\nHost: localhost:"
                + bridge.port
                + "\r\nConnection: close\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 4").contains("application/problem+json");
  }

  @Test
  void a_defect_is_a_bare_500(Vertx vertx) {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            BridgeOptions.DEFAULT.withPort(0),
            () -> {
              throw new IllegalStateException("canary");
            });

    for (Answer answer :
        List.of(
            bridge.get("/api/servers/alpha/tools"),
            bridge.post("/api/servers/alpha/tools/t", "{}"))) {
      assertThat(answer.status()).isEqualTo(500);
      assertThat(answer.json().getString("code")).isEqualTo("INTERNAL");
      assertThat(answer.body()).doesNotContain("canary", "IllegalState", "at dev.");
    }
  }

  @Test
  void a_strange_failure_of_the_bus_is_not_quoted(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    vertx.eventBus().consumer(CALL, m -> m.fail(7, "canary"));

    Answer answer = bridge.post("/api/servers/alpha/tools/t", "{}");

    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.body()).doesNotContain("canary");
  }

  @Test
  void liveness_requires_no_caller_and_readiness_the_service(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);

    assertThat(bridge.get("/health/live").status()).isEqualTo(200);
    Answer early = bridge.get("/health/ready");
    assertThat(early.status()).isEqualTo(503);
    assertThat(early.headers().get("Retry-After")).isEqualTo("1");

    bridge.readiness.tell(List.of(), List.of(), 0);
    Answer ready = bridge.get("/health/ready");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.body()).isEqualTo("{\"status\":\"UP\"}\n");
    assertThat(
            bridge.raw(
                "HEAD /health/ready HTTP/1.1\r\nHost: localhost:"
                    + bridge.port
                    + "\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200 ")
        .endsWith("\r\n\r\n");

    bridge.readiness.tell(List.of("no quorum", "no labels"), List.of(), 0);
    Answer poor = bridge.get("/health/ready");
    assertThat(poor.status()).isEqualTo(503);
    assertThat(poor.json().getString("detail")).isEqualTo("no quorum; no labels");
    bridge.readiness.withdraw();
    assertThat(bridge.get("/health/ready").json().getString("detail")).contains("not started");
  }

  @Test
  void doors_that_are_open_before_the_start_is_complete_refuse_as_not_sent(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.readiness.starting();
    bridge.readiness.tell(List.of(), List.of(), 0);

    for (String path : List.of("/api/servers", "/mcp", "/health/ready")) {
      Answer refused = bridge.get(path);
      assertThat(refused.status()).as(path).isEqualTo(503);
      assertThat(refused.json().getString("code")).isEqualTo("UNAVAILABLE");
      assertThat(refused.json().getString("sent")).isEqualTo("no");
    }
    assertThat(bridge.get("/health/live").status()).isEqualTo(200);

    bridge.readiness.started();
    assertThat(bridge.get("/health/ready").status()).isEqualTo(200);
    assertThat(bridge.get("/openapi.json").status()).isEqualTo(200);
  }

  @Test
  void health_is_two_paths_and_two_methods(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);

    Answer post = bridge.post("/health/live", "{}");
    assertThat(post.status()).isEqualTo(405);
    assertThat(post.headers().get("Allow")).isEqualTo("GET, HEAD");
    for (String other :
        List.of("/health", "/health/", "/health/live/", "/health/x", "/Health/live")) {
      assertThat(bridge.get(other).status()).as(other).isEqualTo(404);
    }
  }

  @Test
  void a_service_that_says_nothing_for_five_seconds_is_not_ready() {
    AtomicLong nanos = new AtomicLong();
    Readiness readiness = new Readiness(nanos::get);
    assertThat(readiness.problems()).isNull();

    readiness.tell(List.of(), List.of(), 0);
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    assertThat(readiness.problems()).isEmpty();
    nanos.incrementAndGet();
    assertThat(readiness.problems()).isNull();
  }

  @Test
  void why_it_is_not_ready_is_for_administrators(Vertx vertx) throws IOException {
    ApiKeys.Fresh root = ApiKeys.generate(new SecureRandom());
    ApiKeys.Fresh alice = ApiKeys.generate(new SecureRandom());
    ApiKeys.Fresh old = ApiKeys.generate(new SecureRandom());
    AuthOptions keys =
        TestOptions.ofKeys(
            List.of(
                new AuthOptions.ApiKey("root", root.hash(), Set.of(), true, null, null),
                new AuthOptions.ApiKey("old", old.hash(), Set.of(), true, Instant.EPOCH, null),
                new AuthOptions.ApiKey("alice", alice.hash(), Set.of(), false, null, null)));
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            new AccessControl(
                keys, InstantSource.system(), System::nanoTime, new SecureRandom(), () -> 0));
    bridge.readiness.tell(List.of("no quorum"), List.of(), 0);

    for (String stranger : List.of("", "wrong", ApiKeys.PREFIX + "wrong", alice.key())) {
      assertThat(ready(bridge, stranger))
          .as(stranger)
          .startsWith("HTTP/1.1 503 ")
          .doesNotContain("no quorum");
    }
    assertThat(ready(bridge, root.key())).startsWith("HTTP/1.1 503 ").contains("no quorum");

    String name = "\r\nX-Api-Key: ";
    assertThat(health(bridge, name + root.key())).contains("no quorum");
    assertThat(health(bridge, name + old.key())).as("over").doesNotContain("no quorum");
    assertThat(health(bridge, name + root.key() + name + root.key()))
        .as("two are none")
        .startsWith("HTTP/1.1 503 ")
        .doesNotContain("no quorum");
    bridge.readiness.tell(List.of(), List.of("a file differs"), 3);
    assertThat(ready(bridge, root.key())).startsWith("HTTP/1.1 200 ").contains("a file differs");
    for (String stranger : List.of("", "wrong", alice.key(), old.key())) {
      assertThat(ready(bridge, stranger))
          .as(stranger)
          .startsWith("HTTP/1.1 200 ")
          .endsWith("{\"status\":\"UP\"}\n");
    }
    bridge.readiness.tell(List.of("no quorum"), List.of(), 0);
    bridge.readiness.leave();
    assertThat(ready(bridge, "")).contains("this node is ending").doesNotContain("no quorum");
  }

  private static String ready(BridgeFixture bridge, String key) throws IOException {
    return health(bridge, key.isEmpty() ? "" : "\r\nAuthorization: Bearer " + key);
  }

  private static String health(BridgeFixture bridge, String headers) throws IOException {
    return bridge.raw(
        "GET /health/ready HTTP/1.1\r\nHost: localhost:"
            + bridge.port
            + headers
            + "\r\nConnection: close\r\n\r\n");
  }

  @Test
  void a_new_node_beside_others_refuses_what_has_waited(Vertx vertx) throws Exception {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.service();
    for (int nodes : List.of(0, 1, 2)) {
      bridge.readiness.started();
      bridge.readiness.tell(List.of(), List.of(), nodes);
      String answer;
      try (Socket socket = bridge.connect()) {
        try (Standstill standstill = new Standstill(vertx)) {
          BridgeFixture.write(
              socket,
              "GET /api/servers HTTP/1.1\r\nHost: localhost:"
                  + bridge.port
                  + "\r\nConnection: close\r\n\r\n");
          standstill.last(Duration.ofMillis(1_500));
        }
        answer = BridgeFixture.readAll(socket);
      }
      if (nodes < 2) {
        assertThat(answer).startsWith("HTTP/1.1 200 ");
      } else {
        assertThat(answer)
            .startsWith("HTTP/1.1 503 ")
            .contains("\"OVERLOADED\"", "\"no\"", "Retry-After: 1")
            .containsIgnoringCase("this node has just started");
      }
    }
  }
}
