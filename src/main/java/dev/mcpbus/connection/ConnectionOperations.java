package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CacheMode;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What each address of a connection does with a session that is ready. */
final class ConnectionOperations {

  /**
   * One address.
   *
   * @param suffix after {@code mcp.<id>.}
   * @param method the MCP method, for messages and for what is pending
   */
  record Operation(String suffix, String method, Run run) {}

  /** Ends {@code call} exactly once, now or later. */
  @FunctionalInterface
  interface Run {
    void run(ReadySession live, BusCall call);
  }

  /** A longer list is looked through by a worker. */
  private static final int SMALL = 64 * 1024;

  static final List<Operation> ALL =
      List.of(
          new Operation(Addresses.TOOLS_LIST, Methods.TOOLS_LIST, ConnectionOperations::listTools),
          new Operation(Addresses.TOOLS_CALL, Methods.TOOLS_CALL, ConnectionOperations::callTool),
          new Operation(
              Addresses.TOOLS_METADATA, Methods.TOOLS_LIST, ConnectionOperations::metadata),
          list(Addresses.RESOURCES_LIST, Methods.RESOURCES_LIST, "resources", "resources", "uri"),
          list(
              Addresses.RESOURCES_TEMPLATES,
              Methods.RESOURCES_TEMPLATES,
              "resources",
              "resourceTemplates",
              "uriTemplate"),
          new Operation(
              Addresses.RESOURCES_READ, Methods.RESOURCES_READ, ConnectionOperations::readResource),
          new Operation(
              Addresses.RESOURCES_SUBSCRIBE,
              Methods.RESOURCES_SUBSCRIBE,
              (live, call) -> subscribe(live, call, true)),
          new Operation(
              Addresses.RESOURCES_UNSUBSCRIBE,
              Methods.RESOURCES_UNSUBSCRIBE,
              (live, call) -> subscribe(live, call, false)),
          list(Addresses.PROMPTS_LIST, Methods.PROMPTS_LIST, "prompts", "prompts", "name"),
          simple(Addresses.PROMPTS_GET, Methods.PROMPTS_GET, "prompts"),
          simple(Addresses.COMPLETION, Methods.COMPLETE, "completions"),
          new Operation(Addresses.LOGLEVEL, Methods.SET_LEVEL, ConnectionOperations::logLevel),
          new Operation(Addresses.PING, Methods.PING, ConnectionOperations::ping),
          new Operation(
              Addresses.ROOTS_CHANGED, Methods.ROOTS_CHANGED, ConnectionOperations::rootsChanged),
          new Operation(Addresses.REQUEST, "request", ConnectionOperations::rawRequest));

  private ConnectionOperations() {}

  /** One request, one answer, as they are. */
  private static Operation simple(String suffix, String method, String capability) {
    return new Operation(
        suffix,
        method,
        (live, call) -> {
          if (live.offers(capability)) {
            live.session().send(call, call.params());
          } else {
            call.fail(lacks(method, capability));
          }
        });
  }

  /**
   * A list: empty where the capability is missing, all pages unless a cursor is given.
   *
   * @param key the member that holds it
   * @param name what tells its entries apart
   */
  private static Operation list(
      String suffix, String method, String capability, String key, String name) {
    return new Operation(
        suffix,
        method,
        (live, call) -> {
          if (!live.offers(capability)) {
            call.complete(RawJson.of("{\"" + key + "\":[]}"));
          } else if (!answeredFromCache(live, call, method)) {
            pages(live, call, method, key)
                .compose(found -> unambiguous(live, found, key, name))
                .onComplete(
                    found -> call.attempt(() -> call.complete(found)),
                    failure -> call.fail(McpFailure.of(failure)));
          }
        });
  }

