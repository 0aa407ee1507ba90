package dev.mcpbus.server;

import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A server with a tool of each kind, and what its handlers saw. */
final class Sample {

  static final JsonObject NO_ARGUMENTS = new JsonObject().put("type", "object");
  static final JsonObject ONE_TEXT =
      new JsonObject()
          .put("type", "object")
          .put("properties", new JsonObject().put("text", new JsonObject().put("type", "string")))
          .put("required", new JsonArray().add("text"));

  final List<ServerRequest> requests = new CopyOnWriteArrayList<>();
  final List<JsonObject> heard = new CopyOnWriteArrayList<>();
  final Promise<JsonObject> gate = Promise.promise();
  private final AtomicReference<@Nullable ServerRequest> waiting = new AtomicReference<>();
  final RawServer server = RawServer.of("sample", "1.0").instructions("Try echo.");

  Sample() {
    server
        .handle("sample/double", this::twice)
        .handle(
            "sample/refuse",
            (request, params) ->
                Future.failedFuture(
                    new RequestException(-32050, "not today", new JsonObject().put("when", 1))))
        .handle(
            "sample/broken",
            (request, params) -> {
              throw new IllegalStateException("the disk is full\n  at some.Class(File.java:1)");
            })
        .handle(
            Methods.RESOURCES_READ,
            (request, params) ->
                Future.succeededFuture(new JsonObject().put("contents", new JsonArray())))
        .onNotification("notifications/sample", (session, params) -> heard.add(params))
        .tool("echo", "Says it back.", ONE_TEXT, this::echo)
        .tool(
            "throws",
            "Throws.",
            NO_ARGUMENTS,
            (request, arguments) -> {
              throw new IllegalArgumentException("no such city");
            })
        .tool(
            "fails",
            "Fails.",
            NO_ARGUMENTS,
            (request, arguments) -> Future.failedFuture(new IllegalStateException("out of order")))
        .tool("wait", "Waits.", NO_ARGUMENTS, this::await)
        .tool("tell", "Tells how far it is.", NO_ARGUMENTS, this::tell)
        .tool("ask", "Asks who it is.", NO_ARGUMENTS, Sample::ask);
  }

  private static Future<JsonObject> ask(ServerRequest request, JsonObject arguments) {
    return request
        .ask("elicitation/create", new JsonObject().put("message", "Who?"))
        .map(
            answer ->
                ToolResult.text(
                    answer.getString("action")
                        + " "
                        + answer.getJsonObject("content", new JsonObject()).getString("who")));
  }

  private Future<JsonObject> twice(ServerRequest request, JsonObject params) {
    requests.add(request);
    return Future.succeededFuture(new JsonObject().put("twice", 2 * params.getInteger("n")));
  }

  private Future<JsonObject> echo(ServerRequest request, JsonObject arguments) {
    requests.add(request);
    return Future.succeededFuture(ToolResult.text(arguments.getString("text")));
  }

  private Future<JsonObject> await(ServerRequest request, JsonObject arguments) {
    waiting.set(request);
    return gate.future();
  }

  /** The call of {@code wait} that came last, as soon as there is one. */
  ServerRequest waiting() {
    Awaitility.await().until(() -> waiting.get() != null);
    return Objects.requireNonNull(waiting.get());
  }

  private Future<JsonObject> tell(ServerRequest request, JsonObject arguments) {
    request.progress(1, 2.0, "half");
    request.log(LogLevel.DEBUG, "sample", "detail");
    request.log(LogLevel.WARNING, "sample", new JsonObject().put("left", 1));
    request.notify("notifications/sample/told", new JsonObject());
    return Future.succeededFuture(ToolResult.structured(new JsonObject().put("ok", true)));
  }
}
