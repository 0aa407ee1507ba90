package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TasksExtension;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one session, on servers of either era, as 2025-11-25 has them. A task on a leased
 * connection ends with the session, as the connection does; one on a server that everybody shares
 * is found by the same principal's next session, too. Confined to its session's host.
 */
final class SessionTasks {

  private static final int MAX_KNOWN = 1_000;
  private static final int MAX_FINISHED = 32;
  private static final int PAGE = 50;
  private static final long FINISHED_TTL_MILLIS = 600_000;

  /** A call that was to become a task and was answered at once. */
  private record Finished(RawJson task, RawJson result) {}

  private final Directory directory;
  private final RequestRouter router;
  private final Principal principal;
  private final Supplier<DirectoryView> view;
  private final SessionConnections connections;

  /** In the order in which the client got to know them. */
  private final Map<String, SealedTaskIds.Named> known = new LinkedHashMap<>();

  /** Ids by connection and the server's id. */
  private final Map<SealedTaskIds.Named, String> ids = new HashMap<>();

  private final Map<String, Finished> finished = new LinkedHashMap<>();

  /**
   * @param view what the client may see at the moment
   */
  SessionTasks(
      Directory directory,
      RequestRouter router,
      Principal principal,
      Supplier<DirectoryView> view,
      SessionConnections connections) {
    this.directory = directory;
    this.router = router;
    this.principal = principal;
    this.view = view;
    this.connections = connections;
  }

  /** What the client gets of the answer to a tool call. */
  RawJson begun(GatewayRequest request, RawJson result) {
    ConnectionId at = request.at();
    String tool = request.item();
    if (request.params().member("task") == null
        || at == null
        || tool == null
        || !directory.hasTasks(request.view())) {
      return result;
    }
    if (TaskForms.isTask(result)) {
      String id = remember(new SealedTaskIds.Named(at.value(), tool, TaskForms.id(result)));
      RawJson meta = result.member("_meta");
      RawJson answer =
          RawJson.EMPTY_OBJECT.with("task", TaskForms.older(result.without("_meta"), id));
      return meta == null ? answer : answer.with("_meta", meta);
    }
    RawJson task = result.member("task");
    if (task != null && !TaskForms.id(task).isEmpty()) {
      String id = remember(new SealedTaskIds.Named(at.value(), tool, TaskForms.id(task)));
      return result.with("task", TaskForms.named(task, id));
    }
    return RawJson.EMPTY_OBJECT.with("task", finished(result));
  }

  /** The client asked for a task, and the server had the answer. */
  private RawJson finished(RawJson result) {
    String id = RandomNames.create(16);
    RawJson now = RawJson.string(Instant.now().toString());
    RawJson task =
        RawJson.EMPTY_OBJECT
            .with("ttl", RawJson.of(Long.toString(FINISHED_TTL_MILLIS)))
            .with("lastUpdatedAt", now)
            .with("createdAt", now)
            .with("status", RawJson.string(TasksExtension.COMPLETED))
            .with("taskId", RawJson.string(id));
    finished.put(id, new Finished(task, result.without(ResultType.MEMBER)));
    if (finished.size() > MAX_FINISHED) {
      finished.remove(finished.keySet().iterator().next());
    }
    return task;
  }

  private String remember(SealedTaskIds.Named task) {
    String id = directory.taskIds().seal(principal.name(), task);
    known.put(id, task);
    ids.put(key(task.connection(), task.own()), id);
    if (known.size() > MAX_KNOWN) {
      Iterator<SealedTaskIds.Named> oldest = known.values().iterator();
      SealedTaskIds.Named first = oldest.next();
      oldest.remove();
      ids.remove(key(first.connection(), first.own()));
    }
    return id;
  }

  private static SealedTaskIds.Named key(String connection, String own) {
    return new SealedTaskIds.Named(connection, "", own);
  }

  /**
   * By which the client knows a server's task; null where it was not told of it, or may not use the
   * tool any more.
   */
  @Nullable String id(String connection, String own) {
    String id = ids.get(key(connection, own));
    SealedTaskIds.Named task = id == null ? null : known.get(id);
    String server = server(connection);
    return task != null && server != null && view.get().admits(ListKind.TOOLS, server, task.tool())
        ? id
        : null;
  }

  // ---- requests

