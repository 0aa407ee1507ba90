package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.gateway.client.ClientConnections.Opened;
import dev.mcpbus.gateway.dialect.Discover;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.AsyncResult;
import java.time.Instant;

/**
 * A parked call that its client sees as a task (MCP 2026-07-28, tasks extension). The connection
 * decides whether the server, too, makes a task of it. Confined to the host's context.
 */
final class TaskCall extends ParkedCall {

  /** The longest time that a task works, milliseconds, if its connection does not set less. */
  private static final long MAX_WORK_MILLIS = 3_600_000;

  /** How long the result is kept, milliseconds. */
  static final long KEPT_MILLIS = 600_000;

  private final String id;
  private final String tool;
  private final Instant created;
  private Instant updated;
  private long workMillis = MAX_WORK_MILLIS;
  private String message = "";
  private boolean cancelled;

  /**
   * @param statement what the client states with the call
   * @param id the client's id of the task
   * @param tool by its server's name
   */
  TaskCall(
      CallKeeper home,
      GatewayClient client,
      String server,
      ClientStatement statement,
      String id,
      String tool) {
    super(home, client, server, statement);
    this.id = id;
    this.tool = tool;
    this.created = home.clock().instant();
    this.updated = created;
  }

  @Override
  String state() {
    return id;
  }

  String tool() {
    return tool;
  }

  /** The client has the task, and comes back for its result. */
  @Override
  CallOrigin origin() {
    return CallOrigin.NONE;
  }

  @Override
  public boolean isInUse() {
    return !isOver() && !hasQuestions();
  }

  /** Sends the call. The connection ends it after {@code workMillis}. */
  void begin(Opened own, RawJson params) {
    workMillis = Math.min(MAX_WORK_MILLIS, own.maxCallMillis());
    send(own, Addresses.TOOLS_CALL, params, workMillis, false, false);
  }

  // ---- requests of the client

  /** The answer to the call. */
  RawJson begun() {
    return task().with(ResultType.MEMBER, ResultType.TASK_JSON);
  }

  /** The answer to {@code tasks/get}. */
  RawJson get() {
    RawJson state = task();
    AsyncResult<RawJson> known = outcome();
    if (cancelled || known == null) {
      return state;
    }
    return Discover.finished(state, known);
  }

  private RawJson task() {
    String status = status();
    boolean asks = status.equals(TasksExtension.INPUT_REQUIRED);
    RawJson questions = asks ? client.questions.requests(this) : null;
    return Discover.task(id, status, created, updated, ttl(), message, questions);
  }

  private String status() {
    AsyncResult<RawJson> known = outcome();
    if (cancelled) {
      return TasksExtension.CANCELLED;
    }
    if (known != null) {
      return known.succeeded() ? TasksExtension.COMPLETED : TasksExtension.FAILED;
    }
    return hasQuestions() ? TasksExtension.INPUT_REQUIRED : TasksExtension.WORKING;
  }

  private long ttl() {
    return isOver()
        ? updated.toEpochMilli() - created.toEpochMilli() + KEPT_MILLIS
        : workMillis + KEPT_MILLIS;
  }

  /** {@code tasks/update}: answers to some of the questions. */
  void update(RawJson answers) {
    if (client.questions.answer(this, answers)) {
      touch();
    }
  }

  @Override
  public void cancel() {
    cancelled |= !isOver();
    super.cancel();
  }

  // ---- what comes from the server

  @Override
  public void questionsChanged() {
    touch();
  }

  @Override
  void completed() {
    end();
  }

  /** A task has no progress and no log messages of its own in the client's era. */
  @Override
  public void reported(String method, RawJson params) {}

  @Override
  public boolean hears(ServerNotice event) {
    return !isOver() && event.type().equals(Events.TASK);
  }

  @Override
  public void heard(ServerNotice event, String method) {
    RawJson text = event.params().member("statusMessage");
    if (text != null && text.isString() && !text.asString().equals(message)) {
      message = text.asString();
      touch();
    }
  }

  private void touch() {
    updated = home.clock().instant();
    home.noteUse(this);
  }

  @Override
  void end() {
    if (!isOver()) {
      super.end();
      touch();
    }
  }

  @Override
  String ending() {
    return "the task is over";
  }
}
