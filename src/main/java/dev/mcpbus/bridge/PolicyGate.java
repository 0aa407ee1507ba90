package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.directory.PolicyFilter;
import dev.mcpbus.directory.search.PermittedSearch;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Admission;
import dev.mcpbus.security.AdmissionControl;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.Audit.Decision;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.Operation.Scope;
import dev.mcpbus.security.RefusalCode;
import dev.mcpbus.security.Rights;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets through what the caller may do, and writes it down. To whom something is denied, it is not
 * there: same code, same words as for what never was. Only the want of the admin right is said
 * ({@code FORBIDDEN}): that those routes exist is no secret.
 */
final class PolicyGate {

  /** JSON-RPC's code of MCP servers for a resource that is not there. */
  private static final String OPERATION = "mcpbus.operation";

  private static final String OPENED = "mcpbus.opened";

  private final AdmissionControl keeper;
  private final Audit audit;

  PolicyGate(AdmissionControl keeper) {
    this.keeper = keeper;
    this.audit = keeper.audit();
  }

  /**
   * Who is behind what a request makes the bus do.
   *
   * @param server that it is about, empty for all of them
   */
  static Requester requester(RoutingContext ctx, String server) {
    Admission caller = RequestCaller.of(ctx);
    boolean admin = caller.rights().allows(Action.ADMIN, server, "");
    return new Requester(caller.principal().name(), admin);
  }

  /** Whether a route is for the caller, whatever its body may say; where not, answers it. */
  boolean admits(RoutingContext ctx, Action action) {
    Admission caller = RequestCaller.of(ctx);
    if (action != Action.ADMIN || caller.rights().isAdmin()) {
      return true;
    }
    ctx.fail(refused(ctx, Operation.of(action, "", ""), forbidden()));
    return false;
  }

  /**
   * Whether a peer of the event bus may listen, or send without an answer; written down.
   *
   * @param wanted empty for what is for no peer
   */
  boolean admits(RoutingContext ctx, String operation, Optional<Operation> wanted) {
    boolean may = may(ctx, operation, wanted);
    if (may) {
      Operation what = wanted.orElse(Operation.NOTHING);
      line(ctx, operation, what, Decision.ALLOW, "OK", System.nanoTime());
    }
    return may;
  }

  /** The same; written down only where he may not. */
  boolean may(RoutingContext ctx, String operation, Optional<Operation> wanted) {
    boolean may = wanted.isPresent() && RequestCaller.of(ctx).rights().permits(wanted.get());
    if (!may) {
      refusal(ctx, operation, wanted.orElse(Operation.NOTHING), RefusalCode.DENIED);
    }
    return may;
  }

  /** A message of a socket was too much. */
  void limited(RoutingContext ctx, String operation) {
    refusal(ctx, operation, Operation.NOTHING, RefusalCode.RATE_LIMITED);
  }

  /** A call of the event bus has its answer. */
  void ended(
      RoutingContext ctx, String operation, Operation wanted, AsyncResult<?> answer, long since) {
    if (audit.isOn()) {
      line(ctx, operation, wanted, Decision.ALLOW, code(answer), since);
    }
  }

  /** Something stays open. */
  void opened(RoutingContext ctx) {
    ctx.put(OPENED, System.nanoTime());
    line(ctx, operation(ctx), Operation.NOTHING, Decision.ALLOW, "OPEN", System.nanoTime());
  }

  /** What was {@link #opened} has ended. */
  void closed(RoutingContext ctx) {
    Long since = ctx.remove(OPENED);
    if (since != null) {
      line(ctx, operation(ctx), Operation.NOTHING, Decision.ALLOW, "END", since);
    }
  }

  private static String code(AsyncResult<?> answer) {
    return answer.succeeded() ? "OK" : McpFailure.of(answer.cause()).code().name();
  }

  /** What the audit log calls the request of a route from here on. */
  static void operation(RoutingContext ctx, String name) {
    ctx.put(OPERATION, name);
  }

  private static String operation(RoutingContext ctx) {
    String name = ctx.get(OPERATION);
    return name == null ? ctx.request().method() + " " + ctx.request().path() : name;
  }

  /** A question to the actor of one server. */
  Future<JsonObject> ask(
      RoutingContext ctx, ConnectionId id, String suffix, Supplier<Future<JsonObject>> send) {
    return decided(ctx, AddressOperations.of(id.value(), suffix, RawJson.EMPTY_OBJECT), send);
  }

  /** A call of one server. */
  Future<Buffer> call(
      RoutingContext ctx,
      ConnectionId id,
      String suffix,
      RawJson body,
      Supplier<Future<Buffer>> send) {
    Rights rights = RequestCaller.of(ctx).rights();
    return decided(ctx, AddressOperations.of(id.value(), suffix, body), send)
        .map(result -> PolicyFilter.visible(result, id.value(), rights));
  }

