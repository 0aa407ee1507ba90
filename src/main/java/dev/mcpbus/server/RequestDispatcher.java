package dev.mcpbus.server;

import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the requests of one session: with the program's handler, or with the method that every
 * server has. Confined to the session's context.
 */
record RequestDispatcher(RawServer server, ServerSession session) {

  private static final Logger LOG = LoggerFactory.getLogger(RequestDispatcher.class);

  /** The methods whose results say how long a client may keep them (MCP 2026-07-28, Caching). */
  private static final Set<String> CACHEABLE =
      Set.of(
          Methods.DISCOVER,
          Methods.TOOLS_LIST,
          Methods.RESOURCES_LIST,
          Methods.RESOURCES_TEMPLATES,
          Methods.RESOURCES_READ,
          Methods.PROMPTS_LIST);

  /** Never throws; the future fails with a {@link RequestException} if the answer is an error. */
  Future<JsonObject> answer(ServerRequest request) {
    Future<JsonObject> answer;
    try {
      RequestHandler own = server.handler(request.method());
      answer =
          own == null
              ? builtIn(request)
              : isSubscription(request) && !request.peer().isDiscover()
                  ? subscription(request, own)
                  : own.handle(request, request.params());
      answer = answer.map(RequestDispatcher::orEmpty);
    } catch (Throwable e) {
      answer = Future.failedFuture(e);
    }
    return answer
        .map(result -> request.peer().isDiscover() ? discoverResult(request, result) : result)
        .onFailure(failure -> note(request, failure));
  }

  /** Counts while the program's handler works, which may send an update; not if it refuses. */
  private Future<JsonObject> subscription(ServerRequest request, RequestHandler own) {
    SubscribedResources subscribed = session.subscribed();
    JsonObject params = request.params();
    boolean before = subscribed.wants(Methods.RESOURCE_UPDATED, params);
    subscribed.change(request.method(), params);
    return own.handle(request, params)
        .onFailure(refused -> subscribed.set(params.getString("uri"), before));
  }

  private static boolean isSubscription(ServerRequest request) {
    return request.method().equals(Methods.RESOURCES_SUBSCRIBE)
        || request.method().equals(Methods.RESOURCES_UNSUBSCRIBE);
  }

  /** Tells of a failure, but not of a {@link RequestException}, whose text is for the caller. */
  void note(ServerRequest request, Throwable failure) {
    if (!(failure instanceof RequestException)) {
      LOG.warn("{} failed: {}", request.subject(), ServerFailures.named(failure));
      LOG.debug("{} failed", request.subject(), failure);
      session.failed(request.subject(), failure);
    }
  }

  private Future<JsonObject> builtIn(ServerRequest request) {
    JsonObject params = request.params();
    boolean discover = request.peer().isDiscover();
    return switch (request.method()) {
      case Methods.TOOLS_LIST ->
          Future.succeededFuture(
              server.tools().page(params.getValue("cursor"), server.options().pageSize()));
      case Methods.TOOLS_CALL -> call(request, params);
      case Methods.DISCOVER -> discover ? Future.succeededFuture(discover()) : unknown(request);
      case Methods.LISTEN -> discover ? listen(request) : unknown(request);
      case Methods.SET_LEVEL -> discover ? unknown(request) : setLevel(params);
      case Methods.RESOURCES_SUBSCRIBE, Methods.RESOURCES_UNSUBSCRIBE ->
          discover || server.handler(Methods.RESOURCES_READ) == null
              ? unknown(request)
              : Future.succeededFuture(session.subscribed().change(request.method(), params));
      default -> unknown(request);
    };
  }

  private static Future<JsonObject> unknown(ServerRequest request) {
    throw new RequestException(
        JsonRpcError.METHOD_NOT_FOUND,
        "this server has no method \""
            + request.method()
            + "\" for protocol version "
            + request.version().wire());
  }

