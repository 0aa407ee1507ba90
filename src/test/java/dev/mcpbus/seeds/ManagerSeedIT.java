package dev.mcpbus.seeds;

import static dev.mcpbus.seeds.SeedBed.PLAIN;
import static dev.mcpbus.seeds.SeedBed.get;
import static dev.mcpbus.seeds.SeedBed.json;
import static dev.mcpbus.seeds.SeedBed.named;
import static dev.mcpbus.seeds.SeedBed.names;
import static dev.mcpbus.seeds.SeedBed.refused;
import static dev.mcpbus.seeds.SeedBed.text;
import static dev.mcpbus.seeds.SeedBed.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.service.tool.ToolProviderRequest;
import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.ai.FrameworkOptions;
import dev.mcpbus.ai.langchain4j.McpBusToolProvider;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.CancellationToken;
import dev.mcpbus.client.ElicitationAnswer;
import dev.mcpbus.client.ElicitationRequest;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.client.ServerDiagnostics;
import dev.mcpbus.client.ServerStatus;
import dev.mcpbus.client.ServerSummary;
import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import dev.mcpbus.testing.Entries;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.testing.Pids;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.ToolScript;
import dev.mcpbus.transport.Authenticator;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** The manager of many connections, by which MCPJam's inspector reaches its servers. */
class ManagerSeedIT extends SeedDocument {

  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";
  private static final JsonObject FORM =
      json(
          "{'message':'Who?','requestedSchema':{'type':'object','properties':"
              + "{'name':{'type':'string'}},'required':['name']}}");
  private static final JsonObject ADA = json("{'name':'Ada'}");

  @Override
  String title() {
    return "MCPClientManager";
  }

