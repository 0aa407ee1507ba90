package dev.mcpbus.bridge;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.HttpPath;
import dev.mcpbus.bus.HttpPath.Shape;
import dev.mcpbus.bus.HttpPath.Verb;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.OperationTable;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.Objects;

/**
 * {@code /api/servers/{id}/...}: the paths of the rows of {@link ServerOperation}. A path is its
 * bus address with slashes; a body is the MCP params, or the arguments if the path names the tool,
 * prompt or task. Results pass as bytes. Used on the bridge's context.
 */
record OperationRoutes(BridgeCalls calls, ParseLimits limits) {

  private static final int MAX_READ = 256 * 1024;

  /** A {@code null} and some blanks. */
  private static final int MAX_ABSENT = 16;

  private static final Buffer NO_BODY = Buffer.buffer(0);

  private static final String ONE_CALLS = "/api/servers/{id}/calls";

  /** Mounts the paths of all rows, in their order. */
  void mount(RouteTable routes) {
    for (ServerOperation row : ServerOperation.values()) {
      for (HttpPath path : row.paths) {
        Route route = Route.of(path, OperationTable.action(row.subject));
        if (path.verb() == Verb.GET) {
          routes.add(route, ctx -> handle(ctx, row, path, NO_BODY));
        } else {
          routes.add(route, (ctx, body) -> handle(ctx, row, path, body));
        }
      }
    }
  }

  private void handle(RoutingContext ctx, ServerOperation row, HttpPath path, Buffer body) {
    Shape shape = Objects.requireNonNull(path.shape());
    switch (shape) {
      case STATUS -> ask(ctx, row);
      case STATE -> {
        object(body, limits);
        ask(ctx, row);
      }
      case CANCEL -> document(ctx, calls.cancel(ctx, id(ctx), read(body, limits)));
      case TOOL ->
          answer(
              ctx,
              calls.call(
                  ctx,
                  id(ctx),
                  row.suffix,
                  toolCall(ctx.pathParam("tool"), object(body, limits)),
                  true));
      default -> {
        RawJson params = params(ctx, path, shape, body);
        answer(ctx, calls.call(ctx, id(ctx), row.suffix, params, false));
      }
    }
  }

  private void ask(RoutingContext ctx, ServerOperation row) {
    document(ctx, calls.ask(ctx, id(ctx), row.suffix, new JsonObject()));
  }

  private RawJson params(RoutingContext ctx, HttpPath path, Shape shape, Buffer body) {
    return switch (shape) {
      case NUMBERS -> RawJson.of(numbers(ctx, path));
      case NUMBERED_CALL -> RawJson.of(numbers(ctx, path).put("call", numberedCall(ctx)));
      case LIST -> cursor(ctx);
      case PARAMS -> params(body);
      case OBJECT -> object(body, limits);
      case URI -> RawJson.EMPTY_OBJECT.with("uri", uri(ctx));
      case DIRECTORY -> cursor(ctx).with("uri", uri(ctx));
      case SKILL_FILE -> {
        String file = QueryParameters.get(ctx, "path");
        RawJson skill = RawJson.EMPTY_OBJECT.with("uri", uri(ctx));
        yield file == null ? skill : skill.with("path", RawJson.string(file));
      }
      case PROMPT ->
          RawJson.EMPTY_OBJECT
              .with("arguments", object(body, limits))
              .with("name", RawJson.string(ctx.pathParam("prompt")));
      case TASK_LOOK, TASK, TASK_ONLY ->
          params(body).without("taskId").with("taskId", RawJson.string(ctx.pathParam("task")));
      case LOOK, STATUS, STATE, CANCEL, TOOL -> RawJson.EMPTY_OBJECT;
    };
  }

  private static RawJson uri(RoutingContext ctx) {
    return RawJson.string(QueryParameters.required(ctx, "uri"));
  }

  private static long numberedCall(RoutingContext ctx) {
    String text = ctx.pathParam("call");
    if (text.matches("[0-9]{1,18}")) {
      return Long.parseLong(text);
    }
    throw McpFailure.badRequest("path: a call's number is wanted, as GET " + ONE_CALLS + " has it");
  }

  private static JsonObject numbers(RoutingContext ctx, HttpPath path) {
    JsonObject body = new JsonObject();
    path.query()
        .forEach(
            param -> {
              Long value = QueryParameters.number(ctx, param.word);
              if (value != null) {
                body.put(param.word, value);
              }
            });
    return body;
  }

  static RawJson toolCall(String tool, RawJson arguments) {
    return RawJson.EMPTY_OBJECT.with("arguments", arguments).with("name", RawJson.string(tool));
  }

  static RawJson cursor(RoutingContext ctx) {
    String cursor = QueryParameters.get(ctx, "cursor");
    return cursor == null
        ? RawJson.EMPTY_OBJECT
        : RawJson.EMPTY_OBJECT.with("cursor", RawJson.string(cursor));
  }

  /** The params of a request. */
  private RawJson params(Buffer body) {
    if (isAbsent(body)) {
      return RawJson.EMPTY_OBJECT;
    }
    try {
      return RawJson.checkedParams(body, limits);
    } catch (ProtocolException e) {
      throw ProblemDocument.of(e);
    }
  }

  /** A body that mcpbus itself reads, as objects: they may take a hundred times its bytes. */
  static JsonObject read(Buffer body, ParseLimits limits) {
    int most = Math.min(MAX_READ, limits.maxBytes());
    return object(body, limits.withMaxBytes(most)).toJsonObject();
  }

  /** The JSON object of a body; {@code {}} for an empty body and for {@code null}. */
  static RawJson object(Buffer body, ParseLimits limits) {
    if (isAbsent(body)) {
      return RawJson.EMPTY_OBJECT;
    }
    try {
      return RawJson.checkedObject(body, limits);
    } catch (ProtocolException e) {
      throw ProblemDocument.of(e);
    }
  }

  private static boolean isAbsent(Buffer body) {
    return body.length() <= MAX_ABSENT
        && (body.length() == 0 || body.toString().strip().equals("null"));
  }

  /** The server of the path, by its id or its name as written; everything after goes by the id. */
  static ConnectionId id(RoutingContext ctx) {
    String text = ctx.pathParam("id");
    return ConnectionId.named(text)
        .orElseThrow(
            () ->
                McpFailure.notSent(
                    FailureCode.UNKNOWN_CONNECTION, String.valueOf(ConnectionId.problem(text))));
  }

  /** The id of the server that a query means; the text itself where no server can be meant. */
  static String named(String server) {
    return ConnectionId.named(server).map(ConnectionId::value).orElse(server);
  }

  /** Answers with a document of mcpbus. */
  static void document(RoutingContext ctx, Future<JsonObject> document) {
    document.onSuccess(json -> RouteTable.document(ctx, 200, json)).onFailure(ctx::fail);
  }

  /** Answers with a result, byte for byte. */
  static void answer(RoutingContext ctx, Future<Buffer> result) {
    result.onSuccess(json -> RouteTable.json(ctx, 200, json)).onFailure(ctx::fail);
  }
}
