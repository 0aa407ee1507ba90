package dev.mcpbus.testing;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * A stateless MCP server over HTTP with one tool, {@code echo}, and a GET stream that stays open
 * and says nothing. A process of its own: prints its port, then serves until it is killed.
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

  private HttpEcho() {}

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    HttpServerOptions options =
        new HttpServerOptions().setHost("127.0.0.1").setPort(0).setAcceptBacklog(2_000);
    vertx
        .deployVerticle(
            new AbstractVerticle() {
              @Override
              public void start(io.vertx.core.Promise<Void> started) {
                vertx
                    .createHttpServer(options)
                    .requestHandler(HttpEcho::serve)
                    .listen()
                    .onSuccess(server -> System.out.println(server.actualPort()))
                    .<Void>mapEmpty()
                    .onComplete(started);
              }
            },
            new DeploymentOptions())
        .onFailure(failure -> System.exit(1));
  }

  private static void serve(HttpServerRequest request) {
    if (request.method().equals(HttpMethod.GET)) {
      request
          .response()
          .setChunked(true)
          .putHeader("Content-Type", "text/event-stream")
          .write(": open\n\n");
    } else {
      request.body().onSuccess(body -> answer(request, new JsonObject(body)));
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
            "content",
            new JsonArray().add(new JsonObject().put("type", "text").put("text", text)));
  }
}
