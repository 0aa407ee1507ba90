package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.Events;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.TaskForms;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TaskId;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives what servers send to one session, and puts each message on the stream on which the
 * client expects it. Confined to the session's host.
 */
final class SessionInbox implements CallRegistry.Caller {

  private static final List<String> LEVELS =
      List.of("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");

  private final GatewaySession session;
  private @Nullable String level;

  SessionInbox(GatewaySession session) {
    this.session = session;
  }

  /**
   * Sets the lowest level of log messages that the client wants.
   *
   * @throws dev.mcpbus.bus.McpFailure with the error for a level that MCP does not know
   */
  void level(String wanted) {
    if (!LEVELS.contains(wanted)) {
      throw McpErrors.invalidParams("\"level\" must be one of " + LEVELS);
    }
    level = wanted;
  }

  /** Null until the client has set a level. */
  @Nullable String level() {
    return level;
  }

  /** The call of that id, else the latest call on that private connection. */
  private @Nullable SessionCall call(@Nullable String callId, @Nullable String connection) {
    SessionCall named = callId == null ? null : session.requests.get(callId);
    return named != null || connection == null ? named : session.requests.latestAt(connection);
  }

  private ResumableStream stream(@Nullable SessionCall call) {
    return call == null ? session.streams.standing() : call.stream;
  }

  @Override
  public void reported(String callId, String method, JsonObject params) {
    SessionCall call = session.requests.get(callId);
    if (call == null) {
      return;
    }
    RawJson raw = RawJson.of(params);
    if (method.equals(Methods.PROGRESS)) {
      if (call.token != null) {
        call.stream.send(
            MessageWriter.notification(method, raw.with(MetaKeys.PROGRESS_TOKEN, call.token)));
      }
    } else if (wants(params)) {
      call.stream.send(MessageWriter.notification(method, raw));
    }
  }

  private boolean wants(JsonObject log) {
    return level == null
        || LEVELS.indexOf(String.valueOf(log.getValue("level"))) >= LEVELS.indexOf(level);
  }

  @Override
  public Future<JsonObject> asked(
      @Nullable String callId,
      @Nullable String connection,
      String question,
      String method,
      JsonObject params) {
    SessionCall call = call(callId, connection);
    return session.questions.ask(
        stream(call),
        question,
        call == null ? null : call.request().callId(),
        method,
        ofTask(call, connection, params));
  }

  /** A question about a task names the task by the client's id. */
  private JsonObject ofTask(
      @Nullable SessionCall call, @Nullable String connection, JsonObject params) {
    RawJson raw = RawJson.of(params);
    String own = TaskId.related(raw);
    String id = null;
    if (!own.isEmpty() && connection != null) {
      id = session.tasks.id(connection, own);
    } else if (call != null && call.request().method().equals(Methods.TASKS_RESULT)) {
      id = TaskId.of(call.request().params());
    }
    return id == null ? params : TaskId.withRelated(raw, id).toJsonObject();
  }

  @Override
  public void withdrawn(String question) {
    session.questions.withdraw(question);
  }

  /** A connection is a part of its session: the session ends with it, so the client notices. */
  @Override
  public boolean giveUp(String connection) {
    return session.giveUp();
  }

  @Override
  public void heard(String connection, JsonObject event) {
    JsonObject params = event.getJsonObject("params", new JsonObject());
    String type = event.getString("type", "");
    switch (type) {
      case Events.LOG -> {
        if (wants(params)) {
          pass(connection, Methods.MESSAGE, params);
        }
      }
      case Events.NOTIFICATION -> pass(connection, event.getString("method", ""), params);
      case Events.TASK -> task(connection, params);
      default -> session.servers.changed(connection, type);
    }
  }

  private void pass(String connection, String method, JsonObject params) {
    if (session.servers.sees(connection)) {
      stream(call(null, connection)).send(MessageWriter.notification(method, RawJson.of(params)));
    }
  }

  /** A task that the client knows has changed, on a private connection or a shared one. */
  void task(String connection, JsonObject params) {
    String id = session.tasks.id(connection, String.valueOf(params.getValue("taskId")));
    if (id != null) {
      RawJson task = TaskForms.forInitialize(RawJson.of(params), id);
      session.streams.standing().send(MessageWriter.notification(Methods.TASKS_STATUS, task));
    }
  }
}
