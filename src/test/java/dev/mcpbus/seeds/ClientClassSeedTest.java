package dev.mcpbus.seeds;

import static dev.mcpbus.seeds.SeedBed.PLAIN;
import static dev.mcpbus.seeds.SeedBed.first;
import static dev.mcpbus.seeds.SeedBed.get;
import static dev.mcpbus.seeds.SeedBed.json;
import static dev.mcpbus.seeds.SeedBed.refused;
import static dev.mcpbus.seeds.SeedBed.text;
import static dev.mcpbus.seeds.SeedBed.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.CancellationToken;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.transport.HttpOptions;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A client class of its own for each connection, with the tools of a server alone. */
class ClientClassSeedTest extends SeedDocument {

  private static final JsonObject THREE_ATTEMPTS =
      json(
          "{'intensity':{'restarts':3,'period':'1h'},'reprobe':'1h',"
              + "'backoff':{'initial':10,'max':1000,'factor':2,'jitter':0}}");

  @Override
  String title() {
    return "MCP client class";
  }

  @Override
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.addAll(life());
    rows.addAll(protocol());
    rows.addAll(failures());
    return rows;
  }

  private static List<Row> life() {
    return List.of(
        new Row(
            "`connect()`, `disconnect()`, `isConnected()`",
            "`mcp.<id>.connect`, `mcp.<id>.disconnect`, `mcp.<id>.status`",
            "`server.connect`, `server.disconnect`, `server.status`",
            "`state().serves()` after each",
            ClientClassSeedTest::connects),
        new Row(
            "resources are cleaned up on disconnect",
            "`mcp.<id>.disconnect`",
            "`server.disconnect`",
            "the server has no client, no request is open",
            ClientClassSeedTest::cleansUp),
        new Row(
            "graceful termination: a proper disconnect notification",
            "`mcp.<id>.disconnect`",
            "`server.disconnect`",
            "DELETE of the session over HTTP",
            ClientClassSeedTest::saysGoodbye),
        new Row(
            "`AbortSignal` cancels calls",
            "`mcp.<id>.cancel`",
            "`CancellationToken`, `CallOptions.withCancel`, `server.callTool`",
            "the server's call ends, too",
            ClientClassSeedTest::cancelsCalls),
        new Row(
            "`AbortSignal` cancels connecting",
            "`mcp.servers.list`",
            "`CancellationToken`, `client.connectOnce`",
            "a server that never answers; its id is free",
            ClientClassSeedTest::cancelsConnecting),
        new Row(
            "health monitoring detects a server that is not available",
            "`mcp.<id>.events`",
            "configuration `ping`, event `healthCheckFailed`",
            "a server that falls silent",
            ClientClassSeedTest::noticesSilence),
        new Row(
            "connection loss: reconnects by itself",
            "`mcp.<id>.events`",
            "event `restarting`, `connected`",
            "a server that hangs up",
            ClientClassSeedTest::reconnects),
        new Row(
            "exponential back-off, 3 attempts at most",
            "`mcp.<id>.events`",
            "configuration `restart`, events `restarting`, `gaveUp`",
            "a server that is down: after 10, 20, 40 ms",
            ClientClassSeedTest::backsOff),
        new Row(
            "a server that is not available is handled gracefully",
            "`mcp.<id>.tools.call`, `mcp.<id>.connect`",
            "`server.callTool`, `server.connect`",
            "calls fail at once; it comes back by hand",
            ClientClassSeedTest::waitsForAHand));
  }

  private static boolean isConnected(SeedBed bed, String id) {
    return bed.ask("mcp." + id + ".status").getString("status").equals("connected")
        && get(bed.server(id).status()).state().serves();
  }

  private static void connects(SeedBed bed) {
    String id = bed.serve(bed.fake());
    assertThat(isConnected(bed, id)).isTrue();
    get(bed.server(id).disconnect());
    assertThat(isConnected(bed, id)).isFalse();
    get(bed.server(id).connect());
    until(() -> isConnected(bed, id));
    bed.ask("mcp." + id + ".disconnect", "{'wait':true}");
    assertThat(isConnected(bed, id)).isFalse();
    bed.ask("mcp." + id + ".connect");
    until(() -> isConnected(bed, id));
  }

  private static void cleansUp(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("a", "").hold("a");
    String id = bed.serve(Servers.transport(fake.transport()).drain(Duration.ofMillis(50)));
    Future<?> call = bed.bus().server(id).callTool("a", Map.of());
    until(() -> fake.openRequests().size() == 1);
    get(bed.server(id).disconnect());
    assertThat(refused(call).code()).isEqualTo(FailureCode.OUTCOME_UNKNOWN);
    until(() -> fake.connections() == 0 && fake.openRequests().isEmpty());
    assertThat(bed.ask("mcp." + id + ".disconnect").getString("state")).isEqualTo("IDLE");
  }

  private static void saysGoodbye(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      String one = bed.serve(Servers.http(http.url().toString()));
      String two = bed.serve(Servers.http(http.url().toString()));
      get(bed.server(one).disconnect());
      bed.ask("mcp." + two + ".disconnect");
      until(() -> http.requests("DELETE").size() == 2);
      assertThat(http.requests("DELETE").get(0).headers())
          .containsEntry("mcp-session-id", HttpSeed.SESSION);
    }
  }

  private static void cancelsCalls(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("a", "").hold("a");
    String id = bed.serve(fake);
    CancellationToken signal = new CancellationToken();
    CallOptions options = CallOptions.DEFAULT.withCancel(signal);
    Future<?> call = bed.server(id).callTool("a", Map.of(), options);
    until(() -> fake.openRequests().size() == 1);
    signal.cancel();
    assertThat(refused(call).code()).isEqualTo(FailureCode.CANCELLED);
    until(() -> fake.openRequests().isEmpty());
    Future<?> other =
        bed.send(
            "mcp." + id + ".tools.call",
            "{'name':'a'}",
            new DeliveryOptions().addHeader("call-id", "c1"));
    until(() -> fake.openRequests().size() == 1);
    bed.ask("mcp." + id + ".cancel", "{'callId':'c1'}");
    assertThat(refused(other).code()).isEqualTo(FailureCode.CANCELLED);
  }

  private static RawHttpServer silent() {
    return RawHttpServer.answering((request, peer) -> peer.silence());
  }

  private static void cancelsConnecting(SeedBed bed) {
    try (RawHttpServer http = silent()) {
      McpClient client = bed.client();
      CancellationToken signal = new CancellationToken();
      JsonObject entry = new JsonObject().put("url", http.url().toString());
      CallOptions options = CallOptions.DEFAULT.withCancel(signal);
      Future<?> connecting = client.connectOnce("x", entry, options);
      until(() -> !http.requests().isEmpty());
      signal.cancel();
      assertThat(refused(connecting).code()).isEqualTo(FailureCode.CANCELLED);
      assertThat(bed.ask("mcp.servers.list").getJsonArray("servers")).isEmpty();
    }
  }

  private static void noticesSilence(SeedBed bed) {
    FakeMcpServer fake = bed.fake();
    JsonObject ping = json("{'interval':'50ms','timeout':'200ms','threshold':2}");
    String id = bed.serve(Servers.transport(fake.transport()).set("ping", ping));
    bed.uses(new JsonObject().put("ping", ping));
    List<JsonObject> heard = bed.hear("mcp." + id + ".events");
    fake.freeze(true);
    first(heard, "healthCheckFailed");
    until(() -> !isConnected(bed, id));
    fake.freeze(false);
    until(() -> isConnected(bed, id));
  }

  private static void reconnects(SeedBed bed) {
    FakeMcpServer fake = bed.fake();
    String id = bed.serve(Servers.transport(fake.transport()).restart(THREE_ATTEMPTS));
    List<JsonObject> heard = bed.hear("mcp." + id + ".events");
    get(fake.disconnect());
    first(heard, "connected");
    assertThat(heard)
        .extracting(one -> one.getString("type"))
        .containsSubsequence("disconnected", "restarting", "connected");
    assertThat(bed.ask("mcp." + id + ".status").getLong("epoch")).isEqualTo(2);
  }

  /** A server that is down for good. */
  private static String down(SeedBed bed, FakeMcpServer fake) {
    String id = bed.serve(Servers.transport(fake.transport()).restart(THREE_ATTEMPTS));
    List<JsonObject> heard = bed.hear("mcp." + id + ".events");
    get(fake.refuseConnections(true).disconnect());
    first(heard, "gaveUp");
    assertThat(heard)
        .filteredOn(one -> one.getString("type").equals("restarting"))
        .extracting(one -> one.getLong("delay"))
        .containsExactly(10L, 20L, 40L);
    return id;
  }

  private static void backsOff(SeedBed bed) {
    String id = down(bed, bed.fake());
    bed.uses(new JsonObject().put("restart", THREE_ATTEMPTS));
    assertThat(bed.ask("mcp." + id + ".status").getString("status")).isEqualTo("failed");
  }

  private static void waitsForAHand(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("a", "back");
    String id = down(bed, fake);
    assertThat(bed.refused("mcp." + id + ".tools.call", "{'name':'a'}").sent())
        .isEqualTo(McpFailure.Sent.NO);
    fake.refuseConnections(false);
    get(bed.server(id).connect());
    bed.awaitState(id, "READY");
    assertThat(get(bed.server(id).callTool("a", Map.of())).text()).isEqualTo("back");
    bed.ask("mcp." + id + ".connect");
  }

  private static List<Row> protocol() {
    return List.of(
        new Row(
            "`negotiateCapabilities`: `initialize` with the client's, the server's are parsed",
            "`mcp.<id>.status`",
            "`server.status`",
            "both sides of one handshake",
            ClientClassSeedTest::negotiates),
        new Row(
            "protocol versions: one is agreed on, an unknown one is an error",
            "`mcp.<id>.status`",
            "`server.status`, configuration `protocolVersion`",
            "a server of each version, and of none",
            ClientClassSeedTest::agreesOnAVersion),
        new Row(
            "tools only: a server that advertises prompts is rejected with a clear error",
            "`mcp.<id>.status`",
            "configuration `toolsOnly`, `client.connectOnce`",
            "the error names prompts and the remedy",
            bed -> rejects(bed, "prompts")),
        new Row(
            "tools only: a server that advertises resources is rejected with a clear error",
            "`mcp.<id>.status`",
            "configuration `toolsOnly`, `client.connectOnce`",
            "the error names resources and the remedy",
            bed -> rejects(bed, "resources")),
        new Row(
            "tools only: a server without tools is rejected, too",
            "`mcp.<id>.status`",
            "configuration `toolsOnly`, `client.connectOnce`",
            "a server that offers nothing",
            ClientClassSeedTest::wantsTools),
        new Row(
            "tools only: a server with tools alone is accepted",
            "`mcp.<id>.tools.call`",
            "configuration `toolsOnly`",
            "its tool answers",
            ClientClassSeedTest::acceptsTools),
        new Row(
            "messages of a server are validated",
            "`mcp.<id>.tools.list`",
            "`FailureCode`, `server.listTools`",
            "a list that is no list",
            ClientClassSeedTest::validates));
  }

  private static void negotiates(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      String id = bed.serve(Servers.http(http.url().toString()).capabilities("sampling"));
      RawHttpServer.Request hello =
          http.requests("POST").stream().filter(one -> one.calls("initialize")).toList().get(0);
      JsonObject params = new JsonObject(hello.body()).getJsonObject("params");
      assertThat(params.fieldNames()).contains("protocolVersion", "clientInfo");
      assertThat(params.getJsonObject("capabilities").fieldNames()).contains("sampling");
      assertThat(get(bed.server(id).status()).capabilities().fieldNames()).containsExactly("tools");
      assertThat(bed.ask("mcp." + id + ".status").getJsonObject("server").getString("name"))
          .isEqualTo("http");
    }
  }

  private static void agreesOnAVersion(SeedBed bed) {
    for (String version : List.of("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")) {
      String id =
          bed.serve(Servers.transport(bed.fake().transport()).set("protocolVersion", version));
      assertThat(get(bed.server(id).status()).protocolVersion()).isEqualTo(version);
      assertThat(bed.ask("mcp." + id + ".status").getString("protocolVersion")).isEqualTo(version);
    }
    try (RawHttpServer http =
        RawHttpServer.answering(
            (request, peer) ->
                peer.json(
                    json("{'jsonrpc':'2.0','id':"
                            + request.id()
                            + ",'result':{'protocolVersion':'1.0','capabilities':{},"
                            + "'serverInfo':{'name':'x','version':'1'}}}")
                        .encode()))) {
      JsonObject entry =
          new JsonObject().put("url", http.url().toString()).put("protocolVersion", "2025-11-25");
      assertThat(refused(bed.client().connectOnce("x", entry, PLAIN)).code())
          .isEqualTo(FailureCode.UNSUPPORTED_VERSION);
    }
  }

  private static void rejects(SeedBed bed, String offered) {
    RawServer more =
        RawServer.of("more", "1")
            .handle(offered + "/list", (request, params) -> Future.succeededFuture());
    get(more.listen(bed.vertx(), "my." + offered));
    JsonObject entry = json("{'address':'my." + offered + "','toolsOnly':true}");
    bed.uses(entry);
    for (McpFailure rejected :
        List.of(
            refused(bed.client().connectOnce("x", entry, PLAIN)),
            refused(bed.client().connectToServer("more", entry)))) {
      assertThat(rejected.code()).isEqualTo(FailureCode.SCOPE_REJECTED);
      assertThat(rejected)
          .hasMessageContaining("offers " + offered)
          .hasMessageContaining("set \"toolsOnly\": false");
    }
    assertThat(bed.ask("mcp.more.status").getJsonObject("lastError").getString("code"))
        .isEqualTo("SCOPE_REJECTED");
    get(more.close());
  }

  private static void acceptsTools(SeedBed bed) {
    RawServer tools =
        RawServer.of("tools", "1")
            .tool(
                "a",
                "",
                json("{'type':'object'}"),
                (request, arguments) -> Future.succeededFuture(ToolResult.text("fine")));
    String id =
        bed.serve(
            Servers.transport(tools.inMemory(bed.vertx().getOrCreateContext())).toolsOnly(true));
    assertThat(text(bed.ask("mcp." + id + ".tools.call", "{'name':'a'}"))).isEqualTo("fine");
  }

  private static void validates(SeedBed bed) {
    RawServer odd =
        RawServer.of("odd", "1")
            .capability("tools", new JsonObject())
            .otherwise((request, params) -> Future.succeededFuture(json("{'tools':'none'}")));
    String id = bed.add(Servers.transport(odd.inMemory(bed.vertx().getOrCreateContext())));
    bed.awaitState(id, "READY");
    assertThat(bed.refused("mcp." + id + ".tools.list", "{}").code())
        .isEqualTo(FailureCode.PROTOCOL_ERROR);
    assertThat(refused(bed.server(id).listTools()).code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  private static List<Row> failures() {
    return List.of(
        new Row(
            "`TransportError`: network errors by their kind",
            "`mcp.<id>.status`",
            "`McpFailure`, `FailureCode`, `client.connectOnce`",
            "nobody listens, no such command, a connection that breaks",
            ClientClassSeedTest::hasTransportErrors),
        new Row(
            "`ProviderError`: protocol errors with what the server said",
            "`mcp.<id>.tools.call`",
            "`McpFailure`, `FailureCode`, `server.callTool`",
            "code, message and data of the server",
            ClientClassSeedTest::hasProviderErrors),
        new Row(
            "messages are actionable",
            "`mcp.tools.call`",
            "`McpFailure`, `client.callTool`, `client.connectOnce`",
            "a wrong name, a wrong key, no command",
            ClientClassSeedTest::saysWhatToDo),
        new Row(
            "error messages without secrets",
            "`mcp.<id>.status`",
            "`McpFailure`, `server.status`",
            "a token in the URL of a server that is down",
            ClientClassSeedTest::keepsSecrets),
        new Row(
            "connecting within 5 s",
            "`mcp.<id>.status`",
            "configuration `connectTimeout`, `client.connectOnce`",
            "the default; a time of the entry's own",
            ClientClassSeedTest::connectsInTime),
        new Row(
            "negotiating within 2 s, so that nothing is used up",
            "`mcp.<id>.status`",
            "configuration `handshakeTimeout`, `client.connectOnce`",
            "with the document's limits, a server that never answers `initialize`",
            ClientClassSeedTest::negotiatesInTime),
        new Row(
            "memory grows with the connections and no faster",
            "`mcp.servers.list`",
            "`McpBus.add`",
            "100 connections start no thread",
            ClientClassSeedTest::startsNoThreads),
        new Row(
            "rate limiting by the policies that there are",
            "",
            "configuration `auth`, `limits`",
            "429 at the bridge",
            ClientClassSeedTest::limitsRates));
  }

  private static void hasTransportErrors(SeedBed bed) {
    McpClient client = bed.client();
    String nobody = "http://127.0.0.1:" + RawHttpServer.refusingPort() + "/";
    assertThat(refused(client.connectOnce("a", json("{'url':'" + nobody + "'}"), PLAIN)).code())
        .isEqualTo(FailureCode.CONNECT_FAILED);
    assertThat(refused(client.connectOnce("b", json("{'command':'no-such'}"), PLAIN)).code())
        .isEqualTo(FailureCode.START_FAILED);
    FakeMcpServer fake = bed.fake().tool("a", "").hold("a");
    String id = bed.serve(fake);
    Future<?> call = bed.bus().server(id).callTool("a", Map.of());
    until(() -> fake.openRequests().size() == 1);
    get(fake.disconnect());
    assertThat(refused(call).code()).isEqualTo(FailureCode.UPSTREAM_RESET);
    assertThat(bed.ask("mcp." + id + ".status").getJsonObject("lastError").getString("code"))
        .isEqualTo("UPSTREAM_RESET");
  }

  private static void hasProviderErrors(SeedBed bed) {
    String id = bed.serve(bed.fake().refusingTool("a", -32050, "quota is used up"));
    McpFailure error = refused(bed.server(id).callTool("a", Map.of()));
    assertThat(error.code()).isEqualTo(FailureCode.UPSTREAM_ERROR);
    assertThat(error.isUpstream(-32050)).isTrue();
    assertThat(error).hasMessageContaining("quota is used up");
    assertThat(bed.refused("mcp." + id + ".tools.call", "{'name':'a'}").isUpstream(-32050))
        .isTrue();
  }

  private static void saysWhatToDo(SeedBed bed) {
    McpClient client = bed.client();
    String id = bed.serve(bed.fake().tool("status", ""));
    until(() -> get(bed.bus().client().listTools()).items().size() == 1);
    assertThat(bed.refused("mcp.tools.call", "{'name':'" + id + ".statsu'}"))
        .hasMessageContaining(id + ".status");
    assertThat(refused(client.callTool("nobody.status", Map.of(), PLAIN)).getMessage())
        .contains("nobody");
    assertThat(refused(client.connectOnce("x", json("{'comand':'y'}"), PLAIN)))
        .hasMessageContaining("Did you mean \"command\"");
    assertThat(refused(client.connectOnce("x", json("{'command':'no-such'}"), PLAIN)).getMessage())
        .contains("no-such", "PATH");
  }

  private static void keepsSecrets(SeedBed bed) {
    int port = RawHttpServer.refusingPort();
    Servers entry =
        Servers.http("http://127.0.0.1:" + port + "/?api_key=t0p-secret")
            .header("Authorization", "Bearer t0p-secret");
    String id = bed.add(entry);
    until(() -> bed.ask("mcp." + id + ".status").getValue("lastError") != null);
    String said = get(bed.server(id).status()).json().encode();
    assertThat(said).contains("CONNECT_FAILED").doesNotContain("t0p-secret");
    assertThat(get(bed.bus().server(id).config()).orElseThrow().encode())
        .doesNotContain("t0p-secret");
  }

  private static void connectsInTime(SeedBed bed) {
    assertThat(HttpOptions.of(URI.create("http://h/")).connectTimeout())
        .isEqualTo(Duration.ofSeconds(5));
    // A documentation address: packets to it go nowhere, or a route refuses them.
    JsonObject entry =
        json("{'url':'http://192.0.2.1:9/mcp','connectTimeout':'100ms','proxy':'none'}");
    bed.uses(entry);
    McpFailure late = refused(bed.client().connectOnce("x", entry, PLAIN));
    assertThat(late.code()).isEqualTo(FailureCode.CONNECT_FAILED);
    String id = bed.add(Servers.fromJson(entry));
    until(() -> bed.ask("mcp." + id + ".status").getValue("lastError") != null);
  }

  private static void negotiatesInTime(SeedBed bed) {
    assertThat(ConnectionOptions.DEFAULT.handshakeTimeout()).isPositive();
    try (RawHttpServer http = silent()) {
      JsonObject entry =
          json("{'toolsOnly':true,'connectTimeout':'5s','handshakeTimeout':'2s',"
                  + "'restart':{'intensity':{'restarts':3}}}")
              .put("url", http.url().toString());
      bed.uses(entry);
      McpFailure late = refused(bed.client().connectOnce("x", entry, PLAIN));
      assertThat(late.code()).isEqualTo(FailureCode.HANDSHAKE_TIMEOUT);
      String id = bed.add(Servers.fromJson(entry));
      until(() -> bed.ask("mcp." + id + ".status").getValue("lastError") != null);
    }
  }

  private static void startsNoThreads(SeedBed bed) {
    bed.serve(bed.fake());
    int before = Thread.activeCount();
    List<Future<?>> added = new ArrayList<>();
    FakeMcpServer fake = bed.fake().tool("a", "fine");
    for (int i = 0; i < 100; i++) {
      added.add(bed.bus().add("many-" + i, fake.transport()));
    }
    get(Future.all(added));
    get(bed.bus().awaitReady(Duration.ofSeconds(60)));
    assertThat(bed.ask("mcp.servers.list").getJsonArray("servers")).hasSize(101);
    assertThat(get(bed.bus().server("many-99").callTool("a", Map.of())).text()).isEqualTo("fine");
    assertThat(Thread.activeCount() - before).isLessThan(50);
  }

  private static void limitsRates(SeedBed bed) {
    McpBus bus =
        bed.apart(
            McpBus.Options.of()
                .with("auth", json("{'limits':{'rate':0.001,'burst':2}}"))
                .withPort(0));
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      statuses.add(Http.get(bus.port(), "/api/servers").status());
    }
    assertThat(statuses).containsExactly(200, 200, 429);
  }

  private static void wantsTools(SeedBed bed) {
    RawServer none = RawServer.of("none", "1").withoutCapability("tools");
    get(none.listen(bed.vertx(), "my.none"));
    JsonObject entry = json("{'address':'my.none','toolsOnly':true}");
    bed.uses(entry);
    McpFailure rejected = refused(bed.client().connectOnce("x", entry, PLAIN));
    assertThat(rejected.code()).isEqualTo(FailureCode.SCOPE_REJECTED);
    assertThat(rejected)
        .hasMessageContaining("offers no tools")
        .hasMessageContaining("set \"toolsOnly\": false");
    bed.ask("mcp.servers.add", new JsonObject().put("name", "y").put("config", entry));
    until(() -> bed.ask("mcp.y.status").getValue("lastError") != null);
    get(none.close());
  }
}