  private Future<JsonObject> call(ServerRequest request, JsonObject params) {
    if (!(params.getValue("name") instanceof String name)) {
      throw RequestException.invalid("params.name must be a string: the name of the tool");
    }
    ServerTools.RegisteredTool tool = server.tools().find(name);
    if (tool == null) {
      throw RequestException.invalid(
          "there is no tool '" + name + "'; tools/list has the names of all");
    }
    Object given = params.getValue("arguments");
    if (given != null && !(given instanceof JsonObject)) {
      throw RequestException.invalid("params.arguments of tool '" + name + "' must be an object");
    }
    JsonObject arguments = given instanceof JsonObject object ? object : new JsonObject();
    Violation violation = tool.check(arguments);
    if (violation != null) {
      String why = violation.of(name) + "; correct them as its inputSchema in tools/list says";
      if (!server.options().refuseArguments()) {
        return Future.succeededFuture(ToolResult.error(why));
      }
      throw new RequestException(
          JsonRpcError.INVALID_PARAMS,
          why,
          new JsonObject().put("tool", name).put("path", violation.path()));
    }
    return tool.handler()
        .handle(request, arguments)
        .map(result -> result == null ? new JsonObject().put("content", new JsonArray()) : result)
        .recover(
            failure -> {
              note(request, failure);
              return failure(request, failure);
            });
  }

  /** The answer to a failure of the program's own code. */
  Future<JsonObject> failure(ServerRequest request, Throwable failure) {
    return failure instanceof RequestException || !request.method().equals(Methods.TOOLS_CALL)
        ? Future.failedFuture(failure)
        : Future.succeededFuture(
            request.peer().isDiscover()
                ? discoverResult(request, ToolResult.error(ServerFailures.text(failure)))
                : ToolResult.error(ServerFailures.text(failure)));
  }

  private static JsonObject orEmpty(JsonObject result) {
    return result == null ? new JsonObject() : result;
  }

  private static JsonObject discoverResult(ServerRequest request, JsonObject result) {
    JsonObject whole = new JsonObject(new LinkedHashMap<>(result.getMap()));
    if (!whole.containsKey(ResultType.MEMBER)) {
      whole.put(ResultType.MEMBER, ResultType.COMPLETE);
    }
    if (CACHEABLE.contains(request.method()) && !whole.containsKey("ttlMs")) {
      whole.put("ttlMs", 0).put("cacheScope", "private");
    }
    return whole;
  }

  private JsonObject discover() {
    JsonObject all = server.describe();
    JsonObject info = (JsonObject) all.remove("serverInfo");
    return all.put("supportedVersions", RequestPeer.wire(server.versions()))
        .put("_meta", new JsonObject().put(MetaKeys.SERVER_INFO, info));
  }

  /** The stream stays open until the client cancels it or the server closes. */
  private Future<JsonObject> listen(ServerRequest request) {
    session.streams().open(request, server.capabilities());
    return Promise.<JsonObject>promise().future();
  }

  /** The result that ends a stream regularly. */
  JsonObject finished() {
    return new JsonObject().put(ResultType.MEMBER, ResultType.COMPLETE);
  }

  private Future<JsonObject> setLevel(JsonObject params) {
    String level = String.valueOf(params.getValue("level"));
    session.logLevel(
        LogLevel.ofWire(level)
            .orElseThrow(
                () ->
                    RequestException.invalid(
                        "params.level must be one of "
                            + String.join(
                                ", ",
                                Arrays.stream(LogLevel.values()).map(LogLevel::wire).toList()))));
    return Future.succeededFuture(new JsonObject());
  }

  /** Passes a client's notification to its handler, if there is one. */
  void onNotification(String method, RawJson params) {
    NotificationHandler handler = server.notificationHandler(method);
    if (handler == null) {
      return;
    }
    try {
      handler.on(session, params.toJsonObject());
    } catch (Throwable e) {
      LOG.warn("the handler of {} failed", method, e);
      session.failed(method, e);
    }
  }
}
