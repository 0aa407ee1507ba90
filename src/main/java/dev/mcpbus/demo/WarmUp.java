package dev.mcpbus.demo;

import dev.mcpbus.protocol.MetaKeys;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Makes the code of calls fast: some hundred calls to the demo server by every door of an mcpbus
 * that serves nothing else. A node that has just started would otherwise be ready and many times
 * slower than the others. Any thread may call.
 */
public final class WarmUp {

  /** The name of the demo server in that mcpbus. */
  public static final String SERVER = "demo";

  /** Of each kind: enough that the JVM compiles what a call runs. */
  private static final int CALLS = 100;

  /** A busy machine must not keep a node out. */
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final String DISCOVER_VERSION = "2026-07-28";
  private static final String INITIALIZE_VERSION = "2025-11-25";

  private final long until = System.nanoTime() + MOST_NANOS;
  private final HttpClient client;
  private final int port;
  private final String key;

  private WarmUp(Vertx vertx, int port, String key) {
    this.client = vertx.createHttpClient();
    this.port = port;
    this.key = key;
  }

  /**
   * Makes the calls; takes 5 s at most.
   *
   * @param port of the mcpbus, on the loopback interface
   * @param key of an administrator
   */
  public static Future<Void> calls(Vertx vertx, int port, String key) {
    return new WarmUp(vertx, port, key).calls();
  }

  private Future<Void> calls() {
    JsonObject echo =
        new JsonObject().put("name", "echo").put("arguments", new JsonObject().put("text", "warm"));
    return post(
            "/mcp/" + SERVER,
            rpc("initialize", initialize()),
            Map.of("MCP-Protocol-Version", INITIALIZE_VERSION))
        .compose(
            opened ->
                repeat(
                    CALLS,
                    () ->
                        Future.all(
                                rest(echo.getJsonObject("arguments")),
                                discover(echo),
                                session(echo, opened),
                                post(
                                    "/rpc",
                                    rpc("tools/call", echo.copy().put("name", SERVER + ":echo")),
                                    Map.of()))
                            .mapEmpty()));
  }

  private Future<Void> repeat(int times, Supplier<Future<Void>> step) {
    return times == 0 || System.nanoTime() - until > 0
        ? Future.succeededFuture()
        : step.get().otherwiseEmpty().compose(done -> repeat(times - 1, step));
  }

  private Future<HttpClientResponse> rest(JsonObject arguments) {
    return post("/api/servers/" + SERVER + "/tools/echo", arguments, Map.of());
  }

  private Future<HttpClientResponse> discover(JsonObject call) {
    JsonObject meta =
        new JsonObject()
            .put(MetaKeys.PROTOCOL_VERSION, DISCOVER_VERSION)
            .put(MetaKeys.CLIENT_INFO, client())
            .put(MetaKeys.CLIENT_CAPABILITIES, new JsonObject());
    return post(
        "/mcp/" + SERVER,
        rpc("tools/call", call.copy().put("_meta", meta)),
        Map.of(
            "MCP-Protocol-Version",
            DISCOVER_VERSION,
            "Mcp-Method",
            "tools/call",
            "Mcp-Name",
            "echo"));
  }

  private Future<HttpClientResponse> session(JsonObject call, HttpClientResponse opened) {
    return post(
        "/mcp/" + SERVER,
        rpc("tools/call", call),
        Map.of(
            "MCP-Protocol-Version",
            INITIALIZE_VERSION,
            "Mcp-Session-Id",
            String.valueOf(opened.getHeader("Mcp-Session-Id"))));
  }

  private static JsonObject initialize() {
    return new JsonObject()
        .put("protocolVersion", INITIALIZE_VERSION)
        .put("capabilities", new JsonObject())
        .put("clientInfo", client());
  }

  private static JsonObject client() {
    return new JsonObject().put("name", "warm-up").put("version", "1");
  }

  private static JsonObject rpc(String method, JsonObject params) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", 1)
        .put("method", method)
        .put("params", params);
  }

  private Future<HttpClientResponse> post(
      String path, JsonObject body, Map<String, String> headers) {
    Buffer bytes = body.toBuffer();
    return client
        .request(HttpMethod.POST, port, "127.0.0.1", path)
        .compose(request -> send(request, bytes, headers))
        .compose(response -> response.end().map(response));
  }

  private Future<HttpClientResponse> send(
      HttpClientRequest request, Buffer body, Map<String, String> headers) {
    request
        .putHeader("Authorization", "Bearer " + key)
        .putHeader("Content-Type", "application/json")
        .putHeader("Accept", "application/json, text/event-stream");
    headers.forEach(request::putHeader);
    return request.send(body);
  }
}
