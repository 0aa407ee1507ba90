package dev.mcpbus.ai;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code mcp.tools.functions}, {@code mcp.tools.functions.call} and {@code .route}. Has no
 * list of tools: it requests {@code mcp.tools.list}, and a plain routing name contains the server
 * and the tool. Calls in flight are confined to the verticle's context.
 */
public final class FunctionsVerticle extends VerticleBase {

  private final Map<String, RunningFunction> running = new HashMap<>();

  private static final class RunningFunction {
    private @Nullable ConnectionId server;
    private boolean cancelled;
  }

  @Override
  public Future<?> start() {
    Codecs.register(vertx);
    MessageConsumer<JsonObject> cancels =
        vertx
            .eventBus()
            .consumer(
                Addresses.ALL_TOOLS_FUNCTIONS_CANCEL,
                message -> cancel(message.body().getString("callId", "")));
    return Future.all(
        serve(Addresses.ALL_TOOLS_FUNCTIONS, this::functions),
        serve(Addresses.ALL_TOOLS_FUNCTIONS_CALL, this::call),
        cancels.completion(),
        vertx
            .eventBus()
            .localConsumer(
                Addresses.ALL_TOOLS_FUNCTIONS_ROUTE,
                (Message<Object> message) -> answer(message, this::route))
            .completion());
  }

  private void cancel(String callId) {
    RunningFunction call = running.get(callId);
    if (call == null) {
      return;
    }
    call.cancelled = true;
    if (call.server != null) {
      CallCancellation.publish(vertx, call.server, callId);
    }
  }

  /** The parsed body and the headers of a request. */
  private record FunctionMessage(FunctionRequest request, MultiMap headers) {}

  private Future<Void> serve(
      String address, Function<FunctionMessage, Future<JsonObject>> service) {
    MessageConsumer<Object> consumer =
        vertx.eventBus().consumer(address, message -> answer(message, service));
    return consumer.completion();
  }

  private static void answer(
      Message<Object> message, Function<FunctionMessage, Future<JsonObject>> service) {
    JsonReplies.serve(
        message,
        () ->
            service.apply(
                new FunctionMessage(FunctionRequest.of(body(message)), message.headers())));
  }

  private static JsonObject body(Message<Object> message) {
    try {
      if (message.body() instanceof JsonObject json) {
        return json;
      }
      if (message.body() instanceof Buffer buffer) {
        return new JsonObject(buffer);
      }
    } catch (DecodeException | ClassCastException e) {
      // falls through to the refusal below
    }
    throw McpFailure.badRequest("send a JSON object, such as {\"form\": \"openai\"}");
  }

  private Future<JsonObject> functions(FunctionMessage received) {
    FunctionRequest request = received.request();
    Map<String, JsonObject> schemas = request.schemas();
    return list(request.wanted(), schemas == null ? Map.of() : schemas)
        .map(all -> schemas == null ? all : all.named(schemas.keySet()))
        .map(all -> request.only() == null ? all : all.only(request::admits))
        .map(
            tools -> {
              JsonObject reply =
                  new JsonObject()
                      .put("form", request.form().word())
                      .put("tools", request.form().tools(tools.all(), request.options()))
                      .put("routes", tools.routes());
              if (!request.options().shaped().isEmpty()) {
                reply.put("shaped", request.options().shaped());
              }
              return tools.problems().isEmpty()
                  ? reply
                  : reply.put("problems", new JsonArray(tools.problems()));
            });
  }

  private Future<ModelTools> list(JsonObject wanted, Map<String, JsonObject> schemas) {
    return RequestSender.of(vertx)
        .<JsonObject>request(null, Addresses.ALL_TOOLS_LIST, wanted, new DeliveryOptions())
        .map(reply -> ModelTools.of(reply.body(), schemas));
  }

  /**
   * The tool that a call would reach, so that a door can check the caller's rights before the call.
   */
  private Future<JsonObject> route(FunctionMessage received) {
    FunctionRequest request = received.request();
    return route(wanted(request).name(), request)
        .map(tool -> new JsonObject().put("server", tool.server()).put("tool", tool.tool()));
  }

  private static FunctionCall wanted(FunctionRequest request) {
    JsonObject call = request.call();
    if (call == null) {
      throw McpFailure.badRequest("the body needs 'call': one function call of the model");
    }
    return request.form().call(call);
  }

  private Future<JsonObject> call(FunctionMessage received) {
    FunctionRequest request = received.request();
    FunctionCall call = wanted(request);
    String callId = String.valueOf(received.headers().get(Headers.CALL_ID));
    RunningFunction function = new RunningFunction();
    running.put(callId, function);
    return route(call.name(), request)
        .compose(
            tool ->
                arguments(tool, call.object())
                    .compose(given -> forward(tool, given, function, received.headers())))
        .onComplete(ended -> running.remove(callId, function))
        .map(ToolOutput::of)
        .otherwise(failure -> ToolOutput.of(plain(McpFailure.of(failure))))
        .map(output -> reply(request.form(), call, output));
  }

  /** The arguments for the tool, by its own schema. */
  private Future<JsonObject> arguments(ToolName tool, JsonObject given) {
    if (!ModelArguments.mayDiffer(given)) {
      return Future.succeededFuture(given);
    }
    JsonObject wanted = new JsonObject().put("servers", new JsonArray().add(tool.server()));
    return list(wanted, Map.of())
        .map(
            tools ->
                tools.all().stream()
                    .filter(known -> known.tool().equals(tool))
                    .findFirst()
                    .map(known -> ModelArguments.forServer(given, known.schema()))
                    .orElse(given))
        .otherwise(given); // the call says why
  }

  /** Uses the same text for every unknown function, whichever component refused it. */
  private static McpFailure plain(McpFailure failure) {
    return switch (failure.code()) {
      case UNKNOWN_TOOL, UNKNOWN_CONNECTION -> unknown();
      default -> failure;
    };
  }

  private static McpFailure unknown() {
    return McpFailure.notSent(
        FailureCode.UNKNOWN_TOOL, "there is no function of that name; take one of the list");
  }

  private static JsonObject reply(FunctionFormat form, FunctionCall call, ToolOutput output) {
    JsonObject reply =
        new JsonObject()
            .put("form", form.word())
            .put("result", form.result(call, output))
            .put("isError", output.isError());
    McpFailure failure = output.failure();
    return failure == null ? reply : reply.put("failure", failure.toJson());
  }

  private Future<ToolName> route(String name, FunctionRequest request) {
    Future<Optional<ToolName>> tool =
        RoutingName.isHashed(name)
            ? list(request.wanted(), Map.of()).map(all -> all.find(name).map(ModelTool::tool))
            : Future.succeededFuture(RoutingName.parse(name));
    return tool.map(
        found ->
            found
                .filter(request::admits)
                .filter(known -> ConnectionId.problem(known.server()) == null)
                .orElseThrow(FunctionsVerticle::unknown));
  }

  private Future<JsonObject> forward(
      ToolName tool, JsonObject arguments, RunningFunction function, MultiMap headers) {
    if (function.cancelled) {
      throw McpFailure.notSent(FailureCode.CANCELLED, "the caller cancelled the call");
    }
    ConnectionId server = new ConnectionId(tool.server());
    function.server = server;
    JsonObject params = new JsonObject().put("name", tool.tool()).put("arguments", arguments);
    DeliveryOptions options = CallHeaders.passedOn(headers, Layer.SERVICE);
    return RequestSender.of(vertx)
        .<JsonObject>request(server, Addresses.of(server, Addresses.TOOLS_CALL), params, options)
        .map(Message::body);
  }
}
