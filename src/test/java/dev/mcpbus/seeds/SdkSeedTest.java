package dev.mcpbus.seeds;

import static dev.mcpbus.seeds.SeedBed.first;
import static dev.mcpbus.seeds.SeedBed.get;
import static dev.mcpbus.seeds.SeedBed.json;
import static dev.mcpbus.seeds.SeedBed.names;
import static dev.mcpbus.seeds.SeedBed.refused;
import static dev.mcpbus.seeds.SeedBed.text;
import static dev.mcpbus.seeds.SeedBed.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.server.HandlerWrappers;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ServerOptions;
import dev.mcpbus.server.ServerRequest;
import dev.mcpbus.server.ServerState;
import dev.mcpbus.server.StdioServer;
import dev.mcpbus.server.ToolResult;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.RawClient;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.memory.InMemoryTransport;
import dev.mcpbus.transport.sdk.SdkServerTransportProvider;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncResourceSpecification;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** What the guide to the internals of the TypeScript SDK says of servers and of tests. */
class SdkSeedTest extends SeedDocument {

  private static final JsonObject ANY = json("{'type':'object'}");
  private static final String ALICE = "00000000-0000-0000-0000-000000000001";
  private static final String NOBODY = "00000000-0000-0000-0000-000000000999";

  @Override
  String title() {
    return "TypeScript SDK internals";
  }

