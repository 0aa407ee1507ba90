package dev.mcpbus.policy;

import dev.mcpbus.bus.AggregateOperation;
import dev.mcpbus.bus.AggregateOperation.AllSubject;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServiceOperation;
import dev.mcpbus.bus.ServiceOperation.ServiceSubject;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ServerId;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.Operation.Scope;
import dev.mcpbus.security.OperationTable;
import dev.mcpbus.security.Rights;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says which {@link Operation} a message to an address of the bus is. The bridge and the gateway
 * call it as the last step before they send, with the body that they send, and {@link
 * Rights#permits} decides: what is decided on is what is sent. A message to an address without a
 * row requires the admin right. Stateless.
 */
public final class PolicyCheck {

  private PolicyCheck() {}

  /**
   * A message to {@code mcp.<server>.<suffix>}. What changes a server that runs has no row of its
   * own.
   *
   * @param body the server's own names, not those of a view
   */
  public static Operation toServer(String server, String suffix, RawJson body) {
    ServerOperation row = ServerOperation.of(suffix);
    return row == null
        ? Operation.of(Action.ADMIN, server, "")
        : OperationTable.of(server, row.subject, body);
  }

  /**
   * A request or a notification whose method MCP does not define, which a client of the gateway
   * sends to a server: a call with the method as the name, so rights to single tools do not cover
   * it.
   */
  public static Operation passed(String server, String method) {
    return Operation.of(Action.CALL, server, method);
  }

  /**
   * A message to an aggregate address. The reply of a list or a search is filtered, so sending it
   * is always allowed.
   */
  public static Operation toAll(String address, RawJson body) {
    AggregateOperation row = AggregateOperation.of(address);
    return switch (row == null ? AllSubject.ADMIN : row.subject) {
      case FILTERED -> Operation.NOTHING;
      case NAMED_TOOL ->
          tool(body)
              .map(tool -> Operation.of(Action.CALL, tool.server(), tool.tool()))
              .orElse(Operation.nameless(Action.CALL, ""));
      case SKILL_FILE -> {
        RawJson server = body.member("server");
        yield OperationTable.skill(
            server == null || !server.isString() ? "" : server.asString(), body);
      }
      case ADMIN -> toNode();
    };
  }

  /** A message to the service: its servers, and the questions of servers. */
  public static Operation toService(String address, JsonObject body) {
    String id = body.getValue("id") instanceof String text ? text : "";
    ServiceOperation row = ServiceOperation.of(address);
    return switch (row == null ? ServiceSubject.ADMIN_OF_NODE : row.subject) {
      case FILTERED -> Operation.NOTHING;
      case LIST_OF_SERVER -> Operation.of(Action.LIST, id, "");
      case LIST_OF_NODE -> Operation.whole(Action.LIST, "");
      case ADMIN_OF_SERVER -> Operation.of(Action.ADMIN, id, "");
      case ADMIN_OF_NAME ->
          Operation.of(Action.ADMIN, ServerId.of(String.valueOf(body.getValue("name"))), "");
      case ADMIN_OF_NODE -> toNode(); // an id in the body does not make it one of that server
      case ADMIN_OF_SERVER_OR_SOME ->
          id.isEmpty() ? Operation.some(Action.ADMIN) : Operation.of(Action.ADMIN, id, "");
      case METRICS_OF_SERVER_OR_SOME ->
          id.isEmpty() ? Operation.some(Action.METRICS) : Operation.of(Action.METRICS, id, "");
      // Servers learn of an offer: it requires a server that the caller may call, or the admin
      // right.
      case CALL_OF_SERVER_OR_ALL ->
          id.isEmpty() ? Operation.whole(Action.CALL, id) : Operation.of(Action.CALL, id, "");
      case OWN_QUESTIONS -> Operation.own(Action.CALL, id);
      case OWN -> Operation.own(Action.LIST, id);
    };
  }

  /** A change of the node itself, or a look at it: it concerns all servers. */
  public static Operation toNode() {
    return Operation.of(Action.ADMIN, "", "");
  }

  /**
   * Whether a caller may do this at a door. A private connection belongs to one client: for callers
   * without the admin right it does not exist, because no policy names it. Every door of the bridge
   * asks here, with the operation that it derived from what it sends.
   */
  public static boolean permits(Rights rights, Operation wanted) {
    return rights.permits(wanted) && !isOthers(rights, wanted);
  }

  private static boolean isOthers(Rights rights, Operation wanted) {
    return !rights.isAdmin() && ConnectionId.isPrivate(wanted.server());
  }

  /** The tool that an aggregated name contains; empty if only a table of names can tell. */
  public static Optional<ToolName> tool(RawJson body) {
    RawJson name = body.member("name");
    if (name == null || !name.isString()) {
      return Optional.empty();
    }
    String text = name.asString();
    return ToolName.parse(text).or(() -> RoutingName.parse(text));
  }

  /**
   * The answer of the bus to an operation that {@code rights} do not permit. It has the code and
   * the words of something that does not exist. The missing admin right alone is named ({@code
   * FORBIDDEN}), because the routes that require it are no secret.
   *
   * @param adminRemedy the message of {@code FORBIDDEN}
   */
  public static McpFailure denial(Rights rights, Operation denied, String adminRemedy) {
    if (isOthers(rights, denied)) {
      return unknownConnection();
    }
    McpFailure forbidden = McpFailure.notSent(FailureCode.FORBIDDEN, adminRemedy);
    boolean sees = denied.server().isEmpty() || rights.sees(denied.server());
    if (denied.action() == Action.METRICS && sees) {
      return McpFailure.notSent(
          FailureCode.FORBIDDEN,
          denied.server().isEmpty()
              ? "the metrics name every server: they need a policy that allows the action"
                  + " \"metrics\" for all of them, and none that denies it for one"
              : "this needs a policy that allows the action \"metrics\"");
    }
    if (denied.server().isEmpty() && rights.isAdmin()) {
      return McpFailure.notSent(
          FailureCode.FORBIDDEN,
          "this concerns all servers: it needs a policy that allows the action \"admin\" for all of"
              + " them, and none that denies it for one");
    }
    if (denied.action() == Action.ADMIN || denied.scope() == Scope.WHOLE) {
      return sees || !rights.isAdmin() ? forbidden : unknownConnection();
    }
    if (!sees) {
      return unknownConnection();
    }
    if (denied.scope() == Scope.UNKNOWN) {
      return rights.isUnbounded()
          ? forbidden
          : rpc(JsonRpcError.METHOD_NOT_FOUND, "Method not found", null);
    }
    return switch (denied.action()) {
      case READ, SUBSCRIBE ->
          rpc(
              JsonRpcError.RESOURCE_NOT_FOUND,
              "Resource not found",
              new JsonObject().put("uri", denied.item()));
      case GET -> rpc(JsonRpcError.INVALID_PARAMS, "Unknown prompt: " + denied.item(), null);
      default -> unknownTool();
    };
  }

  /** Takes the names of other tools out of a failure, for a caller under policies. */
  public static McpFailure absence(McpFailure failure) {
    return switch (failure.code()) {
      case UNKNOWN_TOOL -> unknownTool();
      case UNKNOWN_CONNECTION -> unknownConnection();
      default -> failure;
    };
  }

  private static McpFailure rpc(int code, String message, @Nullable JsonObject data) {
    return McpFailure.upstream(new JsonRpcError(code, message, data));
  }

  private static McpFailure unknownTool() {
    return McpFailure.notSent(FailureCode.UNKNOWN_TOOL, "there is no tool of that name for you");
  }

  private static McpFailure unknownConnection() {
    return McpFailure.notSent(
        FailureCode.UNKNOWN_CONNECTION, "there is no server of that id for you");
  }
}
