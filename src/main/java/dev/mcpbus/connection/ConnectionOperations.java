package dev.mcpbus.connection;

import dev.mcpbus.bus.CacheMode;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.ConnectionFailures;
import dev.mcpbus.connection.session.InternalRequest;
import dev.mcpbus.connection.session.Pagination;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.WorkerThreshold;
import dev.mcpbus.connection.tools.InvalidTools;
import dev.mcpbus.connection.tools.SessionTools;
import dev.mcpbus.connection.tools.ToolTable;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One operation for each address of a connection: what the ready session does with the call. {@link
 * Mailbox} runs it; {@link TaskOperations} has the addresses of tasks. Owner: the connection's
 * context.
 */
final class ConnectionOperations {

  /** What is done for the address of a row. */
  record AddressOperation(ServerOperation row, Run run) {

    /** The MCP method of the requests that it sends, also named in failures. */
    String method() {
      return String.valueOf(row.logged);
    }
  }

  /** Ends {@code call} exactly once, now or later. */
  @FunctionalInterface
  interface Run {
    void run(ReadySession ready, BusCall call);
  }

  static final List<AddressOperation> ALL =
      List.of(
          new AddressOperation(ServerOperation.TOOLS_LIST, ConnectionOperations::listTools),
          new AddressOperation(
              ServerOperation.TOOLS_CALL, (ready, call) -> ready.toolCalls().call(call)),
          new AddressOperation(ServerOperation.TOOLS_METADATA, ConnectionOperations::metadata),
          list(ServerOperation.RESOURCES_LIST, "resources"),
          list(ServerOperation.SKILLS_LIST, SkillOperations::areOffered),
          list(ServerOperation.RESOURCES_TEMPLATES, "resources"),
          new AddressOperation(ServerOperation.RESOURCES_READ, ConnectionOperations::readResource),
          new AddressOperation(ServerOperation.RESOURCES_DIRECTORY, SkillOperations::directory),
          new AddressOperation(ServerOperation.SKILLS_GET, SkillOperations::get),
          new AddressOperation(ServerOperation.SKILLS_READ, SkillOperations::read),
          new AddressOperation(
              ServerOperation.RESOURCES_SUBSCRIBE, (ready, call) -> subscribe(ready, call, true)),
          new AddressOperation(
              ServerOperation.RESOURCES_UNSUBSCRIBE,
              (ready, call) -> subscribe(ready, call, false)),
          list(ServerOperation.PROMPTS_LIST, "prompts"),
          simple(ServerOperation.PROMPTS_GET, "prompts"),
          simple(ServerOperation.COMPLETION, "completions"),
          new AddressOperation(ServerOperation.LOGLEVEL, ConnectionOperations::logLevel),
          new AddressOperation(ServerOperation.PING, ConnectionOperations::ping),
          new AddressOperation(ServerOperation.ROOTS_CHANGED, ConnectionOperations::rootsChanged),
          new AddressOperation(ServerOperation.REQUEST, ConnectionOperations::rawRequest),
          new AddressOperation(ServerOperation.NOTIFY, ConnectionOperations::rawNotification));

  /** Notifications of a client about what the server has asked. */
  private static final Set<String> OF_QUESTIONS = Set.of(Methods.PROGRESS, Methods.TASKS_STATUS);

  private ConnectionOperations() {}

  /** Sends the request as it came, and gives the answer as it comes. */
  private static AddressOperation simple(ServerOperation row, String capability) {
    return new AddressOperation(
        row,
        (ready, call) -> {
          if (ready.offers(capability) || call.isAsIs()) {
            ready.session().send(call, call.params());
          } else {
            call.fail(ConnectionFailures.lacks(call.method(), capability));
          }
        });
  }

  private static AddressOperation list(ServerOperation row, String capability) {
    return list(row, ready -> ready.offers(capability));
  }

