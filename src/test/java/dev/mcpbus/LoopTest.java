package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that lead back to the mcpbus that asks them. */
class LoopTest {

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  /** An mcpbus with one server of two tools. */
  private TestBus bus() {
    TestBus bus = TestBus.startWithBridge(new JsonObject());
    open.add(bus);
    ScriptedPeer peer =
        ScriptedPeer.discover(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "tools/list" ->
                      "\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}},"
                          + "{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\"}}],\"ttlMs\":0}";
                  default -> null;
                });
    add(bus, "own", peer.transport());
    bus.awaitState("own", "READY");
    return bus;
  }

  private static void add(TestBus bus, String id, Transport transport) {
    TestBus.await(
        TestOptions.add(bus.bus(), new ConnectionId(id), transport, ConnectionOptions.DEFAULT));
  }

  private static void add(TestBus bus, String id, String url, String... more) {
    JsonObject entry = new JsonObject().put("type", "http").put("url", url);
    for (int i = 0; i < more.length; i += 2) {
      entry.put(more[i], more[i + 1]);
    }
    bus.request("mcp.servers.add", new JsonObject().put("name", id).put("config", entry));
  }

  private static String mcp(TestBus bus, String path) {
    return "http://127.0.0.1:" + bus.port() + path;
  }

  private static List<String> tools(TestBus bus) {
    McpHttp.Session client = new McpHttp(bus.port(), "/mcp").initialize();
    return McpHttp.names(client.call("tools/list", new JsonObject()).result(), "tools");
  }

  private static String whyRefused(TestBus bus, String id) {
    JsonObject status = bus.awaitState(id, "FAILED");
    assertThat(status.getJsonObject("lastError").getString("code")).isEqualTo("LOOP_DETECTED");
    assertThat(status.getValue("nextAttempt")).as("no further attempt by itself").isNull();
    return status.getJsonObject("lastError").getString("message");
  }

  @Test
  void our_own_address_is_refused_and_the_status_says_what_to_do() {
    TestBus bus = bus();
    List<String> versions = List.of("2025-11-25", "2025-03-26", "2026-07-28");
    versions.forEach(
        version -> add(bus, "self-" + version, mcp(bus, "/mcp"), "protocolVersion", version));
    for (String version : versions) {
      assertThat(whyRefused(bus, "self-" + version))
          .startsWith("this server leads back to this mcpbus: the answer to ")
          .contains("Remove the server", "/mcp/<view>");
    }
    assertThat(tools(bus)).containsExactly("own__a", "own__b");
  }

  @Test
  void so_is_the_path_of_the_server_itself_and_the_older_transport() {
    TestBus bus = bus();
    // It waits for its own handshake.
    add(bus, "self", mcp(bus, "/mcp/self"), "handshakeTimeout", "1s");
    bus.awaitState("self", "FAILED", "RECONNECTING");
    JsonObject entry = new JsonObject().put("type", "sse").put("url", mcp(bus, "/sse"));
    bus.request("mcp.servers.add", new JsonObject().put("name", "old").put("config", entry));
    whyRefused(bus, "old");
    assertThat(tools(bus)).contains("own__a", "own__b").hasSize(2);
  }

  @Test
  void our_own_address_behind_a_proxy_that_knows_nothing_is_refused() {
    TestBus bus = bus();
    add(bus, "self", "http://127.0.0.1:" + proxy(bus) + "/mcp");
    whyRefused(bus, "self");
    assertThat(tools(bus)).containsExactly("own__a", "own__b");
  }

  /** What a load balancer does. */
  private int proxy(TestBus target) {
    Vertx vertx = Vertx.vertx();
    open.add(() -> TestBus.await(vertx.close()));
    HttpClient client = vertx.createHttpClient();
    HttpServer server =
        TestBus.await(
            vertx
                .createHttpServer()
                .requestHandler(request -> forward(client, target.port(), request))
                .listen(0, "127.0.0.1"));
    return server.actualPort();
  }

  private static void forward(HttpClient client, int port, HttpServerRequest request) {
    request
        .body()
        .onSuccess(
            (Buffer body) ->
                client
                    .request(request.method(), port, "127.0.0.1", request.uri())
                    .compose(
                        (HttpClientRequest to) -> {
                          request
                              .headers()
                              .forEach(
                                  header -> {
                                    if (!header.getKey().equalsIgnoreCase("host")) {
                                      to.putHeader(header.getKey(), header.getValue());
                                    }
                                  });
                          return to.send(body);
                        })
                    .onSuccess(
                        answer -> {
                          request.response().setStatusCode(answer.statusCode()).setChunked(true);
                          answer
                              .headers()
                              .forEach(
                                  header -> {
                                    String name = header.getKey().toLowerCase(Locale.ROOT);
                                    if (!name.equals("content-length")
                                        && !name.equals("transfer-encoding")) {
                                      request.response().putHeader(name, header.getValue());
                                    }
                                  });
                          answer.pipeTo(request.response());
                        }));
  }

  @Test
  void a_loop_through_another_mcpbus_is_cut_and_both_keep_what_is_theirs() {
    TestBus one = bus();
    TestBus two = bus();
    add(one, "two", mcp(two, "/mcp"));
    one.awaitState("two", "READY");
    assertThat(tools(one)).containsExactly("own__a", "own__b", "two__own__a", "two__own__b");
    add(two, "one", mcp(one, "/mcp"));
    String why = whyRefused(two, "one");
    assertThat(why).contains("through 1 other mcpbus");
    assertThat(tools(two)).containsExactly("own__a", "own__b");
    assertThat(tools(one)).containsExactly("own__a", "own__b", "two__own__a", "two__own__b");
  }

  @Test
  void a_loop_behind_a_gateway_that_makes_its_own_handshake_is_cut_by_the_first_list() {
    TestBus bus = bus();
    Vertx elsewhere = Vertx.vertx();
    open.add(() -> TestBus.await(elsewhere.close()));
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    McpHttp.Session session = client.initialize();
    ScriptedPeer foreign =
        new ScriptedPeer(
            elsewhere,
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                  case "initialize" -> ScriptedPeer.INITIALIZED;
                  case "tools/list" ->
                      "\"result\":" + session.call("tools/list", new JsonObject()).result();
                  default -> null;
                });
    add(bus, "foreign", foreign.transport());
    assertThat(whyRefused(bus, "foreign")).contains("the answer to tools/list names it");
    assertThat(tools(bus)).containsExactly("own__a", "own__b");
  }

  @Test
  void what_is_known_to_be_behind_a_server_is_told_with_every_list() {
    TestBus one = bus();
    TestBus two = bus();
    McpHttp.Session client = new McpHttp(one.port(), "/mcp").initialize();
    JsonObject before = client.initialized().getJsonObject("_meta");
    assertThat(before.getJsonArray("dev.mcpbus/via")).hasSize(1);
    add(one, "two", mcp(two, "/mcp"));
    one.awaitState("two", "READY");
    await()
        .untilAsserted(
            () ->
                assertThat(
                        client
                            .call("tools/list", new JsonObject())
                            .result()
                            .getJsonObject("_meta")
                            .getJsonArray("dev.mcpbus/via"))
                    .hasSize(2));
    McpHttp.Session own = new McpHttp(one.port(), "/mcp/own").initialize();
    assertThat(own.initialized().getJsonObject("_meta").getJsonArray("dev.mcpbus/via"))
        .isEqualTo(before.getJsonArray("dev.mcpbus/via"));
  }

  @Test
  void three_that_go_round_are_cut_and_a_diamond_is_not() {
    TestBus one = bus();
    TestBus two = bus();
    TestBus three = bus();
    add(one, "two", mcp(two, "/mcp"));
    one.awaitState("two", "READY");
    add(two, "three", mcp(three, "/mcp"));
    two.awaitState("three", "READY");
    add(one, "three", mcp(three, "/mcp"));
    one.awaitState("three", "READY");
    assertThat(tools(one)).contains("three__own__a", "two__three__own__a");
    add(three, "one", mcp(one, "/mcp"));
    whyRefused(three, "one");
    assertThat(tools(three)).containsExactly("own__a", "own__b");
  }
}