  /**
   * A call of an aggregate address.
   *
   * @param send is given the body with what it may be about
   */
  Future<Buffer> callAll(
      RoutingContext ctx, String address, RawJson body, Function<RawJson, Future<Buffer>> send) {
    Rights rights = RequestCaller.of(ctx).rights();
    return switch (address) {
      case Addresses.ALL_TOOLS_LIST, Addresses.ALL_PROMPTS_LIST, Addresses.ALL_RESOURCES_LIST ->
          written(ctx, Operation.NOTHING, () -> send.apply(body))
              .map(result -> PolicyFilter.visible(result, null, rights));
      case Addresses.ALL_TOOLS_SEARCH ->
          written(
              ctx,
              Operation.NOTHING,
              () ->
                  rights.isUnbounded()
                      ? send.apply(body)
                      : PermittedSearch.within(body, rights, send));
      case Addresses.ALL_TOOLS_CALL ->
          decided(ctx, AddressOperations.named(body), () -> send.apply(body));
      default -> decided(ctx, Operation.whole(Action.CALL, ""), () -> send.apply(body));
    };
  }

  /**
   * The functions for models, of those tools alone that the caller may use.
   *
   * @param tools gives the aggregated list of tools
   */
  Future<Buffer> functions(
      RoutingContext ctx,
      RawJson body,
      Supplier<Future<Buffer>> tools,
      Function<RawJson, Future<Buffer>> send) {
    Rights rights = RequestCaller.of(ctx).rights();
    Operation wanted = Operation.of(Action.LIST, "", "");
    if (rights.isUnbounded()) {
      return written(ctx, wanted, () -> send.apply(body));
    }
    return written(
        ctx,
        wanted,
        () ->
            tools
                .get()
                .map(all -> PolicyFilter.tools(PolicyFilter.visible(all, null, rights)))
                .compose(visible -> send.apply(only(body, visible))));
  }

  private static RawJson only(RawJson body, JsonArray tools) {
    return body.with("only", RawJson.of(tools.encode()));
  }

  /**
   * One function call of a model, decided as the call of the tool that its name stands for. It is
   * sent with that tool as the only one that there is, or none: so a model is told of a function
   * that is denied as of one that never was.
   *
   * @param route gives that tool, {@code {server, tool}}
   */
  Future<Buffer> function(
      RoutingContext ctx,
      RawJson body,
      Supplier<Future<JsonObject>> route,
      Function<RawJson, Future<Buffer>> send) {
    return route
        .get()
        .transform(
            found -> {
              boolean unknown =
                  found.failed() && McpFailure.of(found.cause()).code() == FailureCode.UNKNOWN_TOOL;
              if (found.failed() && !unknown) {
                Operation nothing = Operation.nameless(Action.CALL, "");
                return written(ctx, nothing, () -> Future.failedFuture(found.cause()));
              }
              return function(ctx, body, unknown ? null : found.result(), send);
            });
  }

  private Future<Buffer> function(
      RoutingContext ctx,
      RawJson body,
      @Nullable JsonObject found,
      Function<RawJson, Future<Buffer>> send) {
    JsonArray only = new JsonArray();
    Operation wanted = Operation.nameless(Action.CALL, "");
    if (found != null) {
      ToolName tool = new ToolName(found.getString("server"), found.getString("tool"));
      wanted = Operation.of(Action.CALL, tool.server(), tool.tool());
      only.add(tool.toString());
    }
    if (RequestCaller.of(ctx).rights().permits(wanted)) {
      return written(ctx, wanted, () -> send.apply(only(body, only)));
    }
    refused(ctx, wanted, unknownTool());
    return send.apply(only(body, new JsonArray()));
  }

  /** A question to the service itself. */
  Future<JsonObject> ask(
      RoutingContext ctx, String address, JsonObject body, Supplier<Future<JsonObject>> send) {
    Rights rights = RequestCaller.of(ctx).rights();
    String id = body.getValue("id") instanceof String text ? text : "";
    return switch (address) {
      case Addresses.SERVERS_LIST ->
          written(ctx, Operation.NOTHING, send).map(reply -> PolicyFilter.servers(reply, rights));
      case Addresses.SERVERS_GET -> decided(ctx, Operation.of(Action.LIST, id, ""), send);
      case Addresses.SERVERS_REMOVE -> decided(ctx, Operation.of(Action.ADMIN, id, ""), send);
      case Addresses.SERVERS_ADD ->
          decided(ctx, Operation.of(Action.ADMIN, String.valueOf(body.getValue("name")), ""), send);
      // There is nothing there but what is his own.
      case Addresses.INPUT_PENDING, Addresses.INPUT_RESPOND, Addresses.INPUT_WITHDRAW ->
          written(ctx, Operation.of(Action.CALL, id, ""), send);
      // Servers are told of it, so it is for one that he may call, or needs the admin right.
      case Addresses.INPUT_OFFER ->
          decided(
              ctx,
              id.isEmpty() ? Operation.whole(Action.CALL, id) : Operation.of(Action.CALL, id, ""),
              send);
      default -> decided(ctx, Operation.whole(Action.LIST, id), send);
    };
  }

