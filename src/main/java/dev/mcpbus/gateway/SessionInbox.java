package dev.mcpbus.gateway;

import dev.mcpbus.bus.Events;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What servers say to one session, each put on the stream where its client expects it. Confined to
 * the session's host.
 */
final class SessionInbox implements CallRegistry.Caller {

  private static final List<String> LEVELS =
      List.of("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");

  private final Map<String, SessionCall> calls;
  private final SessionStreams streams;
  private final ClientQuestions questions;
  private final BiConsumer<String, String> facts;
  private final Predicate<String> sees;
  private final BooleanSupplier giveUp;
  private @Nullable SessionTasks tasks;
  private @Nullable String level;

  /**
   * @param calls in flight, by the ids that servers' connections know them by
   * @param facts hears of leases: which one, and the type of the event
   * @param sees whether the client may hear of a lease
   * @param giveUp ends the session if it is idle, false where it is in use
   */
  SessionInbox(
      Map<String, SessionCall> calls,
      SessionStreams streams,
      ClientQuestions questions,
      BiConsumer<String, String> facts,
      Predicate<String> sees,
      BooleanSupplier giveUp) {
    this.calls = calls;
    this.streams = streams;
    this.questions = questions;
    this.facts = facts;
    this.sees = sees;
    this.giveUp = giveUp;
  }

  void tasks(SessionTasks of) {
    tasks = of;
  }

  /** What the client wants to hear from now on. */
  void level(String wanted) {
    if (!LEVELS.contains(wanted)) {
      throw McpErrors.invalidParams("\"level\" must be one of " + LEVELS);
    }
    level = wanted;
  }

  /** Null where the client has not said. */
  @Nullable String level() {
    return level;
  }

  /** The call by its id, else the latest one on that lease. */
  private @Nullable SessionCall call(@Nullable String callId, @Nullable String lease) {
    SessionCall named = callId == null ? null : calls.get(callId);
    if (named != null || lease == null) {
      return named;
    }
    SessionCall found = null;
    for (SessionCall call : calls.values()) {
      if (call.ask().isAt(lease)) {
        found = call;
      }
    }
    return found;
  }

  private ResumableStream stream(@Nullable SessionCall call) {
    return call == null ? streams.standing() : call.stream();
  }

  @Override
  public void told(String callId, String method, JsonObject params) {
    SessionCall call = calls.get(callId);
    if (call == null) {
      return;
    }
    RawJson raw = RawJson.of(params);
    if (method.equals(Methods.PROGRESS)) {
      if (call.token() != null) {
        call.stream()
            .send(
                MessageWriter.notification(
                    method, raw.with(MetaKeys.PROGRESS_TOKEN, call.token())));
      }
    } else if (wants(params)) {
      call.stream().send(MessageWriter.notification(method, raw));
    }
  }

  private boolean wants(JsonObject log) {
    return level == null
        || LEVELS.indexOf(String.valueOf(log.getValue("level"))) >= LEVELS.indexOf(level);
  }

  @Override
  public Future<JsonObject> asked(
      @Nullable String callId,
      @Nullable String lease,
      String question,
      String method,
      JsonObject params) {
    SessionCall call = call(callId, lease);
    return questions.ask(
        stream(call),
        question,
        call == null ? null : call.ask().callId(),
        method,
        ofTask(call, lease, params));
  }

  /** A question about a task names it as the client does. */
  private JsonObject ofTask(@Nullable SessionCall call, @Nullable String lease, JsonObject params) {
    RawJson raw = RawJson.of(params);
    String own = TaskForms.relatedTo(raw);
    String id = null;
    if (!own.isEmpty() && lease != null && tasks != null) {
      id = tasks.id(lease, own);
    } else if (call != null && call.ask().method().equals(Methods.TASKS_RESULT)) {
      id = TaskForms.id(call.ask().params());
    }
    return id == null ? params : TaskForms.related(raw, id).toJsonObject();
  }

  @Override
  public void withdrawn(String question) {
    questions.withdraw(question);
  }

  /** A connection is part of its session: without it the client could not tell what is lost. */
  @Override
  public boolean giveUp(String lease) {
    return giveUp.getAsBoolean();
  }

  @Override
  public void heard(String lease, JsonObject event) {
    JsonObject params = event.getJsonObject("params", new JsonObject());
    ResumableStream stream = stream(call(null, lease));
    switch (event.getString("type", "")) {
      case Events.LOG -> {
        if (sees.test(lease) && wants(params)) {
          stream.send(MessageWriter.notification(Methods.MESSAGE, RawJson.of(params)));
        }
      }
      case Events.NOTIFICATION -> {
        if (sees.test(lease)) {
          stream.send(
              MessageWriter.notification(event.getString("method", ""), RawJson.of(params)));
        }
      }
      case Events.TASK -> task(lease, params);
      default -> facts.accept(lease, event.getString("type", ""));
    }
  }

  /** A task that the client knows has changed, on a connection of its own or a shared one. */
  void task(String connection, JsonObject params) {
    String own = String.valueOf(params.getValue("taskId"));
    String id = tasks == null ? null : tasks.id(connection, own);
    if (id != null) {
      RawJson task = TaskForms.older(RawJson.of(params), id);
      streams.standing().send(MessageWriter.notification(Methods.TASKS_STATUS, task));
    }
  }
}
