package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static dev.mcpbus.faults.DoorBed.ROOT;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Faults 96 to 109 at the front doors, through all of mcpbus. */
class DoorFaultsTest {

  /** Those of the MCP endpoint, the event bus and nobody; the others describe themselves. */
  private static final List<String> OTHERS =
      List.of(
          "GET /mcp",
          "POST /mcp",
          "DELETE /mcp",
          "POST /mcp/a",
          "POST /mcp/nobody",
          "GET /.well-known/oauth-protected-resource",
          "GET /.well-known/oauth-protected-resource/mcp",
          "GET /sse",
          "POST /sse?sessionId=x",
          "GET /eventbus/info",
          "GET /eventbus/websocket",
          "GET /unknown");

  private static String post(String path, String headers, String body) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n"
        + headers
        + "Content-Type: application/json\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  private static String callTool(String tool) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", 1)
        .put("method", "tools/call")
        .put("params", new JsonObject().put("name", tool).put("arguments", new JsonObject()))
        .encode();
  }

  @Test
  void case_96_no_route_of_any_door_answers_a_strange_host_or_origin() throws IOException {
    List<String> evil =
        List.of(
            "Host: evil.example\r\n",
            "",
            "Host: 127.0.0.1:PORT\r\nHost: evil.example\r\n",
            "Host: localhost.:PORT\r\n",
            "Host: 127.0.0.1:PORT\r\nOrigin: http://evil.example\r\n",
            "Host: 127.0.0.1:PORT\r\nOrigin: null\r\n");
    for (AuthOptions auth : List.of(AuthOptions.NONE, DoorBed.keys())) {
      try (DoorBed bed = new DoorBed(auth)) {
        List<String> routes = new ArrayList<>(OTHERS);
        bed.routes().forEach(route -> routes.add(route.method() + " " + route.path()));
        assertThat(routes).hasSizeGreaterThan(50);
        for (String route : routes) {
          for (String head : evil) {
            String answer =
                bed.raw(
                    route
                        + " HTTP/1.1\r\n"
                        + head
                        + "Authorization: Bearer "
                        + ROOT.key()
                        + "\r\nConnection: close\r\n\r\n");
            assertThat(answer).as(route + " " + head).startsWith("HTTP/1.1 403");
          }
        }
      }
    }
  }

  @Test
  void case_97_only_listed_origins_are_told_that_they_may() throws IOException {
    BridgeOptions options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0),
            Map.of("allowedHosts", Set.of(), "allowedOrigins", Set.of("https://app.example")));
    try (DoorBed bed = new DoorBed(options, AuthOptions.NONE)) {
      String body = callTool("read_one");
      assertThat(bed.raw(post("/mcp/a", "Origin: https://app.example\r\n", body)))
          .containsIgnoringCase("Access-Control-Allow-Origin: https://app.example");
      for (String other :
          List.of(
              "http://app.example",
              "https://app.example:444",
              "https://app.example.evil.example",
              "https://evil-app.example")) {
        assertThat(bed.raw(post("/mcp/a", "Origin: " + other + "\r\n", body)))
            .startsWith("HTTP/1.1 403")
            .doesNotContainIgnoringCase("Access-Control");
      }
    }
  }

  @Test
  void case_98_a_body_over_the_cap_is_refused_unread() throws Exception {
    BridgeOptions options =
        RecordCopy.with(BridgeOptions.DEFAULT.withPort(0), "maxBodyBytes", 1_000);
    try (DoorBed bed = new DoorBed(options, AuthOptions.NONE)) {
      List<String> paths = new ArrayList<>(List.of("/mcp", "/mcp/a"));
      bed.routes().stream().filter(DoorBed.Route::isPost).forEach(one -> paths.add(one.path()));
      assertThat(paths).contains("/rpc", "/api/servers/a/tools/read_one").hasSizeGreaterThan(20);
      // At a time: each answer ends when the door has listened for half a second more.
      ExecutorService clients = Executors.newFixedThreadPool(paths.size());
      try {
        Map<String, Future<String>> answers = new LinkedHashMap<>();
        paths.forEach(path -> answers.put(path, clients.submit(() -> bed.raw(tooLong(bed, path)))));
        for (Map.Entry<String, Future<String>> answer : answers.entrySet()) {
          assertThat(answer.getValue().get()).as(answer.getKey()).startsWith("HTTP/1.1 413");
        }
      } finally {
        clients.shutdownNow();
      }
    }
  }

  private static String tooLong(DoorBed bed, String path) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\n"
        + "X-Api-Key: "
        + bed.bus.bus().adminToken()
        + "\r\nContent-Length: 1000000\r\n\r\n{";
  }

  @Test
  void case_99_a_client_that_sends_too_slowly_is_cut_off() throws IOException {
    BridgeOptions options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0), "receiveTimeout", Duration.ofMillis(300));
    try (DoorBed bed = new DoorBed(options, DoorBed.keys())) {
      for (String slow :
          List.of(
              "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n",
              "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer "
                  + ROOT.key()
                  + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")) {
        assertThat(bed.raw(slow)).as("closed by the other side, unanswered").isEmpty();
      }
    }
  }

  @Test
  void case_101_paths_that_climb_or_hold_a_nul_are_nobodys() throws IOException {
    try (DoorBed bed = new DoorBed(AuthOptions.NONE)) {
      for (String path :
          List.of(
              "/health/../api/servers",
              "/health/%2e%2e/rpc",
              "/health/x/../../rpc",
              "/health/ready;/../../rpc",
              "/health/../eventbus/websocket",
              "/mcp/..%2f..%2fetc%2fpasswd",
              "/mcp/%00",
              "/mcp/a%00",
              "/mcp/../../etc/passwd",
              "/api/..%2f..%2fetc",
              "/api/servers/%00",
              "/api/servers/..%2fa")) {
        String answer = bed.raw(post(path, "", callTool("read_one")));
        assertThat(answer).as(path).startsWith("HTTP/1.1 400").doesNotContain("root:");
      }
    }
  }

  @Test
  void case_103_no_header_carries_a_line_break_and_no_audit_line_is_forged() throws IOException {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      String key = "Authorization: Bearer " + ROOT.key() + "\r\n";
      String split = bed.raw(post("/rpc", key + "X-A: a\rb: c\r\n", callTool("a:x")));
      assertThat(split).startsWith("HTTP/1.1 400");

      String evil = "a:\u001b[2Jread\n{\"principal\":\"root\"}\u202e\u0085";
      bed.send("POST", "/rpc", callTool(evil), as(ALICE));
      List<JsonObject> lines = bed.audit();
      assertThat(lines).hasSize(1);
      assertThat(lines.get(0).getString("principal")).isEqualTo("alice");
      assertThat(bed.log.list)
          .filteredOn(event -> event.getLoggerName().equals("dev.mcpbus.audit"))
          .allMatch(event -> event.getFormattedMessage().matches("[\\x20-\\x7e]+"));
    }
  }

  @Test
  void case_105_credentials_are_in_no_answer_and_no_log() throws IOException {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      List<String> seen = new ArrayList<>();
      seen.add(bed.send("GET", "/api/servers", "", as(ROOT)).body());
      seen.add(bed.send("GET", "/api/servers/a", "", as(ROOT)).body());
      seen.add(bed.send("GET", "/api/servers/zzz", "", as(ALICE)).body());
      seen.add(bed.send("POST", "/rpc", "nonsense " + ALICE.key(), as(ALICE)).body());
      seen.add(bed.send("GET", "/api/servers", "", "Authorization", "Basic " + BOB.key()).body());
      seen.add(bed.send("GET", "/api/servers?access_token=" + BOB.key(), "").body());
      seen.add(bed.mcp("/mcp").post(callTool("a__read_one"), as(BOB)).body());
      String all = String.join("\n", seen) + bed.everythingLogged();
      assertThat(all).doesNotContain(ROOT.key(), ALICE.key(), BOB.key());
      assertThat(all).doesNotContain(ROOT.hash(), ALICE.hash(), BOB.hash());
      assertThat(DoorBed.keys().toString()).doesNotContain("sha256");
    }
  }

  @Test
  void case_107_a_session_answers_nobody_but_who_began_it() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      McpHttp client = bed.mcp("/mcp");
      McpHttp.Answer opened =
          client.post(
              client.request(
                  "initialize",
                  new JsonObject()
                      .put("protocolVersion", "2025-11-25")
                      .put("capabilities", new JsonObject())
                      .put("clientInfo", new JsonObject().put("name", "t").put("version", "1"))),
              as(ALICE));
      assertThat(opened.status()).isEqualTo(200);
      String session = opened.header("mcp-session-id");
      JsonObject list = client.request("tools/list", new JsonObject());
      String[] mine = withSession(as(ALICE), session);
      String[] other = withSession(as(BOB), session);
      assertThat(client.post(list, mine).status()).isEqualTo(200);
      assertThat(client.post(list, other).status()).isEqualTo(404);
      assertThat(client.delete(other)).isEqualTo(404);
      assertThat(client.post(list, withSession(new String[0], session)).status()).isEqualTo(401);
      assertThat(client.post(list, mine).status()).isEqualTo(200);
    }
  }

  private static String[] withSession(String[] headers, String session) {
    return Stream.concat(
            Stream.of(headers),
            Stream.of("Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-11-25"))
        .toArray(String[]::new);
  }

  @Test
  void case_108_a_callers_credential_never_goes_upstream() {
    List<String> heard = new CopyOnWriteArrayList<>();
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      HttpServer upstream =
          TestBus.await(
              bed.bus
                  .vertx()
                  .createHttpServer()
                  .requestHandler(
                      request ->
                          request
                              .body()
                              .onSuccess(
                                  body -> {
                                    heard.add(request.uri() + request.headers() + body);
                                    if (body.length() == 0) {
                                      request.response().setStatusCode(405).end();
                                      return;
                                    }
                                    request
                                        .response()
                                        .putHeader("Content-Type", "application/json")
                                        .end(answer(body.toJsonObject()).toBuffer());
                                  }))
                  .listen(0, "127.0.0.1"));
      String url = "http://127.0.0.1:" + upstream.actualPort() + "/mcp";
      bed.bus.request(
          "mcp.servers.add",
          new JsonObject().put("name", "up").put("config", new JsonObject().put("url", url)));
      bed.bus.awaitState("up", "READY");
      HttpResponse<String> rest = bed.send("POST", "/api/servers/up/tools/echo", "{}", as(ALICE));
      assertThat(rest.body()).contains("heard you");
      McpHttp mcp = bed.mcp("/mcp/up");
      JsonObject call = mcp.described("tools/call", new JsonObject().put("name", "echo"));
      String[] headers =
          Stream.concat(Stream.of(as(ALICE)), Stream.of(McpHttp.headers(call)))
              .toArray(String[]::new);
      assertThat(mcp.post(call, headers).body()).contains("heard you");
      assertThat(heard).anyMatch(one -> one.contains("tools/call"));
      assertThat(heard).noneMatch(one -> one.contains(ALICE.key()));
      assertThat(heard).noneMatch(one -> one.toLowerCase(Locale.ROOT).contains("authorization"));
    }
  }

  private static JsonObject answer(JsonObject request) {
    JsonObject result =
        switch (request.getString("method", "")) {
          case "initialize" ->
              new JsonObject()
                  .put("protocolVersion", "2025-11-25")
                  .put("capabilities", new JsonObject().put("tools", new JsonObject()))
                  .put("serverInfo", new JsonObject().put("name", "up").put("version", "1"));
          case "tools/list" ->
              new JsonObject(
                  "{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}]}");
          case "tools/call" ->
              new JsonObject("{\"content\":[{\"type\":\"text\",\"text\":\"heard you\"}]}");
          default -> null;
        };
    JsonObject reply = new JsonObject().put("jsonrpc", "2.0").put("id", request.getValue("id"));
    return result == null
        ? reply.put("error", new JsonObject().put("code", -32601).put("message", "no"))
        : reply.put("result", result);
  }

  @Test
  void case_109_nothing_is_started_or_changed_without_the_admin_right() {
    for (AuthOptions auth : List.of(DoorBed.keys(), DoorBed.policies())) {
      try (DoorBed bed = new DoorBed(auth)) {
        String approve = "/api/servers/a/drift/approve";
        HttpResponse<String> refused = bed.send("POST", approve, "{}", as(BOB));
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(new JsonObject(refused.body()).getString("code")).isEqualTo("FORBIDDEN");
        String level =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"serverId\":\"a\","
                + "\"params\":{\"level\":\"debug\"}}";
        assertThat(bed.send("POST", "/rpc", level, as(BOB)).body()).contains("FORBIDDEN");
        assertThat(bed.send("POST", approve, "{}", as(ROOT)).statusCode()).isNotEqualTo(403);
        JsonObject before = bed.bus.request("mcp.servers.list", new JsonObject());
        String added = "{\"name\":\"evil\",\"config\":{\"command\":\"touch\",\"args\":[\"x\"]}}";
        List<DoorBed.Route> admin =
            bed.routes().stream().filter(route -> route.action().equals("admin")).toList();
        assertThat(admin)
            .extracting(route -> route.method() + " " + route.path())
            .contains(
                "POST /api/servers",
                "DELETE /api/servers/a",
                "POST /api/servers/a/connect",
                "POST /api/servers/a/disconnect",
                "POST /api/servers/a/restart",
                "GET /api/rpc-log");
        for (DoorBed.Route route : admin) {
          HttpResponse<String> answer =
              bed.send(route.method(), route.path(), route.isPost() ? added : "", as(BOB));
          assertThat(answer.statusCode()).as(route.toString()).isEqualTo(403);
          assertThat(answer.body()).as(route.toString()).contains("FORBIDDEN");
        }
        JsonObject after = bed.bus.request("mcp.servers.list", new JsonObject());
        assertThat(ids(after)).containsExactlyInAnyOrderElementsOf(ids(before)).hasSize(2);
        assertThat(bed.bus.status("a").getInteger("epoch")).isEqualTo(1);
        assertThat(bed.audit())
            .anyMatch(
                line ->
                    line.getString("principal").equals("bob")
                        && line.getString("action").equals("admin")
                        && line.getString("decision").equals("deny"));
      }
    }
  }

  private static List<String> ids(JsonObject list) {
    return list.getJsonArray("servers").stream()
        .map(one -> ((JsonObject) one).getString("id"))
        .toList();
  }

  /** The order of decision 13: each request breaks the rule of one guard and of all behind it. */
  @Test
  void the_first_guard_that_refuses_is_the_one_that_answers() throws IOException {
    String ours = "Host: 127.0.0.1:PORT\r\n";
    String strange = "Host: evil.example\r\n";
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      assertThat(answer(bed, "/health/../health/live", strange)).as("path").contains(" 400 ");
      assertThat(answer(bed, "/health/live", strange)).as("names").contains(" 403 ");
      assertThat(answer(bed, "/health/live", ours)).as("health").contains(" 200 ");
      assertThat(answer(bed, "/.well-known/oauth-protected-resource", ours))
          .as("how to get a token")
          .contains(" 404 ", "no tokens are taken here");
      assertThat(answer(bed, "/nowhere", ours)).as("who").contains(" 401 ");
      assertThat(answer(bed, "/nowhere", ours + "Authorization: Bearer " + BOB.key() + "\r\n"))
          .as("route")
          .contains(" 404 ", "no such path");
    }
  }

  private static String answer(DoorBed bed, String path, String headers) throws IOException {
    return bed.raw("GET " + path + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n");
  }

  @Test
  void beyond_the_limits_stands_429_and_when_to_come_back() {
    AuthOptions auth = RecordCopy.with(DoorBed.keys(), "limits", new Limits(0.001, 3, 0));
    try (DoorBed bed = new DoorBed(auth)) {
      for (int i = 0; i < 3; i++) {
        assertThat(bed.send("GET", "/api/servers", "", as(ALICE)).statusCode()).isEqualTo(200);
      }
      HttpResponse<String> late = bed.send("GET", "/api/servers", "", as(ALICE));
      assertThat(late.statusCode()).isEqualTo(429);
      assertThat(late.body()).contains("RATE_LIMITED");
      assertThat(late.headers().firstValue("Retry-After")).isPresent();
      assertThat(bed.mcp("/mcp").post(callTool("x"), as(ALICE)).status()).isEqualTo(429);
      assertThat(bed.send("GET", "/api/servers", "", as(BOB)).statusCode()).isEqualTo(200);
      assertThat(bed.send("GET", "/health/live", "").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void health_says_nothing_more_to_strangers() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      assertThat(bed.send("GET", "/health/ready", "").body()).isEqualTo("{\"status\":\"UP\"}\n");
      HttpResponse<String> stranger = bed.send("GET", "/api/servers", "");
      assertThat(stranger.statusCode()).isEqualTo(401);
      assertThat(stranger.headers().firstValue("WWW-Authenticate"))
          .hasValue("Bearer realm=\"mcpbus\"");
    }
  }
}