  /**
   * A list: empty where the server lacks the capability, all pages unless the caller gives a
   * cursor.
   */
  private static AddressOperation list(ServerOperation row, Predicate<ReadySession> isOffered) {
    ListKind kind = Objects.requireNonNull(row.list);
    return new AddressOperation(
        row,
        (ready, call) -> {
          if (!isOffered.test(ready) && call.isAsIs()) {
            ready.session().send(call, call.params());
          } else if (!isOffered.test(ready)) {
            call.complete(RawJson.of("{\"" + kind.member + "\":[]}"));
          } else if (!answeredFromCache(ready, call, kind.method)) {
            pages(ready, call, kind.method, kind.member)
                .compose(found -> usable(ready, found, kind.member, kind.key))
                .onComplete(
                    found -> call.attempt(() -> call.complete(found)),
                    failure -> call.fail(McpFailure.of(failure)));
          }
        });
  }

  /**
   * Answers with a kept result that is still fresh. Otherwise has the result of this call kept, if
   * the caller's cache mode allows it. Only servers of the {@code discover} era say how long a
   * result is fresh; a call that answers questions bypasses the cache.
   */
  private static boolean answeredFromCache(ReadySession ready, BusCall call, String method) {
    CacheMode mode = call.cache();
    RawJson params = call.params();
    if (!ready.isDiscoverEra()
        || mode == CacheMode.BYPASS
        || params.member("inputResponses") != null
        || params.member("requestState") != null) {
      return false;
    }
    RawJson fresh = mode == CacheMode.REFRESH ? null : ready.cache().fresh(method, params);
    if (fresh != null) {
      call.complete(fresh);
      return true;
    }
    long since = ready.session().clock().millis();
    long before = ready.cache().generation();
    call.onResult(result -> ready.cache().keep(method, params, result, since, before));
    return false;
  }

  private static Future<RawJson> usable(ReadySession ready, RawJson list, String key, String name) {
    Quirks quirks = ready.session().quirks();
    return WorkerThreshold.isExceededBy(list)
        ? ready
            .session()
            .vertx()
            .executeBlocking(() -> InvalidTools.unusable(list, key, name, quirks), false)
        : Future.succeededFuture(InvalidTools.unusable(list, key, name, quirks));
  }

  /** The page that the caller's cursor names; without a cursor, all pages. */
  static Future<RawJson> pages(ReadySession ready, BusCall call, String method, String key) {
    Session session = ready.session();
    Function<RawJson, Future<RawJson>> fetch =
        params -> {
          InternalRequest page = InternalRequest.page(method, call);
          session.send(page, params);
          return page.future();
        };
    return call.params().member("cursor") == null
        ? Pagination.all(key, call.params(), session.options(), session.quirks(), fetch)
        : fetch.apply(call.params());
  }

  private static void readResource(ReadySession ready, BusCall call) {
    if (!ready.offers("resources") && !call.isAsIs()) {
      call.fail(ConnectionFailures.lacks(call.method(), "resources"));
    } else if (!answeredFromCache(ready, call, call.method())) {
      ready.session().send(call, call.params());
    }
  }

  private static void listTools(ReadySession ready, BusCall call) {
    if (!ready.offers("tools")) {
      if (call.isAsIs()) {
        ready.session().send(call, call.params());
      } else {
        call.complete(RawJson.of("{\"tools\":[]}"));
      }
      return;
    }
    if (call.params().member("cursor") != null) {
      ready.tools().page(call);
      return;
    }
    boolean forServer = call.isAsIs() && !call.params().members().isEmpty();
    withTools(
        ready, call, forServer ? ready.tools().asked(call) : tools(ready, call), ToolTable::list);
  }

  /**
   * The list of tools, as the cache mode says. Without a mode the kept list serves only as long as
   * the server calls it fresh, which the {@code initialize} era has no field for.
   */
  private static Future<ToolTable> tools(ReadySession ready, BusCall call) {
    SessionTools tools = ready.tools();
    CacheMode mode = call.cache();
    if (mode == null) {
      return ready.isDiscoverEra() ? tools.fresh() : tools.load();
    }
    return switch (mode) {
      case USE -> ready.isDiscoverEra() ? tools.fresh() : tools.current();
      case REFRESH -> tools.load();
      case BYPASS -> tools.bypass();
    };
  }

