package dev.mcpbus.testing;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server over HTTP of the {@code initialize} era that knows its users by the header {@code
 * X-Token}: its tool {@code whoami} answers with the token, and its list has a tool that is named
 * after it. It refuses a session that comes with another token than it began with.
 */
public final class TokenEchoServer {

  private final HttpServer server;
  private final Map<String, String> sessions = new ConcurrentHashMap<>();
  private final AtomicInteger last = new AtomicInteger();

  /** The tokens that came with any request. */
  public final Set<String> tokens = ConcurrentHashMap.newKeySet();

  /** Names and values of all headers that came, in small letters, but for lengths and ids. */
  public final Set<String> headers = ConcurrentHashMap.newKeySet();

  public TokenEchoServer(Vertx vertx) {
    server =
        TestBus.await(vertx.createHttpServer().requestHandler(this::handle).listen(0, "127.0.0.1"));
  }

  public String url() {
    return "http://127.0.0.1:" + server.actualPort() + "/mcp";
  }

  /** Sessions that are open now. */
  public int sessions() {
    return sessions.size();
  }

  private void handle(HttpServerRequest request) {
    request
        .headers()
        .forEach((name, value) -> headers.add(name.toLowerCase(Locale.ROOT) + ": " + value));
    String token = String.valueOf(request.getHeader("X-Token"));
    tokens.add(token);
    String session = request.getHeader("Mcp-Session-Id");
    if (session != null && !token.equals(sessions.get(session))) {
      request.response().setStatusCode(404).end();
      return;
    }
    if (request.method().equals(HttpMethod.DELETE) && session != null) {
      sessions.remove(session);
      request.response().setStatusCode(200).end();
      return;
    }
    if (!request.method().equals(HttpMethod.POST)) {
      request.response().setStatusCode(405).end();
      return;
    }
    request.body().onSuccess(body -> answer(request, token, body.toJsonObject()));
  }

  private void answer(HttpServerRequest request, String token, JsonObject message) {
    Object id = message.getValue("id");
    if (id == null) {
      request.response().setStatusCode(202).end();
      return;
    }
    @Nullable JsonObject result =
        switch (message.getString("method")) {
          case "initialize" -> {
            String session = "s" + last.incrementAndGet();
            sessions.put(session, token);
            request.response().putHeader("Mcp-Session-Id", session);
            yield new JsonObject()
                .put("protocolVersion", "2025-11-25")
                .put("capabilities", new JsonObject().put("tools", new JsonObject()))
                .put("serverInfo", new JsonObject().put("name", "echo").put("version", "1"));
          }
          case "tools/list" ->
              new JsonObject()
                  .put("tools", new JsonArray().add(tool("whoami")).add(tool("of_" + token)));
          case "tools/call" ->
              new JsonObject()
                  .put(
                      "content",
                      new JsonArray().add(new JsonObject().put("type", "text").put("text", token)));
          case "ping" -> new JsonObject();
          default -> null;
        };
    JsonObject answer = new JsonObject().put("jsonrpc", "2.0").put("id", id);
    request
        .response()
        .putHeader("Content-Type", "application/json")
        .end(
            (result == null
                    ? answer.put("error", new JsonObject().put("code", -32601).put("message", "no"))
                    : answer.put("result", result))
                .encode());
  }

  private static JsonObject tool(String name) {
    return new JsonObject()
        .put("name", name)
        .put("inputSchema", new JsonObject().put("type", "object"));
  }
}
