package dev.mcpbus.faults;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.PinOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.Transport;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** An mcpbus behind keys: servers {@code a} and {@code b}, callers root, alice and bob. */
final class DoorBed implements AutoCloseable {

  static final ApiKeys.Fresh ROOT = ApiKeys.generate(new SecureRandom());
  static final ApiKeys.Fresh ALICE = ApiKeys.generate(new SecureRandom());
  static final ApiKeys.Fresh BOB = ApiKeys.generate(new SecureRandom());

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  final TestBus bus;
  final ListAppender<ILoggingEvent> log = new ListAppender<>();

  DoorBed(AuthOptions auth) {
    this(BridgeOptions.DEFAULT.withPort(0), auth);
  }

  DoorBed(BridgeOptions bridge, AuthOptions auth) {
    this(bridge, GatewayOptions.DEFAULT, auth);
  }

  DoorBed(BridgeOptions bridge, GatewayOptions gateway, AuthOptions auth) {
    log.start();
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).addAppender(log);
    bus = TestBus.startWithAuth(new JsonObject(), bridge, gateway, auth);
    peer("a", "read_one", "delete_all");
    peer("b", "read_two");
  }

  static ApiKey key(String name, ApiKeys.Fresh key, boolean admin) {
    return new ApiKey(name, key.hash(), Set.of(), admin, null, null);
  }

  static AuthOptions keys() {
    return TestOptions.ofKeys(
        List.of(key("root", ROOT, true), key("alice", ALICE, false), key("bob", BOB, false)));
  }

  /** Root may everything, alice reads at a, bob may everything that needs no admin right. */
  static AuthOptions policies() {
    return RecordCopy.with(
        keys(),
        "policies",
        List.of(
            new Policy(List.of("root", "bob"), List.of(), List.of(), Set.of(), Effect.ALLOW),
            new Policy(List.of("alice"), List.of("a"), List.of("read_*"), Set.of(), Effect.ALLOW),
            new Policy(
                List.of("alice"), List.of(), List.of(), Set.of(Action.SUBSCRIBE), Effect.DENY)));
  }

  private void peer(String id, String... tools) {
    JsonObject list = new JsonObject().put("ttlMs", 60_000).put("cacheScope", "public");
    io.vertx.core.json.JsonArray all = new io.vertx.core.json.JsonArray();
    for (String tool : tools) {
      all.add(
          new JsonObject()
              .put("name", tool)
              .put("inputSchema", new JsonObject().put("type", "object")));
    }
    list.put("tools", all);
    ScriptedPeer peer =
        ScriptedPeer.discover(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "tools/list" -> "\"result\":" + list;
                  case "resources/list" -> "\"result\":{\"resources\":[],\"ttlMs\":60000}";
                  case "prompts/list" -> "\"result\":{\"prompts\":[],\"ttlMs\":60000}";
                  case "resources/templates/list" ->
                      "\"result\":{\"resourceTemplates\":[],\"ttlMs\":60000}";
                  case "tools/call" ->
                      "\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\","
                          + "\"text\":\"done\"}]}";
                  default -> null;
                });
    TestBus.await(
        TestOptions.add(
            bus.bus(), new ConnectionId(id), peer.transport(), ConnectionOptions.DEFAULT));
    bus.awaitState(id, "READY");
  }

  /**
   * @param action what it needs, as in policies
   */
  record Route(String method, String path, String action) {
    boolean isPost() {
      return method.equals("POST");
    }
  }

  /** All that the bridge says it has, with names in their paths that there are. */
  List<Route> routes() {
    String[] caller = bus.bus().adminToken() == null ? as(ROOT) : new String[0];
    JsonObject paths =
        new JsonObject(send("GET", "/openapi.json", "", caller).body()).getJsonObject("paths");
    List<Route> routes = new ArrayList<>();
    for (String path : paths.fieldNames()) {
      String filled = path.replace("{id}", "a").replace("{tool}", "read_one");
      for (String method : paths.getJsonObject(path).fieldNames()) {
        String action = paths.getJsonObject(path).getJsonObject(method).getString("x-action");
        routes.add(
            new Route(method.toUpperCase(Locale.ROOT), filled.replaceAll("\\{\\w+}", "x"), action));
      }
    }
    return routes;
  }

  /** One more server, of the {@code discover} era. */
  ScriptedPeer add(String id, ScriptedPeer.Script script) {
    ScriptedPeer peer = ScriptedPeer.discover(bus.vertx(), script);
    TestBus.await(
        TestOptions.add(
            bus.bus(), new ConnectionId(id), peer.transport(), ConnectionOptions.DEFAULT));
    bus.awaitState(id, "READY");
    return peer;
  }

  /** A server whose tools are held to what they were first. */
  void pin(String id, Transport transport) {
    ConnectionOptions pinned =
        RecordCopy.with(ConnectionOptions.DEFAULT, "pin", PinOptions.FIRST_USE);
    TestBus.await(TestOptions.add(bus.bus(), new ConnectionId(id), transport, pinned));
    bus.awaitState(id, "READY");
  }

  /** A described request of the {@code discover} era, and the answer's body. */
  McpHttp.Answer discover(String path, String method, JsonObject params, String... headers) {
    McpHttp mcp = mcp(path);
    JsonObject request = mcp.described(method, params).put("id", 7);
    return mcp.post(
        request,
        Stream.concat(Stream.of(headers), Stream.of(McpHttp.headers(request)))
            .toArray(String[]::new));
  }

  McpHttp mcp(String path) {
    return new McpHttp(bus.port(), path);
  }

  static String[] as(ApiKeys.Fresh key) {
    return new String[] {"Authorization", "Bearer " + key.key()};
  }

  HttpResponse<String> send(String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + bus.port() + path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return CLIENT.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Sends those bytes as they are; what comes back until the other side closes. */
  String raw(String text) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), bus.port())) {
      socket.setSoTimeout(20_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          text.replace("PORT", Integer.toString(bus.port())).getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  /** A POST whose answer nobody has read yet, as alice where no header says otherwise. */
  Socket post(String path, String body, String... headers) throws IOException {
    StringBuilder head = new StringBuilder("POST " + path + " HTTP/1.1\r\nHost: localhost:");
    head.append(bus.port()).append("\r\n");
    if (!List.of(headers).contains("Authorization")) {
      head.append("Authorization: Bearer ").append(ALICE.key()).append("\r\n");
    }
    head.append("Content-Type: application/json\r\n");
    head.append("Accept: application/json, text/event-stream\r\n");
    for (int i = 0; i < headers.length; i += 2) {
      head.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
    }
    head.append("Content-Length: ").append(body.length()).append("\r\n\r\n");
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), bus.port());
    socket.setSoTimeout(20_000);
    socket.getOutputStream().write((head + body).getBytes(StandardCharsets.ISO_8859_1));
    return socket;
  }

  List<JsonObject> audit() {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getLoggerName().equals("dev.mcpbus.audit"))
        .map(event -> new JsonObject(event.getFormattedMessage()))
        .toList();
  }

  String everythingLogged() {
    StringBuilder all = new StringBuilder();
    for (ILoggingEvent event : List.copyOf(log.list)) {
      all.append(event.getFormattedMessage()).append('\n');
    }
    return all.toString();
  }

  @Override
  public void close() {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).detachAppender(log);
    bus.close();
  }
}