  private static void metadata(ReadySession ready, BusCall call) {
    if (!ready.offers("tools")) {
      call.complete(RawJson.EMPTY_OBJECT);
      return;
    }
    withTools(ready, call, ready.tools().current(), tools -> RawJson.of(tools.metadata()));
  }

  private static void withTools(
      ReadySession ready,
      BusCall call,
      Future<ToolTable> tools,
      Function<ToolTable, RawJson> answer) {
    ready
        .session()
        .waiting()
        .on(
            "the server's list",
            tools,
            call,
            found -> call.complete(answer.apply(ready.tools().shown(found))),
            failure -> call.fail(McpFailure.of(failure)));
  }

  /**
   * Tells a server of the {@code initialize} era that the roots have changed. The {@code discover}
   * era has no such notification: its servers request the roots with each call.
   */
  private static void rootsChanged(ReadySession ready, BusCall call) {
    if (!ready.isDiscoverEra()) {
      RawJson params = call.params();
      ready.session().notify(Methods.ROOTS_CHANGED, params.isAbsent() ? null : params);
    }
    call.complete(RawJson.EMPTY_OBJECT);
  }

  /** Sends {@code ping}, or {@code server/discover} in the era that has no {@code ping}. */
  private static void ping(ReadySession ready, BusCall call) {
    if (!ready.isDiscoverEra()) {
      ready.session().send(call, null);
      return;
    }
    long left = call.deadline() - ready.session().clock().millis();
    ready
        .session()
        .request(ready.session().era().pingMethod(), null, Duration.ofMillis(Math.max(1, left)))
        .onComplete(
            answer -> call.complete(RawJson.EMPTY_OBJECT),
            failure -> call.fail(McpFailure.of(failure)));
  }

  private static void subscribe(ReadySession ready, BusCall call, boolean wanted) {
    RawJson uri = call.params().member("uri");
    if (call.isAsIs()) {
      ready.session().send(call, call.params()); // the caller knows that the server refuses it
      return;
    }
    if (uri == null || !uri.isString()) {
      call.fail(McpFailure.badRequest("\"uri\" must be a string"));
      return;
    }
    if (!ready.offers("resources")) {
      call.fail(ConnectionFailures.lacks(call.method(), "resources"));
      return;
    }
    if (wanted) {
      call.attempt(() -> SubscriptionOperations.subscribe(ready, call, uri.asString()));
    } else {
      SubscriptionOperations.unsubscribe(ready, call, uri.asString());
    }
  }

  /**
   * Sets the log level. In the {@code discover} era every later request carries it; in the {@code
   * initialize} era the server gets it now, and again in each session if it accepts it.
   */
  private static void logLevel(ReadySession ready, BusCall call) {
    RawJson level = call.params().member("level");
    boolean text = level != null && level.isString();
    if (call.isAsIs() && !(text && ready.offers("logging"))) {
      ready.session().send(call, call.params());
    } else if (level == null || !level.isString()) {
      call.fail(McpFailure.badRequest("\"level\" must be a string"));
    } else if (!ready.offers("logging")) {
      call.fail(ConnectionFailures.lacks(call.method(), "logging"));
    } else if (ready.isDiscoverEra() && !Methods.LOG_LEVELS.contains(level.asString())) {
      call.fail(McpFailure.badRequest("\"level\" must be one of " + Methods.LOG_LEVELS));
    } else if (ready.isDiscoverEra()) {
      ready.preferences().logLevel(level);
      call.complete(RawJson.EMPTY_OBJECT);
    } else {
      call.onResult(accepted -> ready.preferences().logLevel(level));
      ready.session().send(call, call.params());
    }
  }

