package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ServerList;
import dev.mcpbus.gateway.dialect.TaskForms;
import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.HostMessage.AboutTaskMessage;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.gateway.request.RequestRouter;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TaskId;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Tasks for clients of the {@code discover} era. A task of a server of that era passes through, and
 * only its id changes. A session host keeps the task of a server of the {@code initialize} era.
 * Holds no state. Confined to the context of the HTTP verticle.
 */
record DiscoverTasks(SessionHostNames hostNames, Directory directory, RequestRouter router) {

  /** Answers {@code tasks/*}; a task of another principal is as absent as an unknown one. */
  Future<RawJson> route(DiscoverCall call) {
    return McpErrors.guarded(() -> routed(call));
  }

  private Future<RawJson> routed(DiscoverCall call) {
    GatewayRequest request = call.request();
    if (!directory.hasTasks(request.view())) {
      throw McpErrors.methodNotFound(request.method());
    }
    String suffix = suffix(request);
    if (!call.offersTasks()) {
      throw McpErrors.tasksNotOffered(); // whatever the id is (SEP-2663)
    }
    String id = request.text("taskId");
    if (RandomNames.isHeld(id)) {
      return held(request, suffix, id);
    }
    SealedTaskIds.Named task = find(request.view(), request.principal(), id);
    if (task == null) {
      throw McpErrors.taskAbsent();
    }
    call.about(task.connection(), task.tool());
    return router
        .send(call, task.connection(), suffix, TaskId.with(request.params(), task.own()))
        .map(result -> TaskId.renamed(result, own -> own.equals(task.own()) ? id : own))
        .recover(
            failure ->
                Future.failedFuture(SealedTaskIds.renamed(McpErrors.of(failure), task.own(), id)));
  }

  private static String suffix(GatewayRequest request) {
    String suffix = TaskForms.suffix(request.method());
    if (suffix.equals(Addresses.TASKS_RESULT)) {
      throw McpErrors.methodNotFound(request.method()); // only in the initialize era
    }
    return suffix;
  }

  /** A task that a session host keeps. */
  private Future<RawJson> held(GatewayRequest request, String suffix, String id) {
    AboutTaskMessage message =
        new AboutTaskMessage(request.principal().text(), request.view().name(), suffix, id);
    return hostNames
        .sendParams(RandomNames.host(id), request.params(), message.options())
        .map(answer -> RawJson.of(answer.body()))
        .recover(
            failure ->
                Future.failedFuture(
                    McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                        ? McpErrors.taskAbsent()
                        : failure));
  }

  /** The result of a tool call, with the client's ids in place of the server's. */
  RawJson named(GatewayCall call, RawJson result) {
    GatewayRequest request = call.request();
    ConnectionId at = call.at();
    String tool = call.item();
    if (at == null || tool == null || !request.method().equals(Methods.TOOLS_CALL)) {
      return result;
    }
    UnaryOperator<String> name =
        own ->
            directory
                .taskIds()
                .seal(request.principal().name(), new SealedTaskIds.Named(at.value(), tool, own));
    if (request.takesTask() && TaskForms.isTask(result)) {
      return TaskId.renamed(result, name);
    }
    return directory.hasTasks(request.view()) ? TaskId.relatedRenamed(result, name) : result;
  }

  /** Whether a call of a client that knows tasks becomes a task on this server. */
  static boolean becomesTask(DirectoryEntry server, String suffix, RawJson params) {
    ServerList tools = server.list(ListKind.TOOLS);
    RawJson name = params.member("name");
    if (!server.tasks() || tools == null || name == null || !suffix.equals(Addresses.TOOLS_CALL)) {
      return false;
    }
    String key = name.asString();
    return tools.items().stream()
        .anyMatch(item -> item.key().equals(key) && TaskForms.takesTask(item.entry()));
  }

  /** The task of a server that an id names; null if the client has no task of that id. */
  SealedTaskIds.@Nullable Named find(DirectoryView view, Principal principal, String id) {
    SealedTaskIds.Named task = directory.taskIds().open(GatewayRequest.requester(principal), id);
    return task != null && view.admits(ListKind.TOOLS, task.connection(), task.tool())
        ? task
        : null;
  }
}
