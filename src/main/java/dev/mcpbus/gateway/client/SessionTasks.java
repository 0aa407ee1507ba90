package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.dialect.TaskForms;
import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.ByteBudget.ByteUse;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TaskId;
import dev.mcpbus.protocol.TasksExtension;
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
 * The tasks of one session, on servers of either era, in the form of MCP 2025-11-25. A task on a
 * private connection ends with the session, as the connection does. A task on a shared connection
 * stays: a later session of the same principal finds it, too. Confined to the session's host.
 */
final class SessionTasks {

  private static final int MAX_KNOWN = 1_000;
  private static final int MAX_FINISHED = 32;
  private static final int PAGE = 50;
  private static final long FINISHED_TTL_MILLIS = 600_000;

  /** A call that the client wanted as a task, and that the server answered at once. */
  private record Finished(RawJson task, RawJson result) {}

  private final HostParts host;
  private final String owner;
  private final ClientConnections connections;
  private final Supplier<DirectoryView> view;

  /** The tasks by the client's id, in the order in which the client received the ids. */
  private final Map<String, SealedTaskIds.Named> known = new LinkedHashMap<>();

  /** The client's ids, by connection and the server's id. */
  private final Map<SealedTaskIds.Named, String> ids = new HashMap<>();

  private final Map<String, Finished> finished = new LinkedHashMap<>();

  /** Pays for their results. */
  private final ByteBudget.ByteAccount kept;

  /**
   * @param owner the name of the client's principal
   * @param connections of the client
   * @param view with its present rights
   */
  SessionTasks(
      HostParts host, String owner, ClientConnections connections, Supplier<DirectoryView> view) {
    this.host = host;
    this.owner = owner;
    this.connections = connections;
    this.view = view;
    this.kept = ByteBudget.of(host.vertx()).account(ByteUse.KEPT, owner);
  }

  /** The session ends: no result waits any more. */
  void close() {
    finished.clear();
    kept.close();
  }

  /** The result of a tool call in the form for the client. */
  RawJson begun(GatewayCall call, RawJson given) {
    ConnectionId at = call.at();
    String tool = call.item();
    if (at == null || tool == null || !host.directory().hasTasks(call.request().view())) {
      return given;
    }
    RawJson result =
        TaskId.relatedRenamed(given, own -> sealed(new SealedTaskIds.Named(at.value(), tool, own)));
    if (call.request().params().member("task") == null) {
      return result;
    }
    if (TaskForms.isTask(result)) {
      String id = remember(new SealedTaskIds.Named(at.value(), tool, TaskId.of(result)));
      RawJson meta = result.member("_meta");
      RawJson answer =
          RawJson.EMPTY_OBJECT.with("task", TaskForms.forInitialize(result.without("_meta"), id));
      return meta == null ? answer : answer.with("_meta", meta);
    }
    RawJson task = result.member("task");
    if (task != null && !TaskId.of(task).isEmpty()) {
      String id = remember(new SealedTaskIds.Named(at.value(), tool, TaskId.of(task)));
      return result.with("task", TaskId.renamed(task, own -> id));
    }
    String server = call.request().isAsIs() ? server(at.value()) : null;
    return server != null && !host.isDiscover(server)
        ? result // the server says itself what the wish is worth
        : RawJson.EMPTY_OBJECT.with("task", finished(result));
  }

  /**
   * Keeps the result of such a call as a task that is over; for want of room the oldest are
   * forgotten.
   *
   * @throws McpFailure if there is no room for this one alone
   */
  private RawJson finished(RawJson result) {
    RawJson whole = result.without(ResultType.MEMBER);
    while (finished.size() >= MAX_FINISHED || !kept.take(whole.length())) {
      if (finished.isEmpty()) {
        throw McpFailure.unpaid(McpFailure.Sent.MAYBE, kept.refusal(whole.length()));
      }
      Iterator<Finished> oldest = finished.values().iterator();
      kept.give(oldest.next().result().length());
      oldest.remove();
    }
    String id = RandomNames.create(16);
    RawJson now = RawJson.string(Instant.now().toString());
    RawJson task =
        RawJson.EMPTY_OBJECT
            .with("ttl", RawJson.of(Long.toString(FINISHED_TTL_MILLIS)))
            .with("lastUpdatedAt", now)
            .with("createdAt", now)
            .with("status", RawJson.string(TasksExtension.COMPLETED))
            .with("taskId", RawJson.string(id));
    finished.put(id, new Finished(task, whole));
    return task;
  }