  /**
   * Sends a notification: {@code {"method": ..., "params": {...}}}. Those of MCP have a meaning for
   * the session itself, so they are refused. The reply says that it was sent, not that it was read.
   */
  private static void rawNotification(ReadySession ready, BusCall call) {
    RawJson method = call.params().member("method");
    RawJson params = call.params().member("params");
    if (method == null || !method.isString() || (params != null && !params.isObject())) {
      call.fail(malformed());
    } else if (method.asString().isBlank()) {
      call.fail(McpFailure.badRequest("\"method\" is empty: name the notification"));
    } else if (Methods.isKnown(method.asString()) && !OF_QUESTIONS.contains(method.asString())) {
      call.fail(
          McpFailure.badRequest(
              "the connection sends " + method.asString() + " itself, where it is due"));
    } else if (keepsAway(ready, method.asString(), params)) {
      call.fail(keptAway());
    } else {
      RawJson named = ready.session().toServer(params, call);
      ready.session().notify(method.asString(), ready.session().era().told(named, call));
      call.complete(RawJson.EMPTY_OBJECT);
    }
  }

  /**
   * Whether the entry of the server keeps a tool away that the message may name. Methods of MCP
   * have checks of their own.
   */
  private static boolean keepsAway(ReadySession ready, String method, @Nullable RawJson params) {
    return params != null
        && !Methods.isExactly(method)
        && !ready.session().options().tools().mayName(params);
  }

  private static McpFailure keptAway() {
    return McpFailure.notSent(
        FailureCode.UNKNOWN_TOOL, "the server offers no tool of the name in \"params\"");
  }

  private static McpFailure malformed() {
    return McpFailure.badRequest(
        "the body must be {\"method\": string, \"params\": object or absent}");
  }

  /**
   * Sends any method: {@code {"method": ..., "params": {...}}}. Methods that need more than a
   * request take the way of their own address.
   */
  private static void rawRequest(ReadySession ready, BusCall call) {
    RawJson method = call.params().member("method");
    RawJson params = call.params().member("params");
    if (method == null || !method.isString() || (params != null && !params.isObject())) {
      call.fail(malformed());
    } else if (method.asString().equals(Methods.INITIALIZE)) {
      call.fail(
          McpFailure.badRequest(
              "the connection sends initialize itself; use restart for a new session"));
    } else {
      if (keepsAway(ready, method.asString(), params)) {
        call.fail(keptAway());
        return;
      }
      RawJson named =
          Methods.isKnown(method.asString()) ? params : ready.session().toServer(params, call);
      RawJson inner = named == null ? RawJson.EMPTY_OBJECT : named;
      forward(ready, call.as(method.asString(), inner, ready.session().options()), named);
    }
  }

  private static void forward(ReadySession ready, BusCall raw, @Nullable RawJson params) {
    if (raw.isAsIs() && !raw.method().equals(Methods.TOOLS_CALL)) {
      ready.session().send(raw, params); // the server itself says what it is worth
      return;
    }
    switch (raw.method()) {
      case Methods.TOOLS_LIST -> ready.tools().page(raw);
      case Methods.TOOLS_CALL -> ready.toolCalls().callUnchecked(raw, params);
      case Methods.RESOURCES_SUBSCRIBE -> subscribe(ready, raw, true);
      case Methods.RESOURCES_UNSUBSCRIBE -> subscribe(ready, raw, false);
      case Methods.TASKS_LIST -> TaskOperations.list(ready, raw);
      default -> ready.session().send(raw, params);
    }
  }

  /** Sends a call again that the server of the last session has not run. */
  static void repeat(ReadySession ready, BusCall call) {
    if (call.isRequest()) {
      forward(ready, call, call.params().isAbsent() ? null : call.params());
      return;
    }
    Stream.concat(ALL.stream(), TaskOperations.ALL.stream())
        .filter(operation -> operation.method().equals(call.method()))
        .findFirst()
        .ifPresentOrElse(
            operation -> operation.run().run(ready, call), () -> call.fail(McpFailure.defect()));
  }
}