  private <T> Future<T> decided(RoutingContext ctx, Operation wanted, Supplier<Future<T>> send) {
    Rights rights = RequestCaller.of(ctx).rights();
    McpFailure denied = denial(rights, wanted);
    if (denied == null) {
      return written(ctx, wanted, send);
    }
    return Future.failedFuture(refused(ctx, wanted, denied));
  }

  private McpFailure refused(RoutingContext ctx, Operation wanted, McpFailure denied) {
    if (denied.code() == FailureCode.FORBIDDEN) {
      keeper.challengeAdmin(ctx.request(), RequestCaller.of(ctx).principal());
    }
    line(ctx, operation(ctx), wanted, Decision.DENY, denied.code().name(), System.nanoTime());
    return denied;
  }

  private <T> Future<T> written(RoutingContext ctx, Operation wanted, Supplier<Future<T>> send) {
    Rights rights = RequestCaller.of(ctx).rights();
    Future<T> answer = send.get();
    Future<T> shown =
        rights.isUnbounded()
            ? answer
            : answer.recover(failure -> Future.failedFuture(plain(McpFailure.of(failure))));
    if (audit.isOn()) {
      long since = System.nanoTime();
      answer.onComplete(
          result -> line(ctx, operation(ctx), wanted, Decision.ALLOW, code(result), since));
    }
    return shown;
  }

  private void refusal(RoutingContext ctx, String operation, Operation what, RefusalCode code) {
    line(ctx, operation, what, code.decision(), code.name(), System.nanoTime());
  }

  private void line(
      RoutingContext ctx,
      String operation,
      Operation wanted,
      Decision decision,
      String code,
      long since) {
    if (!audit.isOn()) {
      return;
    }
    Admission caller = RequestCaller.of(ctx);
    String server = wanted.server().isEmpty() ? null : wanted.server();
    audit.line(
        caller.source(),
        caller.principal(),
        operation,
        wanted.action().word(),
        server,
        wanted.named(),
        decision,
        code,
        since);
  }

  /** Null where he may. */
  private @Nullable McpFailure denial(Rights rights, Operation wanted) {
    if (rights.permits(wanted)) {
      return null;
    }
    boolean sees = wanted.server().isEmpty() || rights.sees(wanted.server());
    if (wanted.action() == Action.ADMIN || wanted.scope() == Scope.WHOLE) {
      return sees || !rights.isAdmin() ? forbidden() : unknownConnection();
    }
    if (!sees) {
      return unknownConnection();
    }
    if (wanted.scope() == Scope.UNKNOWN) {
      return rights.isUnbounded() ? forbidden() : unknownMethod();
    }
    return switch (wanted.action()) {
      case READ, SUBSCRIBE ->
          McpFailure.upstream(
              new JsonRpcError(
                  JsonRpcError.RESOURCE_NOT_FOUND,
                  "Resource not found",
                  new JsonObject().put("uri", wanted.item())));
      case GET ->
          McpFailure.upstream(
              new JsonRpcError(
                  JsonRpcError.INVALID_PARAMS, "Unknown prompt: " + wanted.item(), null));
      default -> unknownTool();
    };
  }

  /** Failures that would name what the caller does not see, as everybody with bounds gets them. */
  private static McpFailure plain(McpFailure failure) {
    return switch (failure.code()) {
      case UNKNOWN_TOOL -> unknownTool();
      case UNKNOWN_CONNECTION -> unknownConnection();
      default -> failure;
    };
  }

  private McpFailure forbidden() {
    return McpFailure.notSent(FailureCode.FORBIDDEN, keeper.adminRemedy());
  }

  private static McpFailure unknownMethod() {
    return McpFailure.upstream(
        new JsonRpcError(JsonRpcError.METHOD_NOT_FOUND, "Method not found", null));
  }

  private static McpFailure unknownTool() {
    return McpFailure.notSent(FailureCode.UNKNOWN_TOOL, "there is no tool of that name for you");
  }

  private static McpFailure unknownConnection() {
    return McpFailure.notSent(
        FailureCode.UNKNOWN_CONNECTION, "there is no server of that id for you");
  }
}