  @Override
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.addAll(servers());
    rows.addAll(handlers());
    rows.addAll(tests());
    return rows;
  }

  private static List<Row> servers() {
    return List.of(
        new Row(
            "`McpServer`: tools, resources, prompts by a typed API",
            "`mcp.<id>.tools.call`",
            "the SDK's `McpServer.async` over `SdkServerTransportProvider`, `server.listTools`,"
                + " `server.readResource`, `server.getPrompt`",
            "a server of the SDK, in memory",
            SdkSeedTest::isTyped),
        new Row(
            "`Server`: raw handlers by method, also of methods that MCP does not define",
            "`mcp.<id>.request`",
            "`RawServer.handle`, `server.request`",
            "a request, an unknown method",
            SdkSeedTest::handlesMethods),
        new Row(
            "`Server`: custom notification handlers, capability hooks",
            "`mcp.<id>.notify`, `mcp.<id>.status`",
            "`RawServer.onNotification`, `RawServer.capability`, `server.notify`",
            "a notification and a capability of its own",
            SdkSeedTest::handlesNotifications),
        new Row(
            "four states: constructed, connected, running, closed",
            "",
            "`RawServer.state`",
            "a client that connects, shakes hands; the close",
            SdkSeedTest::hasFourStates),
        new Row(
            "connected: `initialize` gives the server's capabilities, and nothing else is"
                + " processed before `notifications/initialized`",
            "",
            "`RawServer`",
            "a request too early waits, one without a handshake is refused",
            SdkSeedTest::shakesHands),
        new Row(
            "closed: requests in flight get an error, the transport is disconnected",
            "`mcp.<id>.tools.call`",
            "`RawServer.close`",
            "a call in flight",
            SdkSeedTest::closes),
        new Row(
            "a session per client: state is not mixed",
            "`mcp.<id>.tools.call`",
            "`RawServer.sessions`",
            "one server for three clients at once",
            SdkSeedTest::hasSessions),
        new Row(
            "`Transport`: `start`, `close`, `send`, `onmessage`, `onclose`, `onerror`",
            "`mcp.<id>.connect`",
            "`Transport`, `Channel`, `server.disconnect`",
            "a transport of the row's own around another",
            SdkSeedTest::takesAnyTransport),
        new Row(
            "`StdioServerTransport`",
            "",
            "`StdioServer.serve`",
            "lines in, lines out",
            SdkSeedTest::servesStdio),
        new Row(
            "`StreamableHTTPServerTransport`, `SSEServerTransport`",
            "`mcp.<id>.tools.call`",
            "configuration `bridge`; paths /mcp, /sse",
            "another bus connects by both",
            SdkSeedTest::servesHttp),
        new Row(
            "a transport over a message bus, in one process",
            "`mcp.<id>.tools.call`",
            "`RawServer.listen`, configuration `address`",
            "a server at an address of the bus",
            SdkSeedTest::servesOnTheBus));
  }

  private static RawServer hello() {
    return RawServer.of("own", "1")
        .tool("hello", "", ANY, (request, arguments) -> done(ToolResult.text("hello")));
  }

  private static Future<JsonObject> done(JsonObject result) {
    return Future.succeededFuture(result);
  }

  private static RawClient client(SeedBed bed, RawServer server) throws Exception {
    return RawClient.open(bed.vertx(), server.inMemory(bed.vertx().getOrCreateContext()));
  }

  private static void isTyped(SeedBed bed) {
    SdkServerTransportProvider provider = new SdkServerTransportProvider();
    McpServer.async(provider)
        .serverInfo("typed", "1.0.0")
        .capabilities(
            McpSchema.ServerCapabilities.builder()
                .tools(true)
                .resources(false, true)
                .prompts(true)
                .build())
        .toolCall(
            McpSchema.Tool.builder("ping", Map.of("type", "object")).build(),
            (exchange, request) ->
                Mono.just(McpSchema.CallToolResult.builder().addTextContent("pong").build()))
        .resources(
            new AsyncResourceSpecification(
                McpSchema.Resource.builder("file:///a", "a").build(),
                (exchange, request) ->
                    Mono.just(McpSchema.ReadResourceResult.builder(List.of()).build())))
        .prompts(
            new AsyncPromptSpecification(
                McpSchema.Prompt.builder("review").build(),
                (exchange, request) ->
                    Mono.just(McpSchema.GetPromptResult.builder(List.of()).build())))
        .build();
    Context context = bed.vertx().getOrCreateContext();
    String id = bed.serve(Servers.transport(new InMemoryTransport("typed", context, provider)));
    assertThat(text(bed.ask("mcp." + id + ".tools.call", "{'name':'ping'}"))).isEqualTo("pong");
    McpServerClient typed = bed.server(id);
    assertThat(get(typed.listTools()).items().get(0).name()).isEqualTo("ping");
    assertThat(get(typed.listResources()).items().get(0).uri()).isEqualTo("file:///a");
    assertThat(get(typed.readResource("file:///a")).items()).isEmpty();
    assertThat(get(typed.listPrompts()).items().get(0).name()).isEqualTo("review");
    assertThat(get(typed.getPrompt("review", Map.of())).messages()).isEmpty();
  }

  private static void handlesMethods(SeedBed bed) {
    String id =
        bed.serve(
            RawServer.of("own", "1").handle("x/add", (request, params) -> done(json("{'n':12}"))));
    String add = "{'method':'x/add','params':{'a':5}}";
    assertThat(bed.ask("mcp." + id + ".request", add).getInteger("n")).isEqualTo(12);
    McpFailure unknown =
        refused(bed.server(id).request("x/none", new JsonObject(), CallOptions.DEFAULT));
    assertThat(unknown.data().encode()).contains("-32601");
  }

  private static void handlesNotifications(SeedBed bed) {
    List<JsonObject> told = new CopyOnWriteArrayList<>();
    String id =
        bed.serve(
            RawServer.of("own", "1")
                .capability("experimental", json("{'x':{}}"))
                .onNotification("x/told", (client, params) -> told.add(params)));
    get(bed.server(id).notify("x/told", json("{'n':1}")));
    bed.ask("mcp." + id + ".notify", "{'method':'x/told','params':{'n':2}}");
    until(() -> told.size() == 2);
    assertThat(bed.ask("mcp." + id + ".status").getJsonObject("capabilities").encode())
        .contains("{\"x\":{}}");
  }

  private static void hasFourStates(SeedBed bed) throws Exception {
    RawServer server = hello();
    assertThat(server.state()).isEqualTo(ServerState.CONSTRUCTED);
    RawClient client = client(bed, server);
    until(() -> server.state() == ServerState.CONNECTED);
    client.handshake();
    until(() -> server.state() == ServerState.RUNNING);
    get(server.close());
    assertThat(server.state()).isEqualTo(ServerState.CLOSED);
    until(() -> client.closings().size() == 1);
  }

  private static void shakesHands(SeedBed bed) throws Exception {
    RawServer server = hello();
    RawClient client = client(bed, server);
    JsonObject refused = get(client.request("tools/list", "{}"));
    assertThat(refused.getJsonObject("error").getString("message")).contains("initialize");
    JsonObject hello = client.result("initialize", "{\"protocolVersion\":\"2025-11-25\"}");
    assertThat(hello.getJsonObject("capabilities").fieldNames()).contains("tools");
    Future<JsonObject> early = client.request("tools/list", "{}");
    assertThat(client.result("ping", "{}")).isEmpty();
    assertThat(early.isComplete()).isFalse();
    client.notify("notifications/initialized", "{}");
    assertThat(names(get(early).getJsonObject("result"), "tools")).containsExactly("hello");
    get(server.close());
  }

  private static void closes(SeedBed bed) {
    AtomicReference<ServerRequest> came = new AtomicReference<>();
    RawServer server =
        RawServer.of("own", "1")
            .tool(
                "wait",
                "",
                ANY,
                (request, arguments) -> {
                  came.set(request);
                  return Future.future(never -> {});
                });
    String id = bed.serve(server);
    Future<JsonObject> call =
        bed.send("mcp." + id + ".tools.call", "{'name':'wait'}", new DeliveryOptions());
    until(() -> came.get() != null);
    get(server.close());
    assertThat(get(call).encode()).contains("\"isError\":true", "the server is closing");
    assertThat(server.sessions()).isEmpty();
  }

  private static void hasSessions(SeedBed bed) throws Exception {
    RawServer server =
        RawServer.of("own", "1")
            .tool(
                "who",
                "",
                ANY,
                (request, arguments) ->
                    done(ToolResult.text(request.client().name() + request.session().id())));
    String a = bed.serve(server);
    String b = bed.serve(server);
    RawClient raw = client(bed, server);
    raw.handshake();
    assertThat(server.sessions()).hasSize(3);
    String one = text(bed.ask("mcp." + a + ".tools.call", "{'name':'who'}"));
    String two = text(bed.ask("mcp." + b + ".tools.call", "{'name':'who'}"));
    assertThat(List.of(one, two, raw.call("who", "{}"))).doesNotHaveDuplicates();
    raw.close();
    assertThat(text(bed.ask("mcp." + a + ".tools.call", "{'name':'who'}"))).isEqualTo(one);
  }

  private static void takesAnyTransport(SeedBed bed) {
    List<String> told = new CopyOnWriteArrayList<>();
    RawServer server = hello();
    Transport inner = server.inMemory(bed.vertx().getOrCreateContext());
    Transport own =
        new Transport() {
          @Override
          public String type() {
            return "own";
          }

          @Override
          public String target() {
            return "inner";
          }

          @Override
          public Future<Channel> open(Context owner, Channel.Receiver receiver) {
            told.add("open");
            return inner
                .open(owner, SeedBed.noting(Channel.Receiver.class, told::add, receiver))
                .map(channel -> SeedBed.noting(Channel.class, told::add, channel));
          }
        };
    String id = bed.serve(Servers.transport(own));
    assertThat(told).startsWith("open").contains("send", "onMessage").doesNotContain("close");
    get(bed.server(id).disconnect());
    assertThat(told).contains("close");
    bed.ask("mcp." + id + ".connect");
    bed.awaitState(id, "READY");
    get(bed.bus().server(id).callTool("hello", Map.of()));
    assertThat(told).filteredOn(word -> word.equals("open")).hasSize(2);
    get(server.close());
    until(() -> told.contains("onClosed"));
  }

  private static void servesStdio(SeedBed bed) {
    String lines =
        """
        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
        {"jsonrpc":"2.0","method":"notifications/initialized"}
        {"jsonrpc":"2.0","id":2,"method":"ping"}
        """;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] in = lines.getBytes(StandardCharsets.UTF_8);
    get(StdioServer.serve(bed.vertx(), hello(), new ByteArrayInputStream(in), out));
    List<String> said = out.toString(StandardCharsets.UTF_8).lines().toList();
    assertThat(said).hasSize(2);
    assertThat(new JsonObject(said.get(0)).getJsonObject("result").fieldNames())
        .contains("protocolVersion", "capabilities", "serverInfo");
    assertThat(said.get(1)).contains("\"id\":2");
  }

  private static void servesHttp(SeedBed bed) {
    Vertx vertx = Vertx.vertx();
    McpBus host = bed.apart(vertx, McpBus.Options.of().withPort(0));
    get(host.add("own", hello().inMemory(vertx.getOrCreateContext())));
    get(host.awaitReady(Duration.ofSeconds(60)));
    String base = "http://127.0.0.1:" + host.port();
    String streamable = bed.serve(Servers.http(base + "/mcp"));
    String sse = bed.serve(Servers.http(base + "/sse/own").set("preferSSE", true));
    assertThat(text(bed.ask("mcp." + streamable + ".tools.call", "{'name':'own__hello'}")))
        .isEqualTo("hello");
    assertThat(text(bed.ask("mcp." + sse + ".tools.call", "{'name':'hello'}"))).isEqualTo("hello");
  }

  private static void servesOnTheBus(SeedBed bed) {
    RawServer server = hello();
    get(server.listen(bed.vertx(), "my.own"));
    String id = bed.serve(Servers.bus("my.own"));
    assertThat(text(bed.ask("mcp." + id + ".tools.call", "{'name':'hello'}"))).isEqualTo("hello");
    get(server.close());
  }

  private static List<Row> handlers() {
    return List.of(
        new Row(
            "arguments are checked before the handler: -32602, the handler is never called",
            "`mcp.<id>.tools.call`",
            "`ServerOptions.withRefuseArguments`, `server.callTool`",
            "arguments that do not fit, and those that do",
            SdkSeedTest::checksArguments),
        new Row(
            "wrong arguments as SEP-1303 has them: a result that the model reads",
            "",
            "`RawServer.tool`, `server.callTool`",
            "the default",
            SdkSeedTest::tellsTheModel),
        new Row(
            "callers of mcpbus: arguments are checked before they are sent",
            "`mcp.<id>.tools.call`",
            "`server.callTool`, `CallOptions.withValidate`",
            "`INVALID_ARGUMENTS`, not sent",
            SdkSeedTest::checksForTheServer),
        new Row(
            "the handler gets valid arguments and the identity of the client",
            "`mcp.<id>.tools.call`",
            "`ServerRequest.client`",
            "name and version from the handshake",
            SdkSeedTest::knowsTheClient),
        new Row(
            "what the handler returns is the result",
            "`mcp.<id>.tools.call`",
            "`RawServer.tool`, `server.callTool`",
            "a result with members of its own",
            SdkSeedTest::givesTheResult),
        new Row(
            "an unknown tool is an error with its name",
            "`mcp.<id>.tools.call`",
            "`RawServer.tool`, `server.callTool`",
            "at the server and at the connection",
            SdkSeedTest::knowsItsTools),
        new Row(
            "a throw becomes `isError: true` with the message, without a stack trace; the server"
                + " does not crash",
            "`mcp.<id>.tools.call`",
            "`RawServer.tool`",
            "an exception, an error, a failed future",
            SdkSeedTest::survivesHandlers),
        new Row(
            "`onerror`: protocol errors and what handlers throw",
            "`mcp.<id>.tools.call`",
            "`RawServer.onError`",
            "one of each",
            SdkSeedTest::hearsErrors),
        new Row(
            "`isError: true` of the handler's own wording",
            "`mcp.<id>.tools.call`",
            "`ToolResult.error`",
            "an unknown user",
            SdkSeedTest::wordsErrors),
        new Row(
            "handler wrapper: auth",
            "`mcp.<id>.tools.call`",
            "`HandlerWrappers.authorized`, `RawServer.acceptor`",
            "a stranger and Alice",
            SdkSeedTest::guards),
        new Row(
            "handler wrapper: logging, error normalisation",
            "`mcp.<id>.tools.call`",
            "`HandlerWrappers.logged`, `HandlerWrappers.errors`",
            "a secret in the exception",
            SdkSeedTest::normalises),
        new Row(
            "requests are intercepted before they reach the handlers",
            "`mcp.<id>.request`",
            "`RawServer.wrap`",
            "around a tool and a raw method",
            SdkSeedTest::intercepts));
  }

  private static final JsonObject USER =
      json(
          "{'type':'object','properties':{'id':{'type':'string','pattern':'^[0-9a-f-]{36}$'}},"
              + "'required':['id']}");

  /** The server of the document's example. */
  private static RawServer users(List<JsonObject> came) {
    return RawServer.of("test-server", "1.0.0")
        .tool(
            "lookup_user",
            "Look up a user by ID",
            USER,
            (request, arguments) -> {
              came.add(arguments);
              return done(
                  arguments.getString("id").equals(ALICE)
                      ? ToolResult.text("{\"name\":\"Alice\"}")
                      : ToolResult.error("User not found: " + arguments.getString("id")));
            });
  }

  private static void checksArguments(SeedBed bed) {
    List<JsonObject> came = new CopyOnWriteArrayList<>();
    ServerOptions refuse = ServerOptions.DEFAULT.withRefuseArguments(true);
    String id = bed.serve(users(came).options(refuse));
    McpServerClient server = bed.server(id);
    McpFailure wrong = refused(server.callTool("lookup_user", Map.of("id", "not-a-uuid")));
    assertThat(wrong.code()).isEqualTo(FailureCode.UPSTREAM_ERROR);
    assertThat(wrong.isUpstream(-32602)).isTrue();
    assertThat(came).isEmpty();
    bed.ask("mcp." + id + ".tools.call", lookup(ALICE));
    assertThat(came).hasSize(1);
  }

  private static String lookup(String user) {
    return "{'name':'lookup_user','arguments':{'id':'" + user + "'}}";
  }

  private static void tellsTheModel(SeedBed bed) {
    List<JsonObject> came = new CopyOnWriteArrayList<>();
    McpServerClient server = bed.server(bed.serve(users(came)));
    var wrong = get(server.callTool("lookup_user", Map.of("id", "not-a-uuid")));
    assertThat(wrong.isError()).isTrue();
    assertThat(wrong.text()).contains("lookup_user", "id");
    assertThat(came).isEmpty();
  }

  private static void checksForTheServer(SeedBed bed) {
    List<JsonObject> came = new CopyOnWriteArrayList<>();
    String id = bed.serve(users(came));
    McpFailure wrong = bed.refused("mcp." + id + ".tools.call", lookup("not-a-uuid"));
    assertThat(wrong.code()).isEqualTo(FailureCode.INVALID_ARGUMENTS);
    assertThat(wrong.sent()).isEqualTo(McpFailure.Sent.NO);
    CallOptions checked = CallOptions.DEFAULT.withValidate(true);
    assertThat(refused(bed.server(id).callTool("lookup_user", Map.of("id", 5), checked)).code())
        .isEqualTo(FailureCode.INVALID_ARGUMENTS);
    assertThat(came).isEmpty();
  }

  private static void knowsTheClient(SeedBed bed) {
    AtomicReference<ServerRequest> came = new AtomicReference<>();
    String id =
        bed.serve(
            RawServer.of("own", "1")
                .tool(
                    "who",
                    "",
                    ANY,
                    (request, arguments) -> {
                      came.set(request);
                      return done(ToolResult.text(arguments.encode()));
                    }));
    String call = "{'name':'who','arguments':{'a':1}}";
    assertThat(text(bed.ask("mcp." + id + ".tools.call", call))).isEqualTo("{\"a\":1}");
    assertThat(came.get().client().name()).isEqualTo("mcpbus");
    assertThat(came.get().client().version()).isNotBlank();
  }

  private static void givesTheResult(SeedBed bed) {
    JsonObject result = json("{'content':[],'structuredContent':{'a':1},'_meta':{'x/y':[1]}}");
    String id =
        bed.serve(
            RawServer.of("own", "1")
                .versions(ProtocolVersion.V2025_11_25)
                .tool("any", "", ANY, (request, arguments) -> done(result)));
    assertThat(bed.ask("mcp." + id + ".tools.call", "{'name':'any'}")).isEqualTo(result);
    assertThat(get(bed.server(id).callTool("any", Map.of())).json()).isEqualTo(result);
  }

  private static void knowsItsTools(SeedBed bed) throws Exception {
    RawServer server = hello();
    String id = bed.serve(server);
    assertThat(bed.refused("mcp." + id + ".tools.call", "{'name':'helo'}"))
        .hasMessageContaining("helo");
    assertThat(refused(bed.server(id).callTool("helo", Map.of()))).hasMessageContaining("helo");
    RawClient raw = client(bed, server);
    raw.handshake();
    JsonObject error = get(raw.request("tools/call", "{\"name\":\"helo\"}")).getJsonObject("error");
    assertThat(error.getString("message")).contains("helo");
    assertThat(error.getInteger("code")).isEqualTo(-32602);
  }

  private static void survivesHandlers(SeedBed bed) {
    String id =
        bed.serve(
            RawServer.of("own", "1")
                .tool("fails", "", ANY, (r, a) -> Future.failedFuture("out of order"))
                .tool(
                    "throws",
                    "",
                    ANY,
                    (request, arguments) -> {
                      throw new IllegalStateException("no such city");
                    })
                .tool(
                    "recurses",
                    "",
                    ANY,
                    (request, arguments) -> {
                      throw new StackOverflowError("too deep");
                    }));
    Map<String, String> words =
        Map.of("fails", "out of order", "throws", "no such city", "recurses", "too deep");
    words.forEach(
        (tool, message) -> {
          JsonObject result = bed.ask("mcp." + id + ".tools.call", "{'name':'" + tool + "'}");
          assertThat(result.getBoolean("isError")).isTrue();
          assertThat(text(result)).isEqualTo(message);
        });
  }

  private static void hearsErrors(SeedBed bed) throws Exception {
    List<String> heard = new CopyOnWriteArrayList<>();
    RawServer server =
        RawServer.of("own", "1")
            .onError((client, subject, failure) -> heard.add(subject + ": " + failure.getMessage()))
            .tool("fails", "", ANY, (request, arguments) -> Future.failedFuture("out of order"));
    String id = bed.serve(server);
    bed.ask("mcp." + id + ".tools.call", "{'name':'fails'}");
    RawClient raw = client(bed, server);
    get(raw.request("tools/list", "{}"));
    until(() -> heard.size() == 2);
    assertThat(heard.get(0)).isEqualTo("tools/call fails: out of order");
    assertThat(heard.get(1)).startsWith("tools/list: call initialize first");
  }

  private static void wordsErrors(SeedBed bed) {
    String id = bed.serve(users(new ArrayList<>()));
    JsonObject found = bed.ask("mcp." + id + ".tools.call", lookup(ALICE));
    assertThat(found.getBoolean("isError", false)).isFalse();
    assertThat(new JsonObject(text(found)).getString("name")).isEqualTo("Alice");
    JsonObject none = bed.ask("mcp." + id + ".tools.call", lookup(NOBODY));
    assertThat(none.getBoolean("isError")).isTrue();
    assertThat(text(none)).isEqualTo("User not found: " + NOBODY);
  }

  private static void guards(SeedBed bed) {
    RawServer server =
        RawServer.of("own", "1")
            .tool(
                "get_profile",
                "",
                ANY,
                HandlerWrappers.authorized(request -> "alice".equals(request.principal()))
                    .wrap((request, arguments) -> done(ToolResult.text(request.principal()))));
    String stranger = bed.serve(server);
    Context context = bed.vertx().getOrCreateContext();
    String alice =
        bed.serve(
            Servers.transport(new InMemoryTransport("own", context, server.acceptor("alice"))));
    String call = ".tools.call";
    assertThat(bed.ask("mcp." + stranger + call, "{'name':'get_profile'}").getBoolean("isError"))
        .isTrue();
    assertThat(text(bed.ask("mcp." + alice + call, "{'name':'get_profile'}"))).isEqualTo("alice");
  }

  private static void normalises(SeedBed bed) {
    String id =
        bed.serve(
            RawServer.of("own", "1")
                .wrap(
                    HandlerWrappers.logged(LoggerFactory.getLogger(SdkSeedTest.class))
                        .around(HandlerWrappers.errors(failure -> "something went wrong")))
                .tool("fails", "", ANY, (request, arguments) -> Future.failedFuture("hunter2")));
    JsonObject result = bed.ask("mcp." + id + ".tools.call", "{'name':'fails'}");
    assertThat(result.getBoolean("isError")).isTrue();
    assertThat(text(result)).isEqualTo("something went wrong");
  }

  private static void intercepts(SeedBed bed) {
    List<String> seen = new CopyOnWriteArrayList<>();
    String id =
        bed.serve(
            RawServer.of("own", "1")
                .wrap(
                    inner ->
                        (request, input) -> {
                          seen.add(request.subject());
                          return inner.handle(request, input);
                        })
                .tool("hello", "", ANY, (request, arguments) -> done(ToolResult.text("hello")))
                .handle("x/any", (request, params) -> done(new JsonObject())));
    bed.ask("mcp." + id + ".request", "{'method':'x/any'}");
    get(bed.bus().server(id).callTool("hello", Map.of()));
    assertThat(seen).containsExactly("x/any", "tools/call hello");
  }

  private static List<Row> tests() {
    return List.of(
        new Row(
            "`InMemoryTransport.createLinkedPair`: the whole protocol without a network",
            "`mcp.<id>.tools.call`",
            "`InMemoryTransport`, `RawServer.inMemory`, `server.callTool`",
            "the document's own three tests",
            SdkSeedTest::isALinkedPair),
        new Row(
            "notifications of a server are captured in a test",
            "`mcp.<id>.events`",
            "`server.onNotification`, `server.onToolListChanged`, event `toolsListChanged`",
            "a handler registered before the call",
            SdkSeedTest::capturesNotifications),
        new Row(
            "progress notifications: those expected, in order, before the result",
            "`mcp.<id>.tools.call`",
            "`ServerRequest.progress`, `CallOptions.withProgress`, `server.callTool`",
            "three steps, by the facade and by an address",
            SdkSeedTest::capturesProgress),
        new Row(
            "the quick check: `initialize` by POST gives `serverInfo.name`",
            "",
            "`McpBus.Options.withPort`; path /mcp",
            "the body of the document's `curl`",
            SdkSeedTest::answersTheQuickCheck),
        new Row(
            "the external probe: every 60 s, the answer is verified",
            "`mcp.<id>.events`",
            "configuration `healthCheck`, event `healthCheckFailed`",
            "a server whose answer breaks the protocol",
            SdkSeedTest::probes),
        new Row(
            "the probe tracks the hash of `tools/list`: schema drift",
            "`mcp.<id>.events`, `mcp.<id>.tools.drift`",
            "`server.toolDrift`, event `schemaDrift`",
            "a description that changes without a word",
            SdkSeedTest::tracksDrift),
        new Row(
            "alerts before users notice",
            "`mcp.<id>.tools.call`, `mcp.<id>.tools.approve`",
            "`server.approveTool`, configuration `pin`, event `schemaDrift`",
            "a pinned tool that drifts is refused until it is approved",
            SdkSeedTest::alerts));
  }

  private static void isALinkedPair(SeedBed bed) {
    List<JsonObject> came = new CopyOnWriteArrayList<>();
    RawServer server = users(came).options(ServerOptions.DEFAULT.withRefuseArguments(true));
    Context context = bed.vertx().getOrCreateContext();
    String id = bed.serve(Servers.transport(new InMemoryTransport("users", context, server)));
    JsonObject alice = bed.ask("mcp." + id + ".tools.call", lookup(ALICE));
    assertThat(new JsonObject(text(alice)).getString("name")).isEqualTo("Alice");
    McpServerClient client = bed.server(id);
    assertThat(get(client.callTool("lookup_user", Map.of("id", NOBODY))).isError()).isTrue();
    refused(client.callTool("lookup_user", Map.of("id", "not-a-uuid")));
    assertThat(came).hasSize(2);
    assertThat(get(client.callTool("lookup_user", Map.of("id", ALICE))).text()).contains("Alice");
    get(server.close());
  }

  private static void capturesNotifications(SeedBed bed) {
    RawServer server =
        RawServer.of("own", "1")
            .versions(ProtocolVersion.V2025_11_25)
            .tool(
                "tell",
                "",
                ANY,
                (request, arguments) ->
                    request.notify("x/told", json("{'n':1}")).map(ToolResult.text("told")));
    String id = bed.serve(server);
    bed.hear("mcp." + id + ".events");
    List<JsonObject> told = new CopyOnWriteArrayList<>();
    List<JsonObject> changed = new CopyOnWriteArrayList<>();
    McpServerClient client = bed.server(id);
    get(client.onNotification("x/told", told::add).ready());
    get(client.onToolListChanged(changed::add).ready());
    get(client.callTool("tell", Map.of()));
    until(() -> told.equals(List.of(json("{'n':1}"))));
    server.tool("late", "", ANY, (request, arguments) -> done(ToolResult.text("")));
    until(() -> !changed.isEmpty());
  }

  private static Future<JsonObject> steps(ServerRequest request, JsonObject arguments) {
    for (int step = 1; step <= 3; step++) {
      request.progress(step, 3.0, "step " + step);
    }
    return done(ToolResult.text("done"));
  }

  private static void capturesProgress(SeedBed bed) {
    String id = bed.serve(RawServer.of("own", "1").tool("steps", "", ANY, SdkSeedTest::steps));
    List<String> heard = new CopyOnWriteArrayList<>();
    CallOptions listening = CallOptions.DEFAULT.withProgress(one -> heard.add(one.message()));
    get(bed.server(id).callTool("steps", Map.of(), listening).onSuccess(end -> heard.add("end")));
    until(() -> heard.contains("end"));
    assertThat(heard).containsExactly("step 1", "step 2", "step 3", "end");
    List<JsonObject> sent = bed.hear("my.progress");
    DeliveryOptions progress = new DeliveryOptions().addHeader("progress", "my.progress");
    get(bed.send("mcp." + id + ".tools.call", "{'name':'steps'}", progress));
    until(() -> sent.size() == 3);
    assertThat(sent).extracting(one -> one.getInteger("progress")).containsExactly(1, 2, 3);
  }

  private static void answersTheQuickCheck(SeedBed bed) {
    McpBus bus = bed.apart(McpBus.Options.of().withPort(0));
    JsonObject check =
        json(
            "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':"
                + "'2024-11-05','clientInfo':{'name':'health-check','version':'1.0'}}}");
    McpHttp.Answer answer = new McpHttp(bus.port(), "/mcp").post(check);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    JsonObject result = answer.result();
    assertThat(result.getJsonObject("serverInfo").getString("name")).isEqualTo("mcpbus");
    assertThat(result.getString("protocolVersion")).isEqualTo("2024-11-05");
  }

  /** A server whose list of tools is what the text says. */
  private static RawServer probed(AtomicReference<String> list) {
    return RawServer.of("probed", "1")
        .versions(ProtocolVersion.V2025_11_25)
        .capability("tools", new JsonObject())
        .otherwise(
            (request, params) ->
                done(
                    request.method().equals("tools/list")
                        ? json(list.get())
                        : ToolResult.text("fine")));
  }

  private static String described(String text) {
    return "{'tools':[{'name':'a','description':'" + text + "','inputSchema':{'type':'object'}}]}";
  }

  private static String serveProbed(SeedBed bed, RawServer server) {
    return bed.serve(
        Servers.transport(server.inMemory(bed.vertx().getOrCreateContext()))
            .set("healthCheck", json("{'interval':'20ms'}")));
  }

  private static void probes(SeedBed bed) {
    assertThat(ConnectionOptions.DEFAULT.healthInterval()).isEqualTo(Duration.ofSeconds(60));
    AtomicReference<String> list = new AtomicReference<>(described("reads"));
    String id = serveProbed(bed, probed(list));
    List<JsonObject> heard = bed.hear("mcp." + id + ".events");
    list.set("{'tools':'none'}");
    until(() -> heard.stream().anyMatch(one -> "PROTOCOL_ERROR".equals(one.getString("code"))));
    assertThat(first(heard, "healthCheckFailed").getString("check")).isEqualTo("tools/list");
  }

  private static void tracksDrift(SeedBed bed) {
    AtomicReference<String> list = new AtomicReference<>(described("reads"));
    String id = serveProbed(bed, probed(list));
    List<JsonObject> heard = bed.hear("mcp." + id + ".events");
    String before = bed.ask("mcp." + id + ".tools.drift").getString("hash");
    list.set(described("deletes"));
    JsonObject drift = first(heard, "schemaDrift");
    JsonArray changed = drift.getJsonArray("changed");
    assertThat(changed.getJsonObject(0).getString("tool")).isEqualTo("a");
    assertThat(changed.encode()).contains("reads", "deletes", "/description");
    String after = get(bed.server(id).toolDrift()).getString("hash");
    assertThat(drift.getString("hash")).isEqualTo(after).isNotEqualTo(before);
  }

  private static void alerts(SeedBed bed) {
    AtomicReference<String> list = new AtomicReference<>(described("reads"));
    RawServer server = probed(list);
    String id =
        bed.serve(
            Servers.transport(server.inMemory(bed.vertx().getOrCreateContext()))
                .set("healthCheck", json("{'interval':'20ms'}"))
                .pin(true));
    List<JsonObject> heard = bed.hear("mcp." + id + ".events");
    list.set(described("deletes"));
    first(heard, "schemaDrift");
    McpFailure held = bed.refused("mcp." + id + ".tools.call", "{'name':'a'}");
    assertThat(held.code()).isEqualTo(FailureCode.FORBIDDEN);
    JsonObject pending = get(bed.server(id).toolDrift()).getJsonArray("pending").getJsonObject(0);
    get(bed.server(id).approveTool("a", pending.getString("hash")));
    assertThat(text(bed.ask("mcp." + id + ".tools.call", "{'name':'a'}"))).isEqualTo("fine");
    bed.ask("mcp." + id + ".tools.approve", "{'tool':'a'}");
  }
}
