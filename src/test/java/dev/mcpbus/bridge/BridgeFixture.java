package dev.mcpbus.bridge;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.testing.OpenAccess;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A bridge on a free port, with consumers in place of the service. */
final class BridgeFixture {

  /** What a consumer saw of one call. */
  record Seen(String address, String body, MultiMap headers) {}

  record Answer(int status, MultiMap headers, String body) {
    JsonObject json() {
      return new JsonObject(body);
    }
  }

  static final ConnectionId ALPHA = new ConnectionId("alpha");

  final Vertx vertx;
  final BridgeVerticle bridge;
  final Readiness readiness = new Readiness();
  final List<Seen> seen = new CopyOnWriteArrayList<>();
  final int port;
  final String deployment;

  /** The admin token. */
  final String admin;

  private final HttpClient client;

  BridgeFixture(Vertx vertx) {
    this(vertx, BridgeOptions.DEFAULT.withPort(0), new AtomicInteger());
  }

  BridgeFixture(Vertx vertx, BridgeOptions options) {
    this(vertx, options, new AtomicInteger());
  }

  private BridgeFixture(Vertx vertx, BridgeOptions options, AtomicInteger counter) {
    this(vertx, options, () -> "call-" + counter.incrementAndGet());
  }

  BridgeFixture(Vertx vertx, BridgeOptions options, Supplier<String> callIds) {
    this(vertx, options, callIds, OpenAccess.control());
  }

  BridgeFixture(Vertx vertx, AccessControl access) {
    this(vertx, BridgeOptions.DEFAULT.withPort(0), () -> "call", access);
  }

  private BridgeFixture(
      Vertx vertx, BridgeOptions options, Supplier<String> callIds, AccessControl access) {
    this.vertx = vertx;
    Codecs.register(vertx);
    admin = Objects.requireNonNullElse(access.adminToken(), "none");
    bridge =
        BridgeVerticle.several(
                1,
                options,
                callIds,
                () -> null,
                access::admissionControl,
                readiness,
                OpenAccess.CALLERS)
            .get(0);
    deployment = await(vertx.deployVerticle(bridge));
    port = bridge.port();
    client = vertx.createHttpClient();
  }

  static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("not in time, or failed", e);
    }
  }

  /** The service's own addresses, with {@code alpha} ready and {@code beta} failed. */
  void service() {
    JsonObject alpha = new JsonObject().put("id", "alpha").put("state", "READY");
    JsonObject beta = new JsonObject().put("id", "beta").put("state", "FAILED");
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_LIST,
            m -> m.reply(new JsonObject().put("servers", new JsonArray().add(alpha).add(beta))));
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_NODES, m -> m.reply(new JsonObject().put("nodes", new JsonArray())));
    vertx
        .eventBus()
        .<JsonObject>consumer(
            Addresses.SERVERS_GET,
            m -> {
              String id = m.body().getString("id");
              if (id.equals("alpha") || id.equals("beta")) {
                m.reply(id.equals("alpha") ? alpha : beta);
              } else {
                m.reply(
                    McpFailure.notSent(
                        FailureCode.UNKNOWN_CONNECTION, "no server " + id + " here"));
              }
            });
  }

  /** Answers every call on {@code address} with {@code reply}, a text of bytes or a failure. */
  void on(String address, Object reply) {
    vertx
        .eventBus()
        .<Buffer>consumer(
            address,
            m -> {
              note(m);
              m.reply(reply instanceof String text ? Buffer.buffer(text) : reply);
            });
  }

  void note(Message<?> m) {
    seen.add(new Seen(m.address(), String.valueOf(m.body()), m.headers()));
  }

  Answer get(String path) {
    return send(HttpMethod.GET, path, "", MultiMap.caseInsensitiveMultiMap());
  }

  Answer post(String path, String body) {
    return send(HttpMethod.POST, path, body, MultiMap.caseInsensitiveMultiMap());
  }

  /** Sends with the admin token. */
  Answer postAsAdmin(String path, String body) {
    return send(HttpMethod.POST, path, body, asAdmin());
  }

  MultiMap asAdmin() {
    return MultiMap.caseInsensitiveMultiMap().add("Authorization", "Bearer " + admin);
  }

  Answer send(HttpMethod method, String path, String body, MultiMap headers) {
    return await(
        client
            .request(method, port, "127.0.0.1", path)
            .compose(
                request -> {
                  request.headers().addAll(headers);
                  // Inside, on the client's context: from here it could come too late for the body.
                  return request.send(Buffer.buffer(body)).compose(BridgeFixture::answer);
                }));
  }

  private static Future<Answer> answer(HttpClientResponse response) {
    return response
        .body()
        .map(bytes -> new Answer(response.statusCode(), response.headers(), bytes.toString()));
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(10_000);
    return socket;
  }

  /** The head of a POST from an allowed host, whose body has {@code length} bytes. */
  String post(String path, int length, String... headers) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: localhost:"
        + port
        + "\r\nContent-Length: "
        + length
        + "\r\n"
        + String.join("", headers)
        + "\r\n";
  }

  /** Sends {@code request} as it is and reads until the bridge closes. */
  String raw(String request) throws IOException {
    try (Socket socket = connect()) {
      write(socket, request);
      return readAll(socket);
    }
  }

  static void write(Socket socket, String text) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  static String readAll(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }
}
