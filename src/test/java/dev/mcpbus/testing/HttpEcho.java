package dev.mcpbus.testing;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;

/**
 * A stateless MCP server over HTTP with one tool, {@code echo}, and a GET stream that stays open
 * and says nothing. As Node does, it closes a connection that was idle for a few seconds; GET
 * {@code /connections} tells how many are open. A process of its own: prints its port, then serves
 * until it is killed.
 */
final class HttpEcho {

  private static final JsonObject INITIALIZED =
      new JsonObject()
          .put("protocolVersion", "2025-11-25")
          .put("capabilities", new JsonObject().put("tools", new JsonObject()))
          .put("serverInfo", new JsonObject().put("name", "echo").put("version", "1"));

  private static final JsonObject TOOLS =
      new JsonObject()
          .put(
              "tools",
              new JsonArray()
                  .add(
                      new JsonObject()
                          .put("name", "echo")
                          .put("inputSchema", new JsonObject().put("type", "object"))));

  private final Vertx vertx;
  private final long idleMillis;

  /** The timer that closes each idle connection; one event loop serves all. */
  private final Map<HttpConnection, Long> idle = new HashMap<>();

  private int open;

  private HttpEcho(Vertx vertx, long idleMillis) {
    this.vertx = vertx;
    this.idleMillis = idleMillis;
  }

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    HttpEcho echo = new HttpEcho(vertx, Long.parseLong(args[0]));
    HttpServerOptions options =
        new HttpServerOptions().setHost("127.0.0.1").setPort(0).setAcceptBacklog(2_000);
    vertx
        .deployVerticle(
            context ->
                vertx
                    .createHttpServer(options)
                    .connectionHandler(echo::opened)
                    .requestHandler(echo::serve)
                    .listen()
                    .onSuccess(server -> System.out.println(server.actualPort())))
        .onFailure(failure -> System.exit(1));
  }

  private void opened(HttpConnection connection) {
    open++;
    connection.closeHandler(
        closed -> {
          open--;
          busy(connection);
        });
  }

  private void busy(HttpConnection connection) {
    Long timer = idle.remove(connection);
    if (timer != null) {
      vertx.cancelTimer(timer);
    }
  }

  private void serve(HttpServerRequest request) {
    busy(request.connection());
    if (request.path().equals("/connections")) {
      request.response().putHeader("Connection", "close").end(Integer.toString(open));
    } else if (request.method().equals(HttpMethod.GET)) {
      request
          .response()
          .setChunked(true)
          .putHeader("Content-Type", "text/event-stream")
          .write(": open\n\n");
    } else {
      request.body().onSuccess(body -> answer(request, new JsonObject(body)));
      request
          .response()
          .endHandler(
              ended ->
                  idle.put(
                      request.connection(),
                      vertx.setTimer(idleMillis, late -> request.connection().close())));
    }
  }

  private static void answer(HttpServerRequest request, JsonObject message) {
    JsonObject result =
        switch (message.getString("method", "")) {
          case "initialize" -> INITIALIZED;
          case "tools/list" -> TOOLS;
          case "tools/call" -> echo(message.getJsonObject("params"));
          case "ping" -> new JsonObject();
          default -> null;
        };
    if (result == null) {
      request.response().setStatusCode(202).end();
      return;
    }
    Buffer body =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", message.getValue("id"))
            .put("result", result)
            .toBuffer();
    request.response().putHeader("Content-Type", "application/json").end(body);
  }

  private static JsonObject echo(JsonObject params) {
    String text = params.getJsonObject("arguments").getString("call") + " 0";
    return new JsonObject()
        .put(
            "content", new JsonArray().add(new JsonObject().put("type", "text").put("text", text)));
  }
}