  /**
   * Answers with what is still fresh; else sees to it that the answer is kept, as the call wants.
   * Only the modern era says what is fresh; a call with inputs has nothing to do with the cache.
   */
  private static boolean answeredFromCache(ReadySession live, BusCall call, String method) {
    CacheMode mode = call.cache();
    RawJson params = call.params();
    if (!live.isModern()
        || mode == CacheMode.BYPASS
        || params.member("inputResponses") != null
        || params.member("requestState") != null) {
      return false;
    }
    RawJson fresh = mode == CacheMode.REFRESH ? null : live.cache().fresh(method, params);
    if (fresh != null) {
      call.complete(fresh);
      return true;
    }
    long since = live.session().clock().millis();
    call.keep(result -> live.cache().keep(method, params, result, since));
    return false;
  }

  private static Future<RawJson> unambiguous(
      ReadySession live, RawJson list, String key, String name) {
    return list.length() <= SMALL
        ? Future.succeededFuture(LeftOutTools.ambiguous(list, key, name))
        : live.session()
            .vertx()
            .executeBlocking(() -> LeftOutTools.ambiguous(list, key, name), false);
  }

  /** The page that the caller's cursor names, else all. */
  static Future<RawJson> pages(ReadySession live, BusCall call, String method, String key) {
    Session session = live.session();
    Function<RawJson, Future<RawJson>> fetch =
        params -> {
          InternalRequest page = new InternalRequest(method, call.deadline(), call.callId());
          session.send(page, params);
          return page.future();
        };
    return call.params().member("cursor") == null
        ? Pagination.all(key, call.params(), session.options(), fetch)
        : fetch.apply(call.params());
  }

  private static void readResource(ReadySession live, BusCall call) {
    if (!live.offers("resources")) {
      call.fail(lacks(call.method(), "resources"));
    } else if (!answeredFromCache(live, call, call.method())) {
      live.session().send(call, call.params());
    }
  }

  private static void listTools(ReadySession live, BusCall call) {
    if (!live.offers("tools")) {
      call.complete(RawJson.of("{\"tools\":[]}"));
      return;
    }
    if (call.params().member("cursor") != null) {
      live.tools().page(call);
      return;
    }
    withTools(live, call, tools(live, call), ToolTable::list);
  }

  /** The legacy era has no word for fresh: only who asks for the kept list gets it. */
  private static Future<ToolTable> tools(ReadySession live, BusCall call) {
    SessionTools tools = live.tools();
    CacheMode mode = call.cache();
    if (mode == null) {
      return live.isModern() ? tools.fresh() : tools.load();
    }
    return switch (mode) {
      case USE -> live.isModern() ? tools.fresh() : tools.current();
      case REFRESH -> tools.load();
      case BYPASS -> tools.bypass();
    };
  }

  private static void metadata(ReadySession live, BusCall call) {
    if (!live.offers("tools")) {
      call.complete(RawJson.EMPTY_OBJECT);
      return;
    }
    withTools(live, call, live.tools().current(), tools -> RawJson.of(tools.metadata()));
  }

  private static void withTools(
      ReadySession live,
      BusCall call,
      Future<ToolTable> tools,
      Function<ToolTable, RawJson> answer) {
    live.tools()
        .waiting()
        .on(
            "the server's list",
            tools,
            call,
            found -> call.complete(answer.apply(live.tools().shown(found))),
            failure -> call.fail(McpFailure.of(failure)));
  }

  private static void callTool(ReadySession live, BusCall call) {
    if (live.offers("tools")) {
      live.tools().call(call);
    } else {
      call.fail(lacks(Methods.TOOLS_CALL, "tools"));
    }
  }

  /** The modern era has no such word: its servers ask anew with each call. */
  private static void rootsChanged(ReadySession live, BusCall call) {
    if (!live.isModern()) {
      live.session().notify(Methods.ROOTS_CHANGED, null);
    }
    call.complete(RawJson.EMPTY_OBJECT);
  }

