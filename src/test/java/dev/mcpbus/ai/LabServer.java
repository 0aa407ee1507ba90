package dev.mcpbus.ai;

import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * A server with what clients of frameworks differ in: {@code look} remembers its params, {@code
 * any} gives its argument as structured content, {@code media} all kinds of content, {@code walk}
 * tells progress and logs.
 */
final class LabServer {

  private LabServer() {}

  /**
   * @param params gets the params of each call of {@code look}
   */
  static RawServer create(List<JsonObject> params) {
    return RawServer.of("lab", "1")
        .tool(
            definition("look")
                .put("title", "Look")
                .put("icons", new JsonArray().add(new JsonObject().put("src", "data:,")))
                .put("_meta", new JsonObject().put("lab/unit", "mm"))
                .put(
                    "annotations",
                    new JsonObject().put("title", "Look up").put("readOnlyHint", true)),
            (request, arguments) -> {
              params.add(request.params());
              return Future.succeededFuture(ToolResult.text("seen"));
            })
        .tool(
            definition("any"),
            (request, arguments) ->
                Future.succeededFuture(
                    new JsonObject()
                        .put("content", new JsonArray())
                        .put("structuredContent", arguments.getValue("value"))))
        .tool(
            definition("media"),
            (request, arguments) ->
                Future.succeededFuture(new JsonObject().put("content", media())))
        .tool(
            definition("walk"),
            (request, arguments) -> {
              request.progress(1, 2.0, "half");
              request.progress(2, 2.0, null);
              request.notify(
                  "notifications/message",
                  new JsonObject().put("level", "info").put("data", "walked"));
              return Future.succeededFuture(ToolResult.text("there"));
            })
        .handle("resources/list", (request, none) -> Future.succeededFuture(resources()))
        .handle("resources/templates/list", (request, none) -> templates())
        .handle("resources/read", (request, read) -> read(read.getString("uri")));
  }

  private static JsonObject definition(String name) {
    return new JsonObject()
        .put("name", name)
        .put("description", "The tool " + name)
        .put("inputSchema", new JsonObject().put("type", "object"));
  }

  static JsonArray media() {
    return new JsonArray()
        .add(new JsonObject().put("type", "text").put("text", "a picture"))
        .add(new JsonObject().put("type", "image").put("mimeType", "image/png").put("data", "AAAA"))
        .add(
            new JsonObject()
                .put("type", "resource_link")
                .put("uri", "lab://plan")
                .put("name", "plan"))
        .add(
            new JsonObject()
                .put("type", "resource")
                .put("resource", new JsonObject().put("uri", "lab://note").put("text", "a note")))
        .add(
            new JsonObject()
                .put("type", "resource")
                .put(
                    "resource",
                    new JsonObject()
                        .put("uri", "lab://photo")
                        .put("mimeType", "image/jpeg")
                        .put("blob", "BBBB")));
  }

  private static JsonObject resources() {
    return new JsonObject()
        .put(
            "resources",
            new JsonArray().add(new JsonObject().put("uri", "lab://note").put("name", "note")));
  }

  private static Future<JsonObject> templates() {
    return Future.succeededFuture(
        new JsonObject()
            .put(
                "resourceTemplates",
                new JsonArray()
                    .add(new JsonObject().put("uriTemplate", "lab://{n}").put("name", "all"))));
  }

  private static Future<JsonObject> read(String uri) {
    JsonObject content = new JsonObject().put("uri", uri).put("mimeType", "image/png");
    return Future.succeededFuture(
        new JsonObject()
            .put(
                "contents",
                new JsonArray()
                    .add(
                        uri.equals("lab://note")
                            ? content.put("text", "a note")
                            : content.put("blob", "AAAA"))));
  }
}
