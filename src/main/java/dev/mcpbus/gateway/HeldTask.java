package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A modern client's task on a server of the older era: a call on a connection that is this task's
 * alone, which the client asks for. Whether the server makes a task of it, too, is the connection's
 * affair; what it asks meanwhile stands in the task. Confined to the context of its host.
 */
final class HeldTask implements CallRegistry.Caller {

  /** The whole life, and how long the ending is kept. */
  static final long TTL_MILLIS = 3_600_000;

  static final long KEPT_MILLIS = 600_000;

  private static final long POLL_MILLIS = 500;

  private record Question(String method, JsonObject params, Promise<JsonObject> answer) {}

  private final Vertx vertx;
  private final CallRegistry calls;
  private final JsonObject capabilities;
  private final Runnable changed;
  private final Runnable ended;
  private final String callId;
  private final Instant created = Instant.now();
  private final Map<String, Question> questions = new LinkedHashMap<>();
  private final Map<String, String> keys = new LinkedHashMap<>();
  private Instant updated = created;
  private String message = "";
  private @Nullable ConnectionId lease;
  private @Nullable AsyncResult<RawJson> outcome;
  private boolean cancelled;
  private long sequence;
  private boolean over;

  /**
   * @param capabilities of the client
   * @param changed hears of each change of its state
   * @param ended hears once that the call is over
   */
  HeldTask(
      Vertx vertx, CallRegistry calls, JsonObject capabilities, Runnable changed, Runnable ended) {
    this.vertx = vertx;
    this.calls = calls;
    this.capabilities = capabilities;
    this.changed = changed;
    this.ended = ended;
    this.callId = calls.add(this);
  }

  @Nullable ConnectionId lease() {
    return lease;
  }

  /** Makes the call on a connection that is this task's alone for now. */
  void begin(ConnectionId connection, RawJson params) {
    lease = connection;
    calls.addLease(connection.value(), this);
    DeliveryOptions options =
        CallHeaders.of(callId, TTL_MILLIS, CallDeadline.Layer.CALLER)
            .addHeader(Headers.INPUT, calls.inputs());
    RequestSender.of(vertx)
        .<Buffer>request(
            connection, Addresses.of(connection, Addresses.TOOLS_CALL), params.toBuffer(), options)
        .map(reply -> RawJson.of(reply.body()))
        .onComplete(
            done -> {
              if (!over) {
                outcome = done;
                end();
              }
            });
  }

  // ---- what its client asks

  /** The answer to the call. */
  RawJson begun(String id) {
    return state(id).with(ResultType.MEMBER, ResultType.TASK_JSON);
  }

  /** The answer to {@code tasks/get}. */
  RawJson get(String id) {
    RawJson state = state(id);
    AsyncResult<RawJson> known = outcome;
    if (cancelled || known == null) {
      return state;
    }
    return known.succeeded()
        ? state.with("result", typed(known.result()))
        : state.with("error", RawJson.of(McpErrors.error(McpFailure.of(known.cause()))));
  }

  private static RawJson typed(RawJson result) {
    return result.member(ResultType.MEMBER) == null
        ? result.withNew(ResultType.MEMBER, ResultType.COMPLETE_JSON)
        : result;
  }

  private RawJson state(String id) {
    String status = status();
    JsonObject state =
        new JsonObject()
            .put(ResultType.MEMBER, ResultType.COMPLETE)
            .put("taskId", id)
            .put("status", status)
            .put("createdAt", created.toString())
            .put("lastUpdatedAt", updated.toString())
            .put("ttlMs", ttl())
            .put("pollIntervalMs", POLL_MILLIS);
    if (!message.isEmpty()) {
      state.put("statusMessage", message);
    }
    if (status.equals(TasksExtension.INPUT_REQUIRED)) {
      JsonObject requests = new JsonObject();
      questions.forEach(
          (key, question) ->
              requests.put(
                  key,
                  new JsonObject()
                      .put("method", question.method())
                      .put("params", question.params())));
      state.put("inputRequests", requests);
    }
    return RawJson.of(state);
  }

  private String status() {
    AsyncResult<RawJson> known = outcome;
    if (cancelled) {
      return TasksExtension.CANCELLED;
    }
    if (known != null) {
      return known.succeeded() ? TasksExtension.COMPLETED : TasksExtension.FAILED;
    }
    return questions.isEmpty() ? TasksExtension.WORKING : TasksExtension.INPUT_REQUIRED;
  }

  private long ttl() {
    return over
        ? updated.toEpochMilli() - created.toEpochMilli() + KEPT_MILLIS
        : TTL_MILLIS + KEPT_MILLIS;
  }

  /** Answers to some of the questions; what was not asked is not looked at. */
  void update(JsonObject answers) {
    for (Map.Entry<String, Object> one : answers) {
      if (one.getValue() instanceof JsonObject answer) {
        Question question = questions.remove(one.getKey());
        if (question != null) {
          touch();
          question.answer().tryComplete(answer);
        }
      }
    }
  }

  /** Nobody wants it any more. */
  void cancel() {
    if (over) {
      return;
    }
    cancelled = true;
    ConnectionId connection = lease;
    if (connection != null) {
      CallCancellation.publish(vertx, connection, callId);
    }
    end();
  }

  // ---- what comes from the server

  @Override
  public Future<JsonObject> asked(
      @Nullable String call,
      @Nullable String connection,
      String question,
      String method,
      JsonObject params) {
    if (over || !ClientQuestions.isOffered(capabilities, method, params)) {
      return Future.failedFuture(
          McpFailure.notSent(FailureCode.METHOD_NOT_FOUND, "the client does not answer " + method));
    }
    String key = "input-" + ++sequence;
    Promise<JsonObject> answer = Promise.promise();
    questions.put(key, new Question(method, ClientQuestions.embedded(params), answer));
    keys.put(question, key);
    touch();
    return answer.future().onComplete(done -> keys.remove(question));
  }

  @Override
  public void withdrawn(String question) {
    String key = keys.remove(question);
    if (key != null && questions.remove(key) != null) {
      touch();
    }
  }

  @Override
  public void told(String call, String method, JsonObject params) {
    // a task has no progress and no log of its own in its client's era
  }

  @Override
  public boolean giveUp(String connection) {
    if (isWorking()) {
      return false;
    }
    cancel();
    return true;
  }

  @Override
  public void heard(String connection, JsonObject event) {
    if (Events.TASK.equals(event.getString("type"))) {
      Object text = event.getJsonObject("params", new JsonObject()).getValue("statusMessage");
      if (text instanceof String words && !words.equals(message)) {
        message = words;
        touch();
      }
    }
  }

  private void touch() {
    updated = Instant.now();
    changed.run();
  }

  /** False where it is over, or waits for an answer of its client. */
  boolean isWorking() {
    return !over && questions.isEmpty();
  }

  // ---- its end

  private void end() {
    over = true;
    touch();
    calls.remove(callId);
    if (lease != null) {
      calls.removeLease(lease.value());
    }
    questions
        .values()
        .forEach(
            question ->
                question
                    .answer()
                    .tryFail(McpFailure.notSent(FailureCode.CANCELLED, "the task is over")));
    questions.clear();
    ended.run();
  }
}
