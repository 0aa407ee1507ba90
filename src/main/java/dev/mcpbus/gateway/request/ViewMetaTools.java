package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.MetaTools;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Function;

/**
 * The three tools of a view that has too many tools to list. They find, show and call only tools
 * that the view would list to this client, by the view's names. Confined to the context of its
 * router.
 */
record ViewMetaTools(Vertx vertx, Directory directory) {

  private static final int MAX_SEARCH = 64 * 1024;

  /** The three tools never change. */
  private static final long TTL_MILLIS = 3_600_000;

  private static final RawJson TOOLS = RawJson.of(MetaTools.definitions().encode());

  /** The one page of {@code tools/list}. */
  static RawJson list(Era era) {
    RawJson tools = RawJson.EMPTY_OBJECT.with("tools", TOOLS);
    return era == Era.DISCOVER
        ? tools
            .with("cacheScope", RawJson.string("public"))
            .with("ttlMs", RawJson.of(Long.toString(TTL_MILLIS)))
            .with(ResultType.MEMBER, ResultType.COMPLETE_JSON)
        : tools;
  }

  /**
   * Answers a call of one of the three. A mistake of the model becomes a result that the model can
   * act on.
   *
   * @param call calls a tool of the view with these params
   */
  Future<RawJson> answer(
      GatewayRequest request, String name, Function<RawJson, Future<RawJson>> call) {
    RawJson given = request.params().member("arguments");
    RawJson arguments = given == null ? RawJson.EMPTY_OBJECT : given;
    Future<RawJson> result;
    try {
      if (!arguments.isObject()) {
        throw McpErrors.invalidParams("\"arguments\" must be an object");
      }
      result =
          switch (name) {
            case MetaTools.SEARCH -> search(request, arguments);
            case MetaTools.DESCRIBE -> describe(request, GatewayRequest.text(arguments, "name"));
            default -> call.apply(meant(request, arguments));
          };
    } catch (McpFailure refused) {
      result = Future.failedFuture(refused);
    }
    return result.recover(failure -> explained(name, failure));
  }

  private Future<RawJson> search(GatewayRequest request, RawJson arguments) {
    if (arguments.length() > MAX_SEARCH) { // as objects they take a hundred times as much
      throw McpErrors.invalidParams(
          "the arguments of a search have " + MAX_SEARCH + " bytes at most");
    }
    return directory
        .ready(vertx, request.view(), List.of(ListKind.TOOLS))
        .compose(
            snapshot -> {
              ViewList list = snapshot.list(request.view(), ListKind.TOOLS);
              if (list.targets().isEmpty()) {
                return Future.succeededFuture(MetaTools.nothing());
              }
              return new MetaTools(vertx, scope(request.view(), list))
                  .call(MetaTools.SEARCH, arguments.toJsonObject(), new DeliveryOptions());
            })
        .map(RawJson::of);
  }

  private static MetaTools.ToolScope scope(DirectoryView view, ViewList list) {
    List<String> servers = list.targets().stream().map(ViewList.Target::server).distinct().toList();
    return new MetaTools.ToolScope() {
      @Override
      public List<String> servers() {
        return servers;
      }

      @Override
      public boolean admits(ToolName tool) {
        ViewList.Target target = list.find(nameOf(tool));
        return target != null
            && target.server().equals(tool.server())
            && target.key().equals(tool.tool());
      }

      @Override
      public String nameOf(ToolName tool) {
        return view.nameOf(tool.server(), tool.tool());
      }
    };
  }

  private Future<RawJson> describe(GatewayRequest request, String name) {
    return directory
        .ready(vertx, request.view(), List.of(ListKind.TOOLS))
        .map(
            snapshot -> {
              RawJson entry = snapshot.list(request.view(), ListKind.TOOLS).entry(name);
              if (entry == null) {
                throw McpErrors.unknown(ListKind.TOOLS, name);
              }
              JsonObject shown = entry.toJsonObject();
              shown.remove("_meta");
              shown.remove("icons");
              return RawJson.of(MetaTools.shown(shown));
            });
  }

  /** The params of the call that the client would have sent without the meta tool. */
  private static RawJson meant(GatewayRequest request, RawJson arguments) {
    RawJson inner = arguments.member("arguments");
    if (inner != null && !inner.isObject()) {
      throw McpErrors.invalidParams("\"arguments\" of the tool must be an object");
    }
    return request
        .params()
        .with("name", RawJson.string(GatewayRequest.text(arguments, "name")))
        .with("arguments", inner == null ? RawJson.EMPTY_OBJECT : inner);
  }

  private static Future<RawJson> explained(String name, Throwable failure) {
    McpFailure known = McpErrors.of(failure);
    return switch (known.code()) {
      case INVALID_ARGUMENTS, UNKNOWN_TOOL, BAD_REQUEST -> shown(name, known);
      case UPSTREAM_ERROR -> {
        String message = String.valueOf(known.getMessage());
        FailureCode code =
            message.startsWith(McpErrors.UNKNOWN_TOOL)
                ? FailureCode.UNKNOWN_TOOL
                : FailureCode.BAD_REQUEST;
        yield known.toJsonRpcError().getInteger("code", 0) == JsonRpcError.INVALID_PARAMS
            ? shown(name, new McpFailure(code, known.sent(), message))
            : Future.failedFuture(known);
      }
      default -> Future.failedFuture(known);
    };
  }

  private static Future<RawJson> shown(String name, McpFailure failure) {
    return Future.succeededFuture(RawJson.of(MetaTools.error(name, failure)));
  }
}