  /** In the modern era {@code server/discover} is what every server answers. */
  private static void ping(ReadySession live, BusCall call) {
    if (!live.isModern()) {
      live.session().send(call, null);
      return;
    }
    long left = call.deadline() - live.session().clock().millis();
    live.session()
        .request(live.session().era().pingMethod(), null, Duration.ofMillis(Math.max(1, left)))
        .onComplete(
            answer -> call.complete(RawJson.EMPTY_OBJECT),
            failure -> call.fail(McpFailure.of(failure)));
  }

  private static void subscribe(ReadySession live, BusCall call, boolean wanted) {
    RawJson uri = call.params().member("uri");
    if (uri == null || !uri.isString()) {
      call.fail(McpFailure.notSent(FailureCode.BAD_REQUEST, "\"uri\" must be a string"));
      return;
    }
    if (!live.offers("resources")) {
      call.fail(lacks(call.method(), "resources"));
      return;
    }
    if (wanted) {
      call.attempt(() -> SubscriptionOperations.subscribe(live, call, uri.asString()));
    } else {
      SubscriptionOperations.unsubscribe(live, call, uri.asString());
    }
  }

  /** The modern era has the level in every request; the legacy one is told once per session. */
  private static void logLevel(ReadySession live, BusCall call) {
    RawJson level = call.params().member("level");
    if (level == null || !level.isString()) {
      call.fail(McpFailure.notSent(FailureCode.BAD_REQUEST, "\"level\" must be a string"));
    } else if (!live.offers("logging")) {
      call.fail(lacks(call.method(), "logging"));
    } else {
      live.wishes().logLevel(level);
      if (live.isModern()) {
        call.complete(RawJson.EMPTY_OBJECT);
      } else {
        live.session().send(call, call.params());
      }
    }
  }

  /** Any method: {@code {"method": ..., "params": {...}}}. */
  private static void rawRequest(ReadySession live, BusCall call) {
    RawJson method = call.params().member("method");
    RawJson params = call.params().member("params");
    if (method == null || !method.isString() || (params != null && !params.isObject())) {
      call.fail(
          McpFailure.notSent(
              FailureCode.BAD_REQUEST,
              "the body must be {\"method\": string, \"params\": object or absent}"));
    } else if (method.asString().equals(Methods.INITIALIZE)) {
      call.fail(
          McpFailure.notSent(
              FailureCode.BAD_REQUEST, "the connection shakes hands itself; use restart"));
    } else {
      RawJson inner = params == null ? RawJson.EMPTY_OBJECT : params;
      BusCall asked = call.as(method.asString(), inner);
      switch (method.asString()) {
        case Methods.TOOLS_LIST -> live.tools().page(asked);
        case Methods.TOOLS_CALL -> rawToolCall(live, asked, params);
        case Methods.RESOURCES_SUBSCRIBE -> subscribe(live, asked, true);
        case Methods.RESOURCES_UNSUBSCRIBE -> subscribe(live, asked, false);
        case Methods.TASKS_LIST -> TaskOperations.list(live, asked);
        default -> live.session().send(asked, params);
      }
    }
  }

  /** As it is, but for tools that are kept away or quarantined. */
  private static void rawToolCall(ReadySession live, BusCall call, @Nullable RawJson params) {
    RawJson tool = call.params().member("name");
    McpFailure refused =
        tool == null || !tool.isString()
            ? McpFailure.notSent(
                FailureCode.BAD_REQUEST, "\"name\" must be a string: the name of the tool")
            : live.tools().refusal(tool.asString());
    if (refused == null) {
      if (live.taskSupport().create() && call.params().member("task") != null) {
        call.keep(result -> live.tasks().made(call, result.member("task")));
      }
      live.session().send(call, params);
    } else {
      call.fail(refused);
    }
  }

  private static McpFailure lacks(String method, String capability) {
    return McpFailure.notSent(
        FailureCode.METHOD_NOT_FOUND,
        method + " was not sent: the server does not offer the capability '" + capability + "'");
  }
}
