package dev.mcpbus.bench.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** A server of both eras with 5,000 tools, each of which answers with a text of 10 MB. */
final class LargeServer {

  static final int TOOLS = 5_000;
  static final int TEXT_BYTES = 10 * 1024 * 1024;

  private final Buffer text;
  private final Buffer tools;

  private LargeServer() {
    this.text =
        Buffer.buffer("{\"content\":[{\"type\":\"text\",\"text\":\"")
            .appendString("0123456789abcdef".repeat(TEXT_BYTES / 16))
            .appendString("\"}],\"isError\":false}");
    JsonArray list = new JsonArray();
    for (int i = 0; i < TOOLS; i++) {
      list.add(
          new JsonObject()
              .put("name", "tool_" + i)
              .put("description", "Number " + i + " of the tools that nobody calls.")
              .put(
                  "inputSchema",
                  new JsonObject()
                      .put("type", "object")
                      .put(
                          "properties",
                          new JsonObject().put("text", new JsonObject().put("type", "string")))));
    }
    this.tools = new JsonObject().put("tools", list).toBuffer();
  }

  /** Argument: the port to listen on. */
  public static void main(String[] args) {
    LargeServer server = new LargeServer();
    Vertx.vertx()
        .createHttpServer()
        .requestHandler(server::answer)
        .listen(Integer.parseInt(args[0]), "127.0.0.1")
        .onFailure(
            failure -> {
              failure.printStackTrace();
              System.exit(1);
            });
  }

  private void answer(HttpServerRequest request) {
    if (!"POST".equals(request.method().name())) {
      request.response().setStatusCode(405).end();
      return;
    }
    request
        .body()
        .onSuccess(
            body -> {
              JsonObject message = body.toJsonObject();
              if (!message.containsKey("id")) {
                request.response().setStatusCode(202).end();
                return;
              }
              Buffer result = result(message);
              request
                  .response()
                  .putHeader("Content-Type", "application/json")
                  .end(
                      Buffer.buffer("{\"jsonrpc\":\"2.0\",\"id\":" + message.getValue("id"))
                          .appendString(",\"result\":")
                          .appendBuffer(result)
                          .appendString("}"));
            });
  }

  private Buffer result(JsonObject message) {
    JsonObject capabilities = new JsonObject().put("tools", new JsonObject());
    return switch (message.getString("method")) {
      case "initialize" ->
          new JsonObject()
              .put("protocolVersion", message.getJsonObject("params").getString("protocolVersion"))
              .put("capabilities", capabilities)
              .put("serverInfo", new JsonObject().put("name", "large").put("version", "1"))
              .toBuffer();
      case "server/discover" ->
          new JsonObject()
              .put("resultType", "complete")
              .put("supportedVersions", new JsonArray().add("2026-07-28"))
              .put("capabilities", capabilities)
              .put("ttlMs", 3_600_000)
              .put("cacheScope", "public")
              .toBuffer();
      case "tools/list" -> tools;
      case "tools/call" -> text;
      default -> Buffer.buffer("{}");
    };
  }
}
