package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.directory.ViewUris;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TaskId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests and notifications whose method MCP does not define, such as those of an
 * extension. At the endpoint of one server they go to that server; elsewhere to the server whose
 * tool, prompt, resource or task the params name, by the server's own name. The view and the
 * policies decide by the method's name ({@link DirectoryView#mayPass}); what does not pass is a
 * method that does not exist. Methods of MCP have their own ways, or the gateway answers them. One
 * that has none here passes to a server of the {@code initialize} era alone, over the client's own
 * session: that server refuses it in its own words. Confined to the caller's context.
 */
public record UnknownMethods(Vertx vertx, Directory directory, RequestRouter router) {

  private static final String METHOD = "method";
  private static final String PARAMS = "params";

  /** The server that gets the message, and the params by its own names. */
  private record PassTarget(String server, RawJson params) {}

  /**
   * Sends a request.
   *
   * @return the bytes of the result
   */
  Future<RawJson> request(GatewayCall call) {
    return send(call, Addresses.REQUEST);
  }

  /** Sends a notification; completes when the connection has it. */
  Future<RawJson> notification(GatewayCall call) {
    return send(call, Addresses.NOTIFY);
  }

  private Future<RawJson> send(GatewayCall call, String suffix) {
    GatewayRequest request = call.request();
    String method = request.method();
    DirectoryView view = request.view();
    boolean known = Methods.isKnown(method);
    if ((known && !isRefusedByServer(request, suffix)) || !view.options().passUnknown()) {
      throw McpErrors.methodNotFound(method);
    }
    return target(call)
        .compose(
            to -> {
              call.about(to.server(), method);
              if (!view.mayPass(to.server(), method, to.params())) {
                call.deny();
                throw McpErrors.methodNotFound(method);
              }
              call.leavesFor(to.server());
              return call.send(to.server(), suffix, body(method, to.params()));
            });
  }

  /**
   * Whether the server itself refuses a request of MCP that it does not have, or that its version
   * has not. Not where clients share a connection: what one of them sets there is set for all.
   */
  private boolean isRefusedByServer(GatewayRequest request, String suffix) {
    DirectoryEntry server = directory.snapshot(request.view()).server(request.view().name());
    return suffix.equals(Addresses.REQUEST)
        && request.isAsIs()
        && request.era() == Era.INITIALIZE
        && server != null
        && server.up()
        && server.hasSessions()
        && Methods.isRequest(request.method())
        && !request.method().equals(Methods.INITIALIZE);
  }

  private Future<PassTarget> target(GatewayCall call) {
    GatewayRequest request = call.request();
    DirectoryView view = request.view();
    RawJson params = request.params();
    SealedTaskIds.Named task = task(request);
    if (task != null) {
      return Future.succeededFuture(
          new PassTarget(task.connection(), TaskId.with(params, task.own())));
    }
    if (view.server()) {
      return Future.succeededFuture(new PassTarget(view.name(), params));
    }
    String name = text(params, "name");
    String uri = text(params, "uri");
    if (name != null) {
      return directory
          .ready(vertx, view, List.of(ListKind.TOOLS, ListKind.PROMPTS))
          .map(
              known ->
                  target(params, "name", named(call.seen(directory.snapshot(view)), view, name)));
    }
    return uri == null
        ? Future.failedFuture(McpErrors.methodNotFound(request.method()))
        : router.resource(call, uri, ViewUris::route).map(found -> target(params, "uri", found));
  }

  private static PassTarget target(RawJson params, String member, ViewList.@Nullable Target found) {
    if (found == null) {
      throw McpErrors.invalidParams("\"" + member + "\" names nothing of a server");
    }
    return new PassTarget(
        found.server(),
        found.key().equals(found.name())
            ? params
            : params.with(member, RawJson.string(found.key())));
  }

  private static ViewList.@Nullable Target named(
      DirectorySnapshot lists, DirectoryView view, String name) {
    ViewList.Target tool = lists.list(view, ListKind.TOOLS).find(name);
    return tool == null ? lists.list(view, ListKind.PROMPTS).find(name) : tool;
  }

  /** The task on a connection that clients share which the params name; else null. */
  private SealedTaskIds.@Nullable Named task(GatewayRequest request) {
    String id = TaskId.of(request.params());
    SealedTaskIds.Named task =
        id.isEmpty()
            ? null
            : directory.taskIds().open(GatewayRequest.requester(request.principal()), id);
    return task != null
            && directory.snapshot().server(task.connection()) != null
            && request.view().admits(ListKind.TOOLS, task.connection(), task.tool())
        ? task
        : null;
  }

  private static @Nullable String text(RawJson params, String member) {
    RawJson value = params.member(member);
    return value != null && value.isString() ? value.asString() : null;
  }

  // ---- the form on the bus

  /** The message as the addresses {@code request} and {@code notify} take it. */
  private static RawJson body(String method, RawJson params) {
    RawJson named = RawJson.EMPTY_OBJECT.with(METHOD, RawJson.string(method));
    return params.isAbsent() ? named : named.with(PARAMS, params);
  }

  /**
   * The body of a request to an address of a connection with {@code change} applied to the params
   * that the server gets.
   */
  public static RawJson adapted(String suffix, RawJson body, UnaryOperator<RawJson> change) {
    if (!suffix.equals(Addresses.REQUEST) && !suffix.equals(Addresses.NOTIFY)) {
      return change.apply(body);
    }
    RawJson params = body.member(PARAMS);
    RawJson changed = change.apply(params == null ? RawJson.EMPTY_OBJECT : params);
    return changed.length() <= 2 && params == null ? body : body.with(PARAMS, changed);
  }
}