  private String remember(SealedTaskIds.Named task) {
    String id = sealed(task);
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
   * The client's id of a server's task; null if the client does not know the task, or may not use
   * the tool any more.
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

  /** Answers {@code tasks/*}; a task that this client does not know is absent. */
  Future<RawJson> route(GatewayCall call) {
    GatewayRequest request = call.request();
    if (!host.directory().hasTasks(request.view())) {
      return host.router().route(call);
    }
    if (request.method().equals(Methods.TASKS_LIST)) {
      return list(call);
    }
    String suffix = TaskForms.suffix(request.method());
    String id = request.text("taskId");
    Finished done = finished.get(id);
    if (done != null) {
      return Future.succeededFuture(answered(suffix, id, done));
    }
    SealedTaskIds.Named task =
        host.directory().taskIds().open(GatewayRequest.requester(request.principal()), id);
    String server = task == null ? null : server(task.connection());
    if (task == null
        || server == null
        || !request.view().admits(ListKind.TOOLS, server, task.tool())) {
      throw McpErrors.taskAbsent();
    }
    call.about(server, task.tool());
    return switch (suffix) {
      case Addresses.TASKS_GET ->
          state(call, server, task, request.params()).onSuccess(there -> remember(task));
      case Addresses.TASKS_RESULT ->
          send(call, server, suffix, task, request.params())
              .map(result -> TaskId.withRelated(result.without(ResultType.MEMBER), id));
      case Addresses.TASKS_CANCEL -> cancel(call, server, task);
      default -> throw McpErrors.methodNotFound(request.method());
    };
  }

  private static RawJson answered(String suffix, String id, Finished done) {
    return switch (suffix) {
      case Addresses.TASKS_GET -> done.task();
      case Addresses.TASKS_RESULT -> TaskId.withRelated(done.result(), id);
      case Addresses.TASKS_CANCEL -> throw over();
      default -> throw McpErrors.methodNotFound(suffix);
    };
  }

  private static RuntimeException over() {
    return McpErrors.invalidParams("the task is over already");
  }

  /** The server of a private connection of this session, or of a shared one; null if unknown. */
  private @Nullable String server(String connection) {
    ConnectionId server = connections.serverOf(connection);
    if (server != null) {
      return server.value();
    }
    return host.directory().snapshot().server(connection) == null ? null : connection;
  }

  /**
   * @param params of the client's request; empty where it was another request
   */
  private Future<RawJson> send(
      GatewayCall call, String server, String suffix, SealedTaskIds.Named task, RawJson params) {
    return host.router()
        .send(call, server, suffix, TaskId.with(params, task.own()))
        .recover(
            failure ->
                Future.failedFuture(
                    SealedTaskIds.renamed(McpErrors.of(failure), task.own(), sealed(task))));
  }

  private Future<RawJson> state(
      GatewayCall call, String server, SealedTaskIds.Named task, RawJson params) {
    return send(call, server, Addresses.TASKS_GET, task, params)
        .map(state -> TaskForms.forInitialize(state, sealed(task)));
  }

  /** MCP 2025-11-25: a task that is over cannot be cancelled, and the answer is the task. */
  private Future<RawJson> cancel(GatewayCall call, String server, SealedTaskIds.Named task) {
    Future<RawJson> before =
        host.isDiscover(server)
            ? state(call, server, task, RawJson.EMPTY_OBJECT)
            : Future.succeededFuture(RawJson.EMPTY_OBJECT);
    return before
        .compose(
            state ->
                TaskForms.isOver(state)
                    ? Future.failedFuture(over())
                    : send(call, server, Addresses.TASKS_CANCEL, task, call.request().params()))
        .compose(
            answer ->
                TaskId.of(answer).isEmpty()
                    ? state(call, server, task, RawJson.EMPTY_OBJECT)
                    : Future.succeededFuture(TaskForms.forInitialize(answer, sealed(task))));
  }

  /** The client's id of a task. */
  private String sealed(SealedTaskIds.Named task) {
    return host.directory().taskIds().seal(owner, task);
  }

  /** The tasks that the client knows and that still exist. */
  private Future<RawJson> list(GatewayCall call) {
    RawJson cursor = call.request().params().member("cursor");
    List<String> all = new ArrayList<>(finished.keySet());
    all.addAll(known.keySet());
    int from = cursor == null || !cursor.isString() ? 0 : all.indexOf(cursor.asString()) + 1;
    if (cursor != null && from == 0) {
      throw McpErrors.staleCursor();
    }
    List<String> page = all.subList(from, Math.min(all.size(), from + PAGE));
    List<Future<RawJson>> states = new ArrayList<>();
    page.forEach(id -> states.add(listed(call, id)));
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

  private Future<RawJson> listed(GatewayCall call, String id) {
    Finished done = finished.get(id);
    if (done != null) {
      return Future.succeededFuture(done.task());
    }
    SealedTaskIds.Named task = known.get(id);
    String server = task == null ? null : server(task.connection());
    return task == null
            || server == null
            || !call.request().view().admits(ListKind.TOOLS, server, task.tool())
        ? Future.failedFuture(McpErrors.taskAbsent())
        : state(call, server, task, RawJson.EMPTY_OBJECT);
  }
}