  @Override
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.addAll(configuration());
    rows.addAll(connections());
    rows.addAll(calls());
    rows.addAll(questions());
    return rows;
  }

  private static List<Row> configuration() {
    return List.of(
        new Row(
            "`new MCPClientManager(servers, options)`, also with no servers",
            "`mcp.servers.list`",
            "`McpBus.start`, `client.listServers`",
            "one bus with two servers, one with none",
            ManagerSeedIT::starts),
        new Row(
            "several servers by unique ids",
            "`mcp.servers.add`",
            "`McpBus.Options.withServer`, `client.addServer`",
            "two servers with a tool of the same name, and an id twice",
            ManagerSeedIT::hasUniqueIds),
        new Row(
            "stdio by `command`, `args`, `env`, with the default environment",
            "`mcp.servers.add`",
            "`client.listServers`, configuration `command`, `args`, `env`",
            "a real server over stdio says its environment",
            ManagerSeedIT::runsACommand),
        new Row(
            "stdio: manages stdin, stdout and stderr",
            "`mcp.<id>.logs`",
            "`ServerDiagnostics.logs`",
            "what a real server says on stderr",
            ManagerSeedIT::keepsStderr),
        new Row(
            "HTTP by `url`, `requestInit` headers",
            "`mcp.servers.add`",
            "`client.connectToServer`, configuration `url`, `requestInit`, `headers`",
            "the header of each request at the server",
            ManagerSeedIT::sendsHeaders),
        new Row(
            "Streamable HTTP first, SSE as fall-back",
            "`mcp.<id>.status`",
            "`server.status`, configuration `url`",
            "two real servers that speak one of them",
            ManagerSeedIT::fallsBackToSse),
        new Row(
            "the same where the refusal has a JSON-RPC body",
            "`mcp.<id>.status`",
            "`server.status`, configuration `url`",
            "the path /sse of another mcpbus",
            ManagerSeedIT::fallsBackWhateverTheBody),
        new Row(
            "SSE at once by `preferSSE: true`, or a URL that ends in `/sse`",
            "`mcp.<id>.status`",
            "`server.status`, configuration `preferSSE`",
            "the only requests of a server over HTTP+SSE",
            ManagerSeedIT::prefersSse),
        new Row(
            "`eventSourceInit`: headers of the event stream",
            "`mcp.servers.add`",
            "configuration `eventSourceInit`",
            "at the GET, and not at the POST",
            ManagerSeedIT::sendsStreamHeaders),
        new Row(
            "`reconnectionOptions`: delays and attempts",
            "`mcp.<id>.status`, `mcp.events`",
            "configuration `reconnectionOptions`, event `restarting`",
            "two more attempts at a server that is down, 10 and 15 ms later",
            ManagerSeedIT::reconnectsByOptions),
        new Row(
            "a stream that breaks comes back where it ended",
            "`mcp.<id>.tools.call`",
            "`server.callTool`",
            "`Last-Event-ID` at the server, and one call",
            ManagerSeedIT::resumesStreams),
        new Row(
            "`authProvider`: OAuth",
            "`mcp.servers.add`",
            "`client.connectToServer`, configuration `oauth`",
            "a server that takes no request without a token",
            ManagerSeedIT::logsIn),
        new Row(
            "`authProvider`: an object of the program",
            "`mcp.servers.list`",
            "`McpBus.Options.withCredentials`",
            "its header at the server",
            ManagerSeedIT::asksTheProgram),
        new Row(
            "`sessionId`: a session that the server has; a new one where it does not know it",
            "`mcp.<id>.status`",
            "`server.sessionId`, configuration `sessionId`",
            "both at the server",
            ManagerSeedIT::goesOnWithASession),
        new Row(
            "`version` of the client",
            "`mcp.servers.add`",
            "configuration `version`",
            "accepted; the handshake names mcpbus",
            ManagerSeedIT::takesAVersion),
        new Row(
            "`getSessionIdByServer`: nothing where there is none",
            "`mcp.<id>.status`",
            "`server.sessionId`",
            "over HTTP, in memory, an unknown id",
            ManagerSeedIT::knowsTheSession),
        new Row(
            "`capabilities` to advertise",
            "`mcp.servers.add`",
            "configuration `capabilities`",
            "what the handshake says at the server",
            ManagerSeedIT::advertises),
        new Row(
            "`timeout`, 120 s by default",
            "`mcp.<id>.tools.call`",
            "`CallOptions.timeout`, `server.callTool`, configuration `timeout`",
            "of the entry, of one call, the default",
            ManagerSeedIT::timesOut),
        new Row(
            "`onError`",
            "`mcp.<id>.events`",
            "`server.onEvent`, event `disconnected`",
            "a server that goes away",
            ManagerSeedIT::tellsErrors),
        new Row(
            "`defaultLogJsonRpc: true`: the global default",
            "`mcp.rpc`",
            "`McpBus.Options.withRpcLog`, configuration `rpcLog`",
            "servers of the start and of later, over any transport",
            ManagerSeedIT::logsAll),
        new Row(
            "`rpcLogger`: a logger of the program gets `direction`, `message`, `serverId`",
            "`mcp.rpc`",
            "`Servers.rpcLog`",
            "both directions of a call",
            ManagerSeedIT::logsToTheProgram),
        new Row(
            "`logJsonRpc`, per server",
            "`mcp.rpc`",
            "`McpBus.add`, configuration `logJsonRpc`",
            "one of two servers, by the document's own key",
            ManagerSeedIT::logsOne));
  }

  private static void starts(SeedBed bed) {
    Vertx vertx = Vertx.vertx();
    McpBus two =
        bed.apart(
            vertx,
            McpBus.Options.of()
                .withServer("filesystem", Servers.bus("nowhere").lazy(true))
                .withServer(
                    "asana", Servers.transport(FakeMcpServer.create(vertx, "asana").transport())));
    assertThat(get(bed.client(two).listServers())).containsExactlyInAnyOrder("filesystem", "asana");
    assertThat(bed.ask(two, Addresses.SERVERS_LIST, "{}").getJsonArray("servers")).hasSize(2);
    assertThat(get(bed.client().listServers())).isEmpty();
  }

  private static void hasUniqueIds(SeedBed bed) {
    for (String id : List.of("one", "two")) {
      get(bed.bus().add(id, bed.fake().tool("who", "I am " + id).transport()));
    }
    assertThat(get(bed.server("one").callTool("who", Map.of())).text()).isEqualTo("I am one");
    assertThat(get(bed.server("two").callTool("who", Map.of())).text()).isEqualTo("I am two");
    assertThat(bed.refused("mcp.servers.add", "{'name':'one','config':{'address':'x'}}").code())
        .isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(refused(bed.client().addServer("two", Servers.bus("x"))))
        .hasMessageContaining("exists already");
  }

  private static JsonObject everything() {
    return NpmServers.stdio(EVERYTHING);
  }

  private static void runsACommand(SeedBed bed) {
    JsonObject entry = everything().put("env", json("{'DEBUG':'seed-1'}"));
    String id = bed.serve(entry);
    JsonObject again = new JsonObject().put("name", "again").put("config", entry);
    bed.ask("mcp.servers.add", again);
    bed.awaitState("again", "READY");
    for (String each : List.of(id, "again")) {
      String said = text(bed.ask("mcp." + each + ".tools.call", "{'name':'get-env'}"));
      assertThat(said).contains("\"DEBUG\": \"seed-1\"", "\"PATH\":");
    }
    assertThat(get(bed.client().listServers())).containsExactlyInAnyOrder(id, "again");
  }

  private static void keepsStderr(SeedBed bed) {
    String id = bed.serve(everything());
    until(() -> bed.ask("mcp." + id + ".logs").encode().contains("Starting default (STDIO)"));
    assertThat(get(ServerDiagnostics.of(bed.server(id)).logs()).encode()).contains("\"stderr\"");
  }

  private static void sendsHeaders(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      JsonObject entry =
          new JsonObject()
              .put("url", http.url().toString())
              .put("requestInit", json("{'headers':{'Authorization':'Bearer asana'}}"));
      bed.uses(entry);
      JsonObject named = new JsonObject().put("name", "asana").put("config", entry);
      bed.ask("mcp.servers.add", named);
      get(bed.client().connectToServer("again", entry));
      bed.awaitState("asana", "READY");
      assertThat(http.requests("POST"))
          .hasSizeGreaterThan(3)
          .allSatisfy(
              one -> assertThat(one.headers()).containsEntry("authorization", "Bearer asana"));
    }
  }

  private static NpmServers.Running listening(String mode) {
    return NpmServers.listening(NpmServers.freePort(), Map.of("PORT", "PORT"), EVERYTHING, mode);
  }

  private static String wire(SeedBed bed, String id) {
    String wire = wire(bed.ask("mcp." + id + ".status"));
    assertThat(wire(get(bed.server(id).status()).json())).isEqualTo(wire);
    return wire;
  }

  private static String wire(JsonObject status) {
    return status.getJsonObject("transport").getString("wire", "");
  }

  private static void fallsBackToSse(SeedBed bed) {
    try (NpmServers.Running streamable = listening("streamableHttp");
        NpmServers.Running sse = listening("sse")) {
      String first = bed.serve(Servers.http(streamable.url("/mcp")));
      String second = bed.serve(Servers.http(sse.url("/sse")).set("type", "http"));
      assertThat(wire(bed, first)).isEmpty();
      assertThat(wire(bed, second)).isEqualTo("HTTP+SSE");
      assertThat(get(bed.server(second).callTool("echo", Map.of("message", "hi"))).text())
          .contains("hi");
    }
  }

  private static void prefersSse(SeedBed bed) {
    try (NpmServers.Running sse = listening("sse")) {
      String byUrl = bed.serve(Servers.http(sse.url("/sse")));
      String forced = bed.serve(Servers.http(sse.url("/sse?")).set("preferSSE", true));
      assertThat(wire(bed, byUrl)).isEqualTo("HTTP+SSE");
      assertThat(wire(bed, forced)).isEqualTo("HTTP+SSE");
    }
    try (RawHttpServer http = HttpSeed.start()) {
      bed.add(Servers.http(http.url().toString()).set("preferSSE", true));
      until(() -> !http.requests("GET").isEmpty());
      assertThat(http.requests("POST")).isEmpty();
    }
  }

  private static void logsIn(SeedBed bed) {
    try (OAuthWorld world = new OAuthWorld(bed.vertx())) {
      JsonObject entry =
          new JsonObject()
              .put("url", world.url().toString())
              .put("listen", false)
              .put(
                  "oauth",
                  json("{'grant':'client_credentials','clientId':'m','clientSecret':'s'}"));
      bed.uses(entry);
      McpServerClient asana = get(bed.client().connectToServer("asana", entry));
      get(asana.ping(PLAIN));
      assertThat(world.grants("client_credentials")).hasSize(1);
      JsonObject named = new JsonObject().put("name", "again").put("config", entry);
      bed.ask("mcp.servers.add", named);
      bed.awaitState("again", "READY");
    }
  }

  private static void asksTheProgram(SeedBed bed) {
    Authenticator own =
        new Authenticator() {
          @Override
          public Future<Map<String, Sensitive>> headers() {
            return Future.succeededFuture(Map.of("Authorization", Sensitive.of("Bearer own")));
          }

          @Override
          public Future<Boolean> challenged(Challenge challenge) {
            return Future.succeededFuture(false);
          }
        };
    try (RawHttpServer http = HttpSeed.start()) {
      McpBus bus =
          bed.apart(
              McpBus.Options.of()
                  .withServer("docs", Servers.http(http.url().toString()))
                  .withCredentials((server, url) -> server.equals("docs") ? own : null));
      get(bus.awaitReady(Duration.ofSeconds(60)));
      assertThat(bed.ask(bus, "mcp.servers.list", "{}").encode()).doesNotContain("Bearer own");
      assertThat(http.requests("POST"))
          .isNotEmpty()
          .allSatisfy(
              one -> assertThat(one.headers()).containsEntry("authorization", "Bearer own"));
    }
  }

  private static void knowsTheSession(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      String id = bed.serve(Servers.http(http.url().toString()));
      assertThat(get(bed.server(id).sessionId())).contains(HttpSeed.SESSION);
      assertThat(bed.ask("mcp." + id + ".status").getString("sessionId"))
          .isEqualTo(HttpSeed.SESSION);
      assertThat(get(bed.server(bed.serve(bed.fake())).sessionId())).isEmpty();
      assertThat(get(bed.server("unknown").sessionId())).isEmpty();
    }
  }

  private static void advertises(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      String config = "{'url':'" + http.url() + "','capabilities':['elicitation']}";
      bed.uses(json(config));
      bed.ask("mcp.servers.add", "{'name':'asked','config':" + config + "}");
      bed.awaitState("asked", "READY");
      assertThat(http.requests("POST").stream().filter(one -> one.calls("initialize")))
          .singleElement()
          .satisfies(
              one ->
                  assertThat(new JsonObject(one.body()).getJsonObject("params").encode())
                      .contains("\"capabilities\":{\"elicitation\":{"));
    }
  }

  private static void timesOut(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("slow", "at last").hold("slow");
    String id = bed.serve(Servers.transport(fake.transport()).timeout(Duration.ofMillis(300)));
    assertThat(bed.refused("mcp." + id + ".tools.call", "{'name':'slow'}").code())
        .isEqualTo(FailureCode.CALL_TIMEOUT);
    String patient = bed.serve(bed.fake().tool("slow", "at last").hold("slow"));
    CallOptions brief = CallOptions.timeout(Duration.ofMillis(50));
    assertThat(refused(bed.server(patient).callTool("slow", Map.of(), brief)).code())
        .isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(ConnectionOptions.DEFAULT.requestTimeout()).isEqualTo(Duration.ofMinutes(2));
  }

  private static void tellsErrors(SeedBed bed) {
    FakeMcpServer fake = bed.fake();
    String id = bed.serve(fake);
    List<JsonObject> heard = bed.hear("mcp." + id + ".events");
    List<JsonObject> errors = new CopyOnWriteArrayList<>();
    get(bed.server(id).onEvent(Events.DISCONNECTED, errors::add).ready());
    get(fake.disconnect());
    until(() -> !errors.isEmpty());
    assertThat(errors.get(0).getString("code")).isEqualTo("UPSTREAM_RESET");
    assertThat(errors.get(0).getString("message")).isNotBlank();
    assertThat(heard).contains(errors.get(0));
  }

  private static void logsAll(SeedBed bed) {
    Vertx vertx = Vertx.vertx();
    FakeMcpServer first = FakeMcpServer.create(vertx, "first");
    FakeMcpServer second = FakeMcpServer.create(vertx, "second");
    List<JsonObject> lines = bed.hear(vertx, "mcp.rpc");
    McpBus bus =
        bed.apart(
            vertx,
            McpBus.Options.of()
                .withRpcLog(RpcLogMode.BUS)
                .withServer("first", Servers.transport(first.transport())));
    get(bus.add("second", second.transport()));
    get(bus.awaitReady(Duration.ofSeconds(60)));
    assertThat(lines).extracting(line -> line.getString("server")).contains("first", "second");
  }

  private static void logsToTheProgram(SeedBed bed) {
    List<JsonObject> lines = bed.hear("mcp.rpc");
    String id =
        bed.serve(
            Servers.transport(bed.fake().tool("hi", "there").transport()).rpcLog(RpcLogMode.BUS));
    get(bed.server(id).callTool("hi", Map.of()));
    until(() -> lines.stream().anyMatch(line -> line.getString("message").contains("there")));
    assertThat(lines)
        .allSatisfy(line -> assertThat(line.getString("server")).isEqualTo(id))
        .extracting(line -> line.getString("direction"))
        .contains("sent", "received");
    assertThat(lines.get(0).fieldNames()).contains("time", "message");
  }

  private static void logsOne(SeedBed bed) {
    List<JsonObject> lines = bed.hear("mcp.rpc");
    try (RawHttpServer http = HttpSeed.start()) {
      JsonObject entry = new JsonObject().put("url", http.url().toString());
      String quiet = bed.serve(entry);
      String told = bed.serve(entry.copy().put("logJsonRpc", "bus"));
      String logged = bed.serve(entry.copy().put("logJsonRpc", true));
      for (String each : List.of(quiet, logged, told)) {
        get(bed.server(each).callTool("hello", Map.of()));
      }
      until(() -> !lines.isEmpty());
      assertThat(lines).extracting(line -> line.getString("server")).containsOnly(told);
      assertThat(get(bed.server(logged).config()).orElseThrow().getString("rpcLog"))
          .isEqualTo("on");
    }
  }

  private static List<Row> connections() {
    return List.of(
        new Row(
            "states `disconnected`, `connecting`, `connected`; after a failure `disconnected`",
            "`mcp.<id>.status`",
            "`server.status`, `client.connectOnce`",
            "a server that keeps its handshake, one that is there, one that fails",
            ManagerSeedIT::hasThreeStates),
        new Row(
            "`connectToServer` gives the connected client",
            "`mcp.servers.add`",
            "`client.connectToServer`, `client.connectOnce`",
            "the connected server answers at once",
            ManagerSeedIT::connects),
        new Row(
            "`connectToServer` throws if the id exists",
            "`mcp.servers.add`",
            "`client.connectToServer`, `client.connectOnce`",
            "an id twice; the first one stays",
            ManagerSeedIT::connectsOnlyOnce),
        new Row(
            "`connectToServer` throws if the connecting fails, and the id is free again",
            "`mcp.servers.add`",
            "`client.connectOnce`; `client.connectToServer` goes on trying",
            "a command that is not there, then a good one under the same id",
            ManagerSeedIT::leavesTheIdFree),
        new Row(
            "`disconnectServer`: done when it is over, without a rest",
            "`mcp.<id>.disconnect`",
            "`client.disconnectServer`, `server.disconnect`",
            "the process is gone; the definition stays, `client.removeServer` frees the id",
            ManagerSeedIT::disconnects),
        new Row(
            "`disconnectAllServers`",
            "`mcp.<id>.disconnect`",
            "`client.disconnectAllServers`",
            "the clients of two servers",
            ManagerSeedIT::disconnectsAll),
        new Row(
            "`removeServer`",
            "`mcp.servers.remove`",
            "`client.removeServer`",
            "its id is unknown and free; its session ends, too",
            ManagerSeedIT::removes),
        new Row(
            "`listServers`: all ids",
            "`mcp.servers.list`",
            "`client.listServers`",
            "connected or not",
            ManagerSeedIT::lists),
        new Row(
            "`hasServer`",
            "`mcp.servers.list`",
            "`client.hasServer`",
            "known, unknown, no name at all",
            ManagerSeedIT::has),
        new Row(
            "`getServerSummaries`: id, status, config",
            "`mcp.servers.list`",
            "`client.serverSummaries`, `client.statuses`",
            "of two servers",
            ManagerSeedIT::summarizes),
        new Row(
            "`getServerConfig`; nothing for an unknown id",
            "`mcp.servers.get`",
            "`server.config`, `server.summary`",
            "the main keys of the entry, secrets masked",
            ManagerSeedIT::showsTheEntry),
        new Row(
            "`getConnectionStatusByAttemptingPing`",
            "`mcp.<id>.ping`",
            "`server.statusByPing`",
            "connected, connecting, disconnected; a process that is frozen",
            ManagerSeedIT::pings),
        new Row(
            "an id that is in use: disconnect first, or use another one",
            "`mcp.servers.remove`",
            "`client.disconnectServer`, `client.removeServer`, `client.connectOnce`",
            "the definition stays after a disconnect, so it is removed, too",
            ManagerSeedIT::usesAnIdAgain),
        new Row(
            "operations on a disconnected server fail and say the remedy",
            "`mcp.<id>.tools.call`",
            "`server.callTool`, `server.connect`",
            "the failure names the address that connects",
            ManagerSeedIT::saysHowToConnect),
        new Row(
            "clean up at the end",
            "`mcp.servers.list`",
            "`McpBus.close`",
            "the server's client is gone",
            ManagerSeedIT::cleansUp));
  }

  private static boolean is(SeedBed bed, String id, String word) {
    return bed.ask("mcp." + id + ".status").getString("status").equals(word)
        && get(bed.server(id).status()).status().equals(word);
  }

  private static void hasThreeStates(SeedBed bed) {
    String silent = bed.add(Servers.fromJson(Entries.scripted("hang")));
    until(() -> is(bed, silent, "connecting"));
    String good = bed.serve(bed.fake());
    assertThat(is(bed, good, "connected")).isTrue();
    get(bed.server(good).disconnect());
    assertThat(is(bed, good, "disconnected")).isTrue();
    JsonObject slow = json("{'backoff':{'initial':60000,'max':60000}}");
    String nobody = "http://127.0.0.1:" + RawHttpServer.refusingPort() + "/";
    String failed = bed.add(Servers.http(nobody).restart(slow));
    until(() -> is(bed, failed, "disconnected"));
    McpClient client = bed.client();
    refused(client.connectOnce("failed", json("{'command':'no-such-command'}"), PLAIN));
    assertThat(get(client.server("failed").statusByPing(PLAIN))).isEqualTo("disconnected");
  }

  private static void connects(SeedBed bed) {
    McpServerClient one = get(bed.client().connectToServer("filesystem", Entries.scripted("good")));
    assertThat(get(one.callTool("echo", Map.of("text", "a"))).text()).isEqualTo("a");
    McpServerClient two = get(bed.client().connectOnce("weather", Entries.scripted("good"), PLAIN));
    assertThat(get(two.callTool("echo", Map.of("text", "b"))).text()).isEqualTo("b");
    JsonObject third =
        new JsonObject().put("name", "third").put("config", Entries.scripted("good"));
    assertThat(bed.ask("mcp.servers.add", third).getString("id")).isEqualTo("third");
  }

  private static void connectsOnlyOnce(SeedBed bed) {
    String id = bed.serve(bed.fake().tool("hi", "there"));
    JsonObject other = json("{'command':'other'}");
    JsonObject named = new JsonObject().put("name", id).put("config", other);
    for (McpFailure twice :
        List.of(
            refused(bed.client().connectToServer(id, other)),
            refused(bed.client().connectOnce(id, other, PLAIN)),
            bed.refused("mcp.servers.add", named.encode()))) {
      assertThat(twice.code()).isEqualTo(FailureCode.BAD_REQUEST);
      assertThat(twice).hasMessageContaining("'" + id + "' exists already");
    }
    assertThat(get(bed.server(id).callTool("hi", Map.of())).text()).isEqualTo("there");
  }

  private static void leavesTheIdFree(SeedBed bed) {
    McpClient client = bed.client();
    JsonObject missing = json("{'command':'no-such-command'}");
    assertThat(refused(client.connectOnce("x", missing, PLAIN)).code())
        .isEqualTo(FailureCode.START_FAILED);
    assertThat(get(client.hasServer("x"))).isFalse();
    get(client.connectOnce("x", Entries.scripted("good"), PLAIN));
    assertThat(refused(client.connectToServer("y", missing)).code())
        .isEqualTo(FailureCode.START_FAILED);
    assertThat(get(client.hasServer("y"))).isTrue();
    bed.ask("mcp.servers.add", new JsonObject().put("name", "z").put("config", missing));
  }

  private static void disconnects(SeedBed bed) {
    String id = bed.serve(Entries.scripted("good"));
    long pid = bed.ask("mcp." + id + ".status").getJsonObject("transport").getLong("pid");
    assertThat(get(bed.client().disconnectServer(id))).isEqualTo(ConnectionState.IDLE);
    assertThat(Pids.runs(pid)).isFalse();
    assertThat(get(bed.server(id).disconnect())).isEqualTo(ConnectionState.IDLE);
    assertThat(bed.ask("mcp." + id + ".disconnect", "{'wait':true}").getString("state"))
        .isEqualTo("IDLE");
    get(bed.client().removeServer(id));
    get(bed.bus().add(id, bed.fake().transport()));
  }

  private static void disconnectsAll(SeedBed bed) {
    FakeMcpServer one = bed.fake();
    FakeMcpServer two = bed.fake();
    String first = bed.serve(one);
    bed.serve(two);
    assertThat(get(bed.client().disconnectAllServers()))
        .hasSize(2)
        .extracting(ServerStatus::status)
        .containsOnly("disconnected");
    until(() -> one.connections() + two.connections() == 0);
    assertThat(bed.ask("mcp." + first + ".disconnect").getString("state")).isEqualTo("IDLE");
  }

  private static void removes(SeedBed bed) {
    FakeMcpServer one = bed.fake();
    String id = bed.serve(one);
    get(bed.client().removeServer(id));
    assertThat(get(bed.client().hasServer(id))).isFalse();
    until(() -> one.connections() == 0);
    get(bed.bus().add(id, one.transport()));
    bed.ask("mcp.servers.remove", named(id));
    assertThat(refused(bed.server(id).ping(PLAIN)).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  private static void lists(SeedBed bed) {
    String one = bed.serve(bed.fake());
    String two = bed.add(Servers.stdio("no-such-command"));
    assertThat(get(bed.client().listServers())).containsExactlyInAnyOrder(one, two);
    assertThat(bed.ask("mcp.servers.list").getJsonArray("servers"))
        .extracting(server -> ((JsonObject) server).getString("id"))
        .containsExactlyInAnyOrder(one, two);
  }

  private static void has(SeedBed bed) {
    String id = bed.serve(bed.fake());
    assertThat(get(bed.client().hasServer(id))).isTrue();
    assertThat(get(bed.client().hasServer("unknown"))).isFalse();
    assertThat(get(bed.client().hasServer(""))).isFalse();
    assertThat(bed.ask("mcp.servers.list").encode()).contains(id).doesNotContain("unknown");
  }

  private static void summarizes(SeedBed bed) {
    String one = bed.serve(Entries.scripted("good"));
    String two = bed.serve(Servers.transport(bed.fake().transport()).lazy(true));
    Map<String, ServerSummary> all = new HashMap<>();
    get(bed.client().serverSummaries()).forEach(each -> all.put(each.id().value(), each));
    assertThat(all.get(one).status().status()).isEqualTo("connected");
    assertThat(all.get(one).config().fieldNames()).contains("command", "args");
    assertThat(all.get(two).status().status()).isEqualTo("disconnected");
    assertThat(get(bed.client().statuses())).hasSize(2);
    assertThat(bed.ask("mcp.servers.list").getJsonArray("servers")).hasSize(2);
  }

  private static void showsTheEntry(SeedBed bed) {
    String id = bed.serve(Entries.scripted("good").put("env", json("{'TOKEN':'t0p-secret'}")));
    JsonObject config = get(bed.server(id).config()).orElseThrow();
    assertThat(config.getString("command")).endsWith("java");
    assertThat(config.getJsonObject("env").getString("TOKEN")).isEqualTo("***");
    assertThat(bed.ask("mcp.servers.get", named(id)).getJsonObject("config")).isEqualTo(config);
    assertThat(get(bed.server(id).summary()).config()).isEqualTo(config);
    assertThat(get(bed.server("unknown").config())).isEmpty();
  }

  private static void pings(SeedBed bed) {
    CallOptions brief = CallOptions.timeout(Duration.ofMillis(300));
    String id = bed.serve(Entries.scripted("good"));
    assertThat(get(bed.server(id).statusByPing(PLAIN))).isEqualTo("connected");
    assertThat(bed.ask("mcp." + id + ".ping")).isEmpty();
    long pid = bed.ask("mcp." + id + ".status").getJsonObject("transport").getLong("pid");
    Pids.signal("STOP", pid);
    assertThat(get(bed.server(id).statusByPing(brief))).isEqualTo("disconnected");
    Pids.signal("CONT", pid);
    assertThat(get(bed.server("unknown").statusByPing(PLAIN))).isEqualTo("disconnected");
    String silent = bed.add(Servers.fromJson(Entries.scripted("hang")));
    until(() -> is(bed, silent, "connecting"));
    assertThat(get(bed.server(silent).statusByPing(brief))).isEqualTo("connecting");
    get(bed.server(id).disconnect());
    assertThat(get(bed.server(id).statusByPing(brief))).isEqualTo("disconnected");
  }

  private static void saysHowToConnect(SeedBed bed) {
    String id = bed.serve(bed.fake().tool("hi", "there"));
    get(bed.server(id).disconnect());
    assertThat(bed.refused("mcp." + id + ".tools.call", "{'name':'hi'}"))
        .hasMessageContaining("mcp." + id + ".connect");
    assertThat(refused(bed.server(id).callTool("hi", Map.of())).code())
        .isEqualTo(FailureCode.UNAVAILABLE);
    get(bed.server(id).connect());
    assertThat(get(bed.server(id).callTool("hi", Map.of())).text()).isEqualTo("there");
  }

  private static void cleansUp(SeedBed bed) {
    Vertx vertx = Vertx.vertx();
    FakeMcpServer fake = FakeMcpServer.create(vertx, "fake");
    McpBus bus =
        bed.apart(vertx, McpBus.Options.of().withServer("a", Servers.transport(fake.transport())));
    get(bus.awaitReady(Duration.ofSeconds(60)));
    assertThat(bed.ask(bus, "mcp.servers.list", "{}").encode()).contains("READY");
    assertThat(fake.connections()).isOne();
    get(bus.close());
    until(() -> fake.connections() == 0);
  }

  private static List<Row> calls() {
    return List.of(
        new Row(
            "`listTools`; keeps metadata",
            "`mcp.<id>.tools.list`",
            "`server.listTools`",
            "a tool with all members",
            ManagerSeedIT::listsTools),
        new Row(
            "`listTools`, `listResources`, `listPrompts`: empty where unsupported",
            "`mcp.<id>.tools.list`, `mcp.<id>.resources.list`, `mcp.<id>.prompts.list`,"
                + " `mcp.<id>.resources.templates`",
            "`server.listTools`, `server.listResources`, `server.listPrompts`,"
                + " `server.listResourceTemplates`",
            "a server that offers none of them",
            ManagerSeedIT::isEmptyWhereUnsupported),
        new Row(
            "`getTools(serverIds?)`: one flat list, of some servers or of all",
            "`mcp.tools.list`",
            "`client.listTools`",
            "three servers, two of them, one",
            ManagerSeedIT::listsToolsOfMany),
        new Row(
            "parallel operations over servers",
            "`mcp.tools.list`",
            "`client.listTools`",
            "beside a server that never answers",
            ManagerSeedIT::waitsForNobody),
        new Row(
            "`executeTool` with arguments and options",
            "`mcp.<id>.tools.call`",
            "`server.callTool`, `client.callTool`",
            "the arguments at the server; a tool's own error is a result",
            ManagerSeedIT::executes),
        new Row(
            "HTTP bridge: `tools/call` with `serverId:toolName`",
            "`mcp.tools.call`",
            "`POST /rpc`, `client.callTool`",
            "by prefix, by `serverId`, with both",
            ManagerSeedIT::bridges),
        new Row(
            "`getToolsForAiSdk(serverIds?)`: a set of tools by name with `_serverId`",
            "`mcp.tools.functions`",
            "`client.functions`",
            "of all servers, of one, by its id or a list",
            ManagerSeedIT::isASetForTheAiSdk),
        new Row(
            "`schemas`: `\"automatic\"`, or overrides: the listed tools alone",
            "`mcp.tools.functions`",
            "`client.functions`",
            "by the plain name of a tool",
            ManagerSeedIT::overridesSchemas),
        new Row(
            "`getToolsForAiSdk` wires up the execution",
            "`mcp.tools.functions.call`",
            "`client.callFunction`",
            "a real server adds 5 and 7 for a model",
            ManagerSeedIT::executesForAModel),
        new Row(
            "the same inside a framework",
            "`mcp.tools.list`",
            "`McpBusToolProvider`, `FrameworkOptions`, `client.listTools`",
            "LangChain4j runs the tool itself",
            ManagerSeedIT::executesInAFramework),
        new Row(
            "`getAllToolsMetadata`: `_meta` by tool; empty for an unknown id",
            "`mcp.<id>.tools.metadata`",
            "`server.toolsMetadata`, `client.toolsMetadata`",
            "a tool with `_meta` and one without",
            ManagerSeedIT::keepsMetadata),
        new Row(
            "`pingServer`",
            "`mcp.<id>.ping`",
            "`server.ping`",
            "a server that answers, an unknown one",
            ManagerSeedIT::pingsAServer),
        new Row(
            "`listResources`",
            "`mcp.<id>.resources.list`, `mcp.resources.list`",
            "`server.listResources`, `client.listResources`",
            "of one server, of all",
            ManagerSeedIT::listsResources),
        new Row(
            "`readResource`",
            "`mcp.<id>.resources.read`",
            "`server.readResource`",
            "`contents[0].text`",
            ManagerSeedIT::readsAResource),
        new Row(
            "`subscribeResource`, `unsubscribeResource`",
            "`mcp.<id>.resources.subscribe`, `mcp.<id>.resources.unsubscribe`",
            "`server.subscribeResource`, `server.unsubscribeResource`",
            "updates of a real server come between them",
            ManagerSeedIT::subscribes),
        new Row(
            "`listResourceTemplates`",
            "`mcp.<id>.resources.templates`",
            "`server.listResourceTemplates`",
            "of a real server",
            ManagerSeedIT::listsTemplates),
        new Row(
            "`listPrompts`",
            "`mcp.<id>.prompts.list`, `mcp.prompts.list`",
            "`server.listPrompts`, `client.listPrompts`",
            "of one server, of all",
            ManagerSeedIT::listsPrompts),
        new Row(
            "`getPrompt` with arguments",
            "`mcp.<id>.prompts.get`",
            "`server.getPrompt`",
            "of a real server",
            ManagerSeedIT::getsAPrompt),
        new Row(
            "`addNotificationHandler`",
            "`mcp.<id>.events`",
            "`server.onNotification`, event `notification`",
            "two handlers of one method, until one is removed",
            ManagerSeedIT::hearsNotifications),
        new Row(
            "`onResourceListChanged`, `onResourceUpdated`, `onPromptListChanged`",
            "`mcp.<id>.events`",
            "`server.onResourceListChanged`, `server.onResourceUpdated`,"
                + " `server.onPromptListChanged`, events `resourcesListChanged`,"
                + " `resourceUpdated`, `promptsListChanged`",
            "each for its own change, with `params.uri`",
            ManagerSeedIT::hearsChanges),
        new Row(
            "`getClient`: the raw client, requests and notifications",
            "`mcp.<id>.request`, `mcp.<id>.notify`",
            "`server.request`, `server.notify`, `server.send`",
            "methods that MCP does not define",
            ManagerSeedIT::isRaw));
  }

  private static ToolScript rich() {
    return ToolScript.of()
        .define("title", "Read")
        .define("description", "Reads.")
        .define("inputSchema", json("{'type':'object','properties':{'path':{'type':'string'}}}"))
        .define("annotations", json("{'readOnlyHint':true}"))
        .define("_meta", json("{'openai/outputTemplate':'ui://a','x':[1.0,2]}"))
        .text("read");
  }

  private static void listsTools(SeedBed bed) {
    String id = bed.serve(bed.fake().tool("read", rich()));
    JsonObject list = bed.ask("mcp." + id + ".tools.list");
    JsonObject tool = list.getJsonArray("tools").getJsonObject(0);
    assertThat(tool.fieldNames())
        .containsExactlyInAnyOrder(
            "name", "title", "description", "inputSchema", "annotations", "_meta");
    assertThat(get(bed.server(id).listTools()).items())
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.json()).isEqualTo(tool);
              assertThat(one.meta().getString("openai/outputTemplate")).isEqualTo("ui://a");
            });
  }

  private static void isEmptyWhereUnsupported(SeedBed bed) {
    String id = bed.serve(RawServer.of("bare", "1"));
    McpServerClient bare = bed.server(id);
    assertThat(get(bare.listTools()).items()).isEmpty();
    assertThat(get(bare.listResources()).items()).isEmpty();
    assertThat(get(bare.listPrompts()).items()).isEmpty();
    assertThat(get(bare.listResourceTemplates()).items()).isEmpty();
    String all = "mcp." + id + ".";
    assertThat(bed.ask(all + "tools.list").getJsonArray("tools")).isEmpty();
    assertThat(bed.ask(all + "resources.list").getJsonArray("resources")).isEmpty();
    assertThat(bed.ask(all + "prompts.list").getJsonArray("prompts")).isEmpty();
    assertThat(bed.ask(all + "resources.templates").getJsonArray("resourceTemplates")).isEmpty();
  }

  private static void listsToolsOfMany(SeedBed bed) {
    String a = bed.serve(bed.fake().tool("x", "").tool("y", ""));
    String b = bed.serve(bed.fake().tool("x", ""));
    String c = bed.serve(bed.fake().tool("z", ""));
    until(() -> get(bed.client().listTools()).items().size() == 4);
    assertThat(names(bed.ask("mcp.tools.list"), "tools"))
        .containsExactlyInAnyOrder(a + ".x", a + ".y", b + ".x", c + ".z");
    assertThat(get(bed.client().listTools(a, c)).items())
        .extracting(tool -> tool.name())
        .containsExactlyInAnyOrder(a + ".x", a + ".y", c + ".z");
    assertThat(names(bed.ask("mcp.tools.list", "{'servers':['" + b + "']}"), "tools"))
        .containsExactly(b + ".x");
  }

  private static void waitsForNobody(SeedBed bed) {
    bed.add(Servers.fromJson(Entries.scripted("hang")));
    String a = bed.serve(bed.fake().tool("x", ""));
    String b = bed.serve(bed.fake().tool("y", ""));
    List<String> both = List.of(a + ".x", b + ".y");
    until(() -> get(bed.client().listTools()).items().size() == 2);
    assertThat(names(bed.ask("mcp.tools.list"), "tools")).containsExactlyInAnyOrderElementsOf(both);
  }

  private static void executes(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("read", "content").failingTool("fails", "no such file");
    String id = bed.serve(fake);
    ToolCallResult read = get(bed.server(id).callTool("read", Map.of("path", "/tmp/a")));
    assertThat(read.text()).isEqualTo("content");
    fake.assertCalled("read", json("{'path':'/tmp/a'}"));
    assertThat(get(bed.client().callTool(id + ".read", Map.of(), PLAIN)).text())
        .isEqualTo("content");
    JsonObject failed = bed.ask("mcp." + id + ".tools.call", "{'name':'fails'}");
    assertThat(failed.getBoolean("isError")).isTrue();
    assertThat(text(failed)).isEqualTo("no such file");
  }

  private static String rpc(String params) {
    return "{'jsonrpc':'2.0','id':7,'method':'tools/call','params':" + params + "}";
  }

  private static void bridges(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("read", "content");
    String id = bed.serve(fake);
    for (String params :
        List.of(
            "{'name':'" + id + ":read','arguments':{'n':1}}",
            "{'serverId':'" + id + "','name':'read','arguments':{'n':1}}",
            "{'serverId':'other','name':'" + id + ":read','arguments':{'n':1}}",
            "{'name':'" + id + ":read'}")) {
      JsonObject answer = bed.post("/rpc", rpc(params));
      assertThat(answer.getInteger("id")).isEqualTo(7);
      assertThat(text(answer.getJsonObject("result"))).isEqualTo("content");
    }
    assertThat(fake.calls("read")).startsWith(json("{'n':1}")).endsWith(new JsonObject());
    assertThat(text(bed.ask("mcp.tools.call", "{'name':'" + id + ":read'}"))).isEqualTo("content");
    get(bed.client().callTool(id + ":read", Map.of(), PLAIN));
  }

  private static void isASetForTheAiSdk(SeedBed bed) {
    String a = bed.serve(bed.fake().tool("read", rich()));
    String b = bed.serve(bed.fake().tool("x", ""));
    until(() -> get(bed.client().listTools()).items().size() == 2);
    JsonObject all = get(bed.client().functions("ai-sdk")).getJsonObject("tools");
    assertThat(all.fieldNames()).containsExactlyInAnyOrder(a + "__read", b + "__x");
    JsonObject read = all.getJsonObject(a + "__read");
    assertThat(read.getString("_serverId")).isEqualTo(a);
    assertThat(read.getString("description")).isEqualTo("Reads.");
    assertThat(read.getJsonObject("inputSchema").encode()).contains("\"path\"");
    for (String some : List.of("'" + a + "'", "['" + a + "']")) {
      JsonObject one = bed.ask("mcp.tools.functions", "{'form':'ai-sdk','servers':" + some + "}");
      assertThat(one.getJsonObject("tools").fieldNames()).containsExactly(a + "__read");
    }
  }

  private static void overridesSchemas(SeedBed bed) {
    String a = bed.serve(bed.fake().tool("read", rich()).tool("write", ""));
    until(() -> get(bed.client().listTools()).items().size() == 2);
    JsonObject mine = json("{'type':'object','properties':{'mine':{'type':'string'}}}");
    JsonObject request =
        new JsonObject().put("form", "ai-sdk").put("schemas", new JsonObject().put("read", mine));
    JsonObject some = get(bed.client().functions(request)).getJsonObject("tools");
    assertThat(some.fieldNames()).containsExactly(a + "__read");
    assertThat(some.encode()).contains("\"mine\"").doesNotContain("\"path\"");
    JsonObject all = bed.ask("mcp.tools.functions", request.put("schemas", "automatic"));
    assertThat(all.getJsonObject("tools").fieldNames()).hasSize(2);
  }

  private static void executesForAModel(SeedBed bed) {
    String id = bed.serve(everything());
    until(() -> get(bed.client().listTools()).items().size() == 13);
    JsonObject call =
        json(
            "{'form':'ai-sdk','call':{'type':'tool-call','toolCallId':'c1','toolName':'"
                + id
                + "__get-sum','input':{'a':5,'b':7}}}");
    JsonObject sum = get(bed.client().callFunction(call, PLAIN));
    assertThat(sum.encode()).contains("12", "tool-result", "c1");
    assertThat(bed.ask("mcp.tools.functions.call", call).encode()).contains("12");
  }

  private static void executesInAFramework(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("read", "content");
    String id = bed.serve(fake);
    until(() -> names(bed.ask("mcp.tools.list"), "tools").contains(id + ".read"));
    assertThat(get(bed.client().listTools()).items()).hasSize(1);
    var provided =
        McpBusToolProvider.create(bed.vertx(), FrameworkOptions.DEFAULT)
            .provideTools(new ToolProviderRequest("memory", UserMessage.from("Read it")))
            .aiServiceTools()
            .get(0);
    ToolExecutionRequest wanted =
        ToolExecutionRequest.builder().name(provided.name()).arguments("{\"p\":1}").build();
    assertThat(provided.toolExecutor().execute(wanted, "memory")).isEqualTo("content");
    fake.assertCalled("read", json("{'p':1}"));
  }

  private static void keepsMetadata(SeedBed bed) {
    String id = bed.serve(bed.fake().tool("read", rich()).tool("plain", ""));
    JsonObject meta = bed.ask("mcp." + id + ".tools.metadata");
    assertThat(meta).isEqualTo(json("{'read':{'openai/outputTemplate':'ui://a','x':[1.0,2]}}"));
    assertThat(get(bed.server(id).toolsMetadata())).isEqualTo(meta);
    assertThat(get(bed.client().toolsMetadata(List.of(id, "unknown"))))
        .containsExactly(entry(id, meta), entry("unknown", new JsonObject()));
    assertThat(get(bed.server("unknown").toolsMetadata())).isEmpty();
  }

  private static void pingsAServer(SeedBed bed) {
    String id = bed.serve(bed.fake());
    assertThat(bed.ask("mcp." + id + ".ping")).isEmpty();
    get(bed.server(id).ping(CallOptions.timeout(Duration.ofSeconds(60))));
    assertThat(refused(bed.server("unknown").ping(PLAIN)).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  private static void listsResources(SeedBed bed) {
    String id = bed.serve(bed.fake().resource("file:///README.md", "text/markdown", "# Hi"));
    JsonObject list = bed.ask("mcp." + id + ".resources.list");
    assertThat(names(list, "resources")).containsExactly("file:///README.md");
    assertThat(get(bed.server(id).listResources()).items())
        .singleElement()
        .satisfies(one -> assertThat(one.uri()).isEqualTo("file:///README.md"));
    until(() -> get(bed.client().listResources()).items().size() == 1);
    assertThat(bed.ask("mcp.resources.list").encode()).contains("README", id);
  }

  private static void readsAResource(SeedBed bed) {
    String id = bed.serve(bed.fake().resource("file:///README.md", "text/markdown", "# Hi"));
    JsonObject read = bed.ask("mcp." + id + ".resources.read", "{'uri':'file:///README.md'}");
    assertThat(read.getJsonArray("contents").getJsonObject(0).getString("text")).isEqualTo("# Hi");
    assertThat(get(bed.server(id).readResource("file:///README.md")).items().get(0).text())
        .isEqualTo("# Hi");
    assertThat(refused(bed.server(id).readResource("file:///none")).code())
        .isEqualTo(FailureCode.UPSTREAM_ERROR);
  }

  private static void subscribes(SeedBed bed) {
    String id = bed.serve(everything());
    String uri = "demo://resource/dynamic/text/1";
    JsonObject wanted = new JsonObject().put("uri", uri);
    List<String> updates = new CopyOnWriteArrayList<>();
    McpServerClient docs = bed.server(id);
    get(docs.onResourceUpdated(params -> updates.add(params.getString("uri"))).ready());
    get(docs.subscribeResource(uri));
    bed.ask("mcp." + id + ".resources.subscribe", wanted);
    get(docs.callTool("toggle-subscriber-updates", Map.of()));
    until(() -> updates.contains(uri));
    get(docs.unsubscribeResource(uri));
    bed.ask("mcp." + id + ".resources.unsubscribe", wanted);
    assertThat(get(docs.readResource(uri)).items().get(0).uri()).isEqualTo(uri);
  }

  private static void listsTemplates(SeedBed bed) {
    String id = bed.serve(everything());
    JsonObject list = bed.ask("mcp." + id + ".resources.templates");
    assertThat(list.getJsonArray("resourceTemplates")).hasSize(2);
    assertThat(get(bed.server(id).listResourceTemplates()).json()).isEqualTo(list);
  }

  private static void listsPrompts(SeedBed bed) {
    String id = bed.serve(bed.fake().prompt("review", "Please review."));
    assertThat(names(bed.ask("mcp." + id + ".prompts.list"), "prompts")).containsExactly("review");
    assertThat(get(bed.server(id).listPrompts()).items().get(0).name()).isEqualTo("review");
    until(() -> get(bed.client().listPrompts()).items().size() == 1);
    assertThat(names(bed.ask("mcp.prompts.list"), "prompts")).containsExactly(id + ".review");
  }

  private static void getsAPrompt(SeedBed bed) {
    String id = bed.serve(everything());
    Map<String, String> arguments = Map.of("department", "Sales", "name", "Eve");
    JsonObject body =
        json("{'name':'completable-prompt','arguments':{'department':'Sales','name':'Eve'}}");
    JsonObject prompt = bed.ask("mcp." + id + ".prompts.get", body);
    assertThat(prompt.getJsonArray("messages").encode()).contains("Eve", "Sales");
    assertThat(get(bed.server(id).getPrompt("completable-prompt", arguments)).json())
        .isEqualTo(prompt);
    assertThat(get(bed.server(id).getPrompt("simple-prompt", Map.of())).messages()).hasSize(1);
  }

  private static void hearsNotifications(SeedBed bed) {
    FakeMcpServer fake = bed.fake().versions(ProtocolVersion.V2025_11_25);
    String id = bed.serve(fake);
    List<JsonObject> events = bed.hear("mcp." + id + ".events");
    List<String> heard = new CopyOnWriteArrayList<>();
    McpServerClient server = bed.server(id);
    var first = server.onNotification("x/told", params -> heard.add("first " + params));
    get(first.ready());
    get(server.onNotification("x/told", params -> heard.add("second " + params)).ready());
    fake.send("x/told", json("{'n':1}"));
    until(() -> heard.size() == 2);
    get(first.remove());
    fake.send("x/told", json("{'n':2}"));
    until(() -> heard.size() == 3 && events.size() == 2);
    assertThat(heard)
        .containsExactlyInAnyOrder("first {\"n\":1}", "second {\"n\":1}", "second {\"n\":2}");
    assertThat(events.get(1).getJsonObject("params")).isEqualTo(json("{'n':2}"));
  }

  private static void hearsChanges(SeedBed bed) {
    FakeMcpServer fake =
        bed.fake().versions(ProtocolVersion.V2025_11_25).resource("file:///a", "text/plain", "1");
    String id = bed.serve(fake);
    bed.hear("mcp." + id + ".events");
    List<String> heard = new CopyOnWriteArrayList<>();
    McpServerClient docs = bed.server(id);
    get(docs.onResourceListChanged(params -> heard.add("list")).ready());
    get(docs.onResourceUpdated(params -> heard.add(params.getString("uri"))).ready());
    get(docs.onPromptListChanged(params -> heard.add("prompts")).ready());
    get(docs.subscribeResource("file:///a"));
    until(
        () -> {
          fake.resource("file:///a", "text/plain", "2");
          return heard.contains("file:///a");
        });
    fake.resource("file:///b", "text/plain", "new");
    until(() -> heard.contains("list"));
    fake.prompt("review", "");
    until(() -> heard.contains("prompts"));
  }

  private static void isRaw(SeedBed bed) {
    List<JsonObject> told = new CopyOnWriteArrayList<>();
    RawServer own =
        RawServer.of("own", "1")
            .versions(ProtocolVersion.V2025_11_25)
            .handle("x/add", (request, params) -> Future.succeededFuture(json("{'sum':12}")))
            .onNotification("x/told", (client, params) -> told.add(params));
    String id = bed.serve(own);
    McpServerClient raw = bed.server(id);
    assertThat(get(raw.request("x/add", json("{'a':5,'b':7}"), PLAIN)).getInteger("sum"))
        .isEqualTo(12);
    assertThat(bed.ask("mcp." + id + ".request", "{'method':'x/add','params':{}}"))
        .isEqualTo(json("{'sum':12}"));
    assertThat(get(raw.send("request", json("{'method':'x/add'}"), PLAIN))).isNotEmpty();
    get(raw.notify("x/told", json("{'n':1}")));
    bed.ask("mcp." + id + ".notify", "{'method':'x/told','params':{'n':2}}");
    until(() -> told.size() == 2);
    assertThat(told.get(1).getInteger("n")).isEqualTo(2);
  }

  private static List<Row> questions() {
    return List.of(
        new Row(
            "`setElicitationHandler`, `clearElicitationHandler`, for one server",
            "`mcp.<id>.input`",
            "`server.setElicitationHandler`, `server.clearElicitationHandler`",
            "the answer in the tool's result, before the global one",
            ManagerSeedIT::answersForAServer),
        new Row(
            "`setElicitationCallback`, `clearElicitationCallback`, for servers without a handler",
            "`mcp.input`",
            "`client.setElicitationHandler`, `client.clearElicitationHandler`",
            "two servers; afterwards nobody is asked",
            ManagerSeedIT::answersForAll),
        new Row(
            "a handler that fails has declined nothing",
            "`mcp.<id>.tools.call`",
            "`server.setElicitationHandler`",
            "the server gets `cancel`",
            ManagerSeedIT::declinesNothing),
        new Row(
            "`getPendingElicitations`: by the id of the request",
            "`mcp.input.pending`, `mcp.events`",
            "`client.pendingElicitations`, event `inputRequested`",
            "message and schema of one that waits",
            ManagerSeedIT::showsWhatWaits),
        new Row(
            "`respondToElicitation`: true if it was found",
            "`mcp.input.respond`, `mcp.events`",
            "`client.respondToElicitation`, event `inputResolved`",
            "an unknown id, the right one, the same again",
            ManagerSeedIT::responds),
        new Row(
            "a pending elicitation expires, after 300 s",
            "`mcp.input.pending`",
            "`InputOptions`, `McpBus.Options.withInput`, `client.pendingElicitations`",
            "a short time; the call goes on, nothing waits",
            ManagerSeedIT::expires),
        new Row(
            "pending elicitations are cleaned up on errors",
            "`mcp.input.pending`",
            "`client.pendingElicitations`, `CallOptions.withCancel`",
            "the call that caused the question is cancelled",
            ManagerSeedIT::withdraws));
  }

  /** Its tool {@code ask} gives back what the person answered. */
  private static FakeMcpServer asking(FakeMcpServer fake) {
    return fake.tool(
        "ask",
        ToolScript.of()
            .ask("elicitation/create", FORM)
            .answer(answers -> ToolResult.text(answers.get(0).encode())));
  }

  private static String asked(SeedBed bed, String id) {
    return get(bed.server(id).callTool("ask", Map.of())).text();
  }

  private static Future<ElicitationAnswer> accept(String name) {
    return Future.succeededFuture(ElicitationAnswer.accept(new JsonObject().put("name", name)));
  }

  private static void answersForAServer(SeedBed bed) {
    String id = bed.serve(asking(bed.fake()));
    McpClient client = bed.client();
    McpServerClient server = client.server(id);
    get(client.setElicitationHandler((from, request) -> accept("global")));
    get(server.setElicitationHandler((from, request) -> accept(from + request.message())));
    until(() -> asked(bed, id).contains(id + "Who?"));
    get(server.clearElicitationHandler());
    until(() -> asked(bed, id).contains("global"));
    get(client.clearElicitationHandler());
    bed.answer("mcp." + id + ".input", json("{'action':'accept','content':{'name':'bus'}}"));
    bed.ask("mcp.input.offer", "{'id':'" + id + "','capabilities':{'elicitation':{}}}");
    until(() -> asked(bed, id).contains("bus"));
  }

  private static void answersForAll(SeedBed bed) {
    String a = bed.serve(asking(bed.fake()));
    String b = bed.serve(asking(bed.fake()));
    McpClient client = bed.client();
    get(client.setElicitationHandler((from, request) -> accept("all of " + from)));
    until(() -> asked(bed, a).contains("all of " + a));
    until(() -> asked(bed, b).contains("all of " + b));
    get(client.clearElicitationHandler());
    until(() -> asked(bed, a).contains("does not support"));
    bed.answer("mcp.input", json("{'action':'decline'}"));
    bed.ask("mcp.input.offer", "{'capabilities':{'elicitation':{}}}");
    until(() -> asked(bed, b).contains("decline"));
  }

  private static void declinesNothing(SeedBed bed) {
    String id = bed.serve(asking(bed.fake()));
    McpServerClient server = bed.server(id);
    get(server.setElicitationHandler((from, request) -> Future.failedFuture("out of order")));
    until(
        () -> {
          String said = text(bed.ask("mcp." + id + ".tools.call", "{'name':'ask'}"));
          assertThat(said).doesNotContain("decline");
          return said.equals("{\"action\":\"cancel\"}");
        });
  }

  private static Map<String, ElicitationRequest> pending(SeedBed bed) {
    McpClient client = bed.client();
    until(() -> !get(client.pendingElicitations()).isEmpty());
    return get(client.pendingElicitations());
  }

  private static String serveAsking(SeedBed bed) {
    return bed.serve(Servers.transport(asking(bed.fake()).transport()).capabilities("elicitation"));
  }

  private static void showsWhatWaits(SeedBed bed) {
    String id = serveAsking(bed);
    List<JsonObject> events = bed.hear("mcp.events");
    Future<ToolCallResult> call = bed.server(id).callTool("ask", Map.of());
    Map<String, ElicitationRequest> waits = pending(bed);
    assertThat(waits).hasSize(1);
    String request = waits.keySet().iterator().next();
    assertThat(waits.get(request).message()).isEqualTo("Who?");
    assertThat(waits.get(request).schema()).isEqualTo(FORM.getJsonObject("requestedSchema"));
    assertThat(bed.ask("mcp.input.pending").encode()).contains(request);
    until(() -> events.stream().anyMatch(one -> request.equals(one.getString("question"))));
    get(bed.client().respondToElicitation(request, ElicitationAnswer.cancel()));
    assertThat(get(call).text()).contains("cancel");
  }

  private static void responds(SeedBed bed) {
    String id = serveAsking(bed);
    bed.hear("mcp.events");
    ElicitationAnswer ada = ElicitationAnswer.accept(ADA);
    McpClient client = bed.client();
    Future<ToolCallResult> call = bed.server(id).callTool("ask", Map.of());
    String request = pending(bed).keySet().iterator().next();
    assertThat(get(client.respondToElicitation("unknown", ada))).isFalse();
    assertThat(get(client.respondToElicitation(request, ada))).isTrue();
    assertThat(get(call).text()).contains("accept", "Ada");
    assertThat(get(client.respondToElicitation(request, ada))).isFalse();
    Future<JsonObject> again =
        bed.send("mcp." + id + ".tools.call", "{'name':'ask'}", new DeliveryOptions());
    String second = pending(bed).keySet().iterator().next();
    bed.ask(
        "mcp.input.respond", new JsonObject().put("question", second).put("result", ada.json()));
    assertThat(text(get(again))).contains("Ada");
  }

  private static void expires(SeedBed bed) {
    assertThat(InputOptions.DEFAULT.patience()).isEqualTo(Duration.ofMinutes(5));
    Vertx vertx = Vertx.vertx();
    FakeMcpServer fake = asking(FakeMcpServer.create(vertx, "asking"));
    InputOptions brief = new InputOptions(Duration.ofMillis(100), 10, 10);
    McpBus bus =
        bed.apart(
            vertx,
            McpBus.Options.of()
                .withInput(brief)
                .withServer("a", Servers.transport(fake.transport()).capabilities("elicitation")));
    get(bus.awaitReady(Duration.ofSeconds(60)));
    assertThat(get(bus.server("a").callTool("ask", Map.of())).text()).contains("cancel");
    assertThat(get(bed.client(bus).pendingElicitations())).isEmpty();
    assertThat(bed.ask(bus, "mcp.input.pending", "{}").getJsonArray("questions"))
        .isEqualTo(new JsonArray());
  }

  private static void withdraws(SeedBed bed) {
    String id = serveAsking(bed);
    CancellationToken token = new CancellationToken();
    CallOptions options = CallOptions.DEFAULT.withCancel(token);
    Future<?> call = bed.server(id).callTool("ask", Map.of(), options);
    assertThat(pending(bed)).hasSize(1);
    token.cancel();
    assertThat(refused(call).code()).isEqualTo(FailureCode.CANCELLED);
    until(() -> get(bed.client().pendingElicitations()).isEmpty());
    assertThat(bed.ask("mcp.input.pending").getJsonArray("questions")).isEmpty();
  }

  private static void fallsBackWhateverTheBody(SeedBed bed) {
    Vertx vertx = Vertx.vertx();
    McpBus host = bed.apart(vertx, McpBus.Options.of().withPort(0));
    FakeMcpServer fake = FakeMcpServer.create(vertx, "own").tool("hi", "there");
    get(host.add("own", fake.transport()));
    get(host.awaitReady(Duration.ofSeconds(60)));
    String url = "http://127.0.0.1:" + host.port() + "/sse/own";
    String id = bed.serve(Servers.http(url).set("type", "http"));
    assertThat(wire(bed, id)).isEqualTo("HTTP+SSE");
    assertThat(get(bed.server(id).callTool("hi", Map.of())).text()).isEqualTo("there");
  }

  private static void sendsStreamHeaders(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      JsonObject entry =
          new JsonObject()
              .put("url", http.url().toString())
              .put("eventSourceInit", json("{'headers':{'X-Stream':'yes'}}"));
      bed.uses(entry);
      bed.ask("mcp.servers.add", new JsonObject().put("name", "a").put("config", entry));
      until(() -> !http.requests("GET").isEmpty());
      assertThat(http.requests("GET").get(0).headers()).containsEntry("x-stream", "yes");
      assertThat(http.requests("POST"))
          .isNotEmpty()
          .noneMatch(post -> post.headers().containsKey("x-stream"));
    }
  }

  private static void reconnectsByOptions(SeedBed bed) {
    JsonObject entry =
        new JsonObject()
            .put("url", "http://127.0.0.1:" + RawHttpServer.refusingPort() + "/")
            .put(
                "reconnectionOptions",
                json(
                    "{'initialReconnectionDelay':10,'maxReconnectionDelay':20,"
                        + "'reconnectionDelayGrowFactor':1.5,'maxRetries':2}"));
    List<JsonObject> heard = bed.hear("mcp.events");
    String id = bed.add(Servers.fromJson(entry));
    bed.awaitState(id, "FAILED");
    assertThat(bed.ask("mcp." + id + ".status").getInteger("restarts")).isEqualTo(2);
    assertThat(heard.stream().filter(one -> one.getString("type").equals("restarting")))
        .extracting(one -> one.getInteger("delay"))
        .hasSize(2)
        .allMatch(delay -> delay <= 30);
  }

  private static void resumesStreams(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      String id = bed.serve(Servers.http(http.url().toString()));
      assertThat(get(bed.server(id).callTool("cut", Map.of())).text()).isEqualTo("hello");
      assertThat(text(bed.ask("mcp." + id + ".tools.call", "{'name':'cut'}"))).isEqualTo("hello");
      assertThat(http.requests("GET"))
          .filteredOn(one -> one.headers().containsKey("last-event-id"))
          .hasSize(2)
          .allSatisfy(one -> assertThat(one.headers()).containsEntry("last-event-id", "e1"));
      assertThat(http.requests("POST")).filteredOn(one -> one.calls("tools/call")).hasSize(2);
    }
  }

  private static void goesOnWithASession(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      Servers entry = Servers.http(http.url().toString());
      String known = bed.serve(entry.set("sessionId", HttpSeed.SESSION));
      assertThat(http.requests("POST"))
          .allSatisfy(
              one -> assertThat(one.headers()).containsEntry("mcp-session-id", HttpSeed.SESSION));
      String old = bed.serve(entry.set("sessionId", "forgotten"));
      assertThat(http.requests("POST"))
          .anyMatch(one -> "forgotten".equals(one.headers().get("mcp-session-id")));
      for (String id : List.of(known, old)) {
        assertThat(get(bed.server(id).sessionId())).contains(HttpSeed.SESSION);
        assertThat(bed.ask("mcp." + id + ".status").getInteger("restarts")).isZero();
      }
    }
  }

  private static void takesAVersion(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      String config = "{'url':'" + http.url() + "','version':'9.9.9'}";
      bed.uses(json(config));
      bed.ask("mcp.servers.add", "{'name':'a','config':" + config + "}");
      bed.awaitState("a", "READY");
      assertThat(http.requests("POST").get(0).body()).contains("mcpbus").doesNotContain("9.9.9");
    }
  }

  private static void usesAnIdAgain(SeedBed bed) {
    McpClient client = bed.client();
    String id = bed.serve(bed.fake());
    JsonObject entry = Entries.scripted("good");
    get(client.disconnectServer(id));
    assertThat(refused(client.connectOnce(id, entry, PLAIN)))
        .hasMessageContaining("remove it first or choose another name");
    get(client.removeServer(id));
    McpServerClient again = get(client.connectOnce(id, entry, PLAIN));
    assertThat(get(again.callTool("echo", Map.of("text", "new"))).text()).isEqualTo("new");
    bed.ask("mcp.servers.remove", named(id));
  }
}