  /** A method of {@code tasks/}; what this client was not given is absent. */
  Future<RawJson> route(GatewayRequest request) {
    if (!directory.hasTasks(request.view())) {
      throw McpErrors.methodNotFound(request.method());
    }
    if (request.method().equals(Methods.TASKS_LIST)) {
      return list(request);
    }
    String suffix = TaskForms.suffix(request.method());
    String id = GatewayRequest.text(request.params(), "taskId");
    Finished done = finished.get(id);
    if (done != null) {
      return Future.succeededFuture(answered(suffix, id, done));
    }
    SealedTaskIds.Named task = directory.taskIds().open(GatewayRequest.requester(principal), id);
    String server = task == null ? null : server(task.connection());
    if (task == null
        || server == null
        || !request.view().admits(ListKind.TOOLS, server, task.tool())) {
      throw TaskForms.absent();
    }
    request.about(server, task.tool());
    return switch (suffix) {
      case Addresses.TASKS_GET -> state(request, server, task).onSuccess(there -> remember(task));
      case Addresses.TASKS_RESULT ->
          call(request, server, suffix, task)
              .map(result -> TaskForms.related(result.without(ResultType.MEMBER), id));
      case Addresses.TASKS_CANCEL -> cancel(request, server, task);
      default -> throw McpErrors.methodNotFound(request.method());
    };
  }

  private static RawJson answered(String suffix, String id, Finished done) {
    return switch (suffix) {
      case Addresses.TASKS_GET -> done.task();
      case Addresses.TASKS_RESULT -> TaskForms.related(done.result(), id);
      case Addresses.TASKS_CANCEL -> throw over();
      default -> throw McpErrors.methodNotFound(suffix);
    };
  }

  private static RuntimeException over() {
    return McpErrors.invalidParams("the task is over already");
  }

  /** The server behind a connection of this session, or one that everybody shares. */
  private @Nullable String server(String connection) {
    ConnectionId leased = connections.serverOf(connection);
    if (leased != null) {
      return leased.value();
    }
    return directory.snapshot().server(connection) == null ? null : connection;
  }

  private Future<RawJson> call(
      GatewayRequest request, String server, String suffix, SealedTaskIds.Named task) {
    return router.call(request, server, suffix, TaskForms.named(RawJson.EMPTY_OBJECT, task.own()));
  }

  private Future<RawJson> state(GatewayRequest request, String server, SealedTaskIds.Named task) {
    String id = directory.taskIds().seal(principal.name(), task);
    return call(request, server, Addresses.TASKS_GET, task)
        .map(state -> TaskForms.older(state, id));
  }

  /** This era refuses to cancel what is over, and answers with the task. */
  private Future<RawJson> cancel(GatewayRequest request, String server, SealedTaskIds.Named task) {
    DirectoryEntry facts = directory.snapshot().server(server);
    Future<RawJson> before =
        facts == null || !facts.modern()
            ? Future.succeededFuture(RawJson.EMPTY_OBJECT)
            : state(request, server, task);
    return before
        .compose(
            state ->
                TaskForms.isOver(state)
                    ? Future.failedFuture(over())
                    : call(request, server, Addresses.TASKS_CANCEL, task))
        .compose(
            answer ->
                TaskForms.id(answer).isEmpty()
                    ? state(request, server, task)
                    : Future.succeededFuture(
                        TaskForms.older(answer, directory.taskIds().seal(principal.name(), task))));
  }

  /** Those that the client was told of and that are still there. */
  private Future<RawJson> list(GatewayRequest request) {
    RawJson cursor = request.params().member("cursor");
    List<String> all = new ArrayList<>(finished.keySet());
    all.addAll(known.keySet());
    int from = cursor == null || !cursor.isString() ? 0 : all.indexOf(cursor.asString()) + 1;
    if (cursor != null && from == 0) {
      throw McpErrors.invalidParams("the cursor is not good any more; list anew");
    }
    List<String> page = all.subList(from, Math.min(all.size(), from + PAGE));
    List<Future<RawJson>> states = new ArrayList<>();
    page.forEach(id -> states.add(listed(request, id)));
    boolean more = from + PAGE < all.size();
    return Future.join(states)
        .transform(
            asked -> {
              List<RawJson> there =
                  states.stream().filter(Future::succeeded).map(Future::result).toList();
              RawJson result = RawJson.EMPTY_OBJECT.with("tasks", RawJson.array(there));
              return Future.succeededFuture(
                  more
                      ? result.with("nextCursor", RawJson.string(page.get(page.size() - 1)))
                      : result);
            });
  }

  private Future<RawJson> listed(GatewayRequest request, String id) {
    Finished done = finished.get(id);
    if (done != null) {
      return Future.succeededFuture(done.task());
    }
    SealedTaskIds.Named task = known.get(id);
    String server = task == null ? null : server(task.connection());
    return task == null
            || server == null
            || !request.view().admits(ListKind.TOOLS, server, task.tool())
        ? Future.failedFuture(TaskForms.absent())
        : state(request, server, task);
  }
}
