package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
import dev.mcpbus.directory.ServerList;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import org.jspecify.annotations.Nullable;

/**
 * Tasks for clients of the {@code server/discover} era. A task of a server of that era passes as it
 * is, but for its id; one on an older server is held at a host. Keeps nothing. Confined to the
 * context of the HTTP verticle.
 */
final class DiscoverTasks {

  private final SessionHostNames hostNames;
  private final Directory directory;
  private final RequestRouter router;

  DiscoverTasks(SessionHostNames hostNames, Directory directory, RequestRouter router) {
    this.hostNames = hostNames;
    this.directory = directory;
    this.router = router;
  }

  /** A method of {@code tasks/}; another principal's task is as absent as one that never was. */
  Future<RawJson> route(GatewayRequest gatewayRequest, Principal principal) {
    try {
      return routed(gatewayRequest, principal)
          .recover(failure -> Future.failedFuture(McpErrors.of(failure)));
    } catch (RuntimeException e) {
      return Future.failedFuture(McpErrors.of(e));
    }
  }

  private Future<RawJson> routed(GatewayRequest gatewayRequest, Principal principal) {
    if (!directory.hasTasks(gatewayRequest.view())) {
      throw McpErrors.methodNotFound(gatewayRequest.method());
    }
    String suffix = suffix(gatewayRequest);
    String id = GatewayRequest.text(gatewayRequest.params(), "taskId");
    if (RandomNames.isHeld(id)) {
      return held(gatewayRequest, principal, suffix, id);
    }
    SealedTaskIds.Named task = find(gatewayRequest.view(), principal, id);
    if (task == null) {
      throw TaskForms.absent();
    }
    gatewayRequest.about(task.connection(), task.tool());
    return router
        .call(
            gatewayRequest,
            task.connection(),
            suffix,
            TaskForms.named(gatewayRequest.params(), task.own()))
        .map(
            result -> {
              RawJson typed =
                  result.member(ResultType.MEMBER) == null
                      ? result.withNew(ResultType.MEMBER, ResultType.COMPLETE_JSON)
                      : result;
              return TaskForms.id(typed).isEmpty() ? typed : TaskForms.named(typed, id);
            });
  }

  private static String suffix(GatewayRequest gatewayRequest) {
    String suffix = TaskForms.suffix(gatewayRequest.method());
    if (suffix.equals(Addresses.TASKS_RESULT)) {
      throw McpErrors.methodNotFound(gatewayRequest.method()); // of the older era
    }
    return suffix;
  }

  private Future<RawJson> held(
      GatewayRequest gatewayRequest, Principal principal, String suffix, String id) {
    DeliveryOptions options =
        new DeliveryOptions()
            .addHeader(SessionMessage.OP, SessionMessage.ABOUT_TASK)
            .addHeader(SessionMessage.PRINCIPAL, principal.text())
            .addHeader(SessionMessage.VIEW, gatewayRequest.view().name())
            .addHeader(SessionMessage.SUFFIX, suffix)
            .addHeader(SessionMessage.STATE, id);
    return hostNames
        .sendParams(RandomNames.host(id), gatewayRequest.params(), options)
        .map(answer -> RawJson.of(answer.body()))
        .recover(
            failure ->
                Future.failedFuture(
                    McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                        ? TaskForms.absent()
                        : failure));
  }

  /** What the client gets of the answer to its call. */
  RawJson named(GatewayRequest gatewayRequest, Principal principal, RawJson result) {
    ConnectionId at = gatewayRequest.at();
    String tool = gatewayRequest.item();
    return at == null || tool == null || !TaskForms.isTask(result)
        ? result
        : TaskForms.named(
            result,
            directory
                .taskIds()
                .seal(
                    principal.name(),
                    new SealedTaskIds.Named(at.value(), tool, TaskForms.id(result))));
  }

  /** True where a call becomes a task because its client knows tasks and the tool takes it so. */
  boolean becomesTask(String server, String suffix, RawJson params) {
    DirectoryEntry facts = directory.snapshot().server(server);
    ServerList tools = facts == null ? null : facts.list(ListKind.TOOLS);
    RawJson name = params.member("name");
    if (facts == null
        || !facts.tasks()
        || tools == null
        || name == null
        || !suffix.equals(Addresses.TOOLS_CALL)) {
      return false;
    }
    String key = name.asString();
    return tools.items().stream()
        .anyMatch(item -> item.key().equals(key) && TaskForms.takesTask(item.entry()));
  }

  /** The task of a server that an id names; null where the client has none of that name. */
  SealedTaskIds.@Nullable Named find(DirectoryView view, Principal principal, String id) {
    SealedTaskIds.Named task = directory.taskIds().open(GatewayRequest.requester(principal), id);
    return task != null && view.admits(ListKind.TOOLS, task.connection(), task.tool())
        ? task
        : null;
  }
}
