package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The {@link HeldTask}s of one host, by the ids that their clients have. An id is good for the
 * principal that was given it. Confined to the host's context.
 */
final class HeldTasks {

  private static final RawJson ACKNOWLEDGED =
      RawJson.EMPTY_OBJECT.with("resultType", RawJson.string("complete"));

  private record Entry(HeldTask task, String principal) {}

  /** Of those whose ids their clients do not have yet, by the response that waits. */
  private final Map<String, String> starting = new HashMap<>();

  private final Vertx vertx;
  private final Calls calls;
  private final Exchanges exchanges;
  private final int max;
  private final Map<String, Entry> tasks = new HashMap<>();

  HeldTasks(Vertx vertx, Calls calls, Exchanges exchanges, int max) {
    this.vertx = vertx;
    this.calls = calls;
    this.exchanges = exchanges;
    this.max = max;
  }

  void begin(Message<Buffer> message) {
    if (tasks.size() >= max) {
      throw McpFailure.notSent(FailureCode.OVERLOADED, "too many tasks are kept; try again later");
    }
    Exchanges.Key key = Exchanges.Key.of(message);
    String id = calls.state();
    RawJson params = RawJson.of(message.body());
    HeldTask task =
        new HeldTask(vertx, calls, new JsonObject(key.capabilities()), () -> ended(id, key));
    tasks.put(id, new Entry(task, key.principal()));
    String response = String.valueOf(message.headers().get(Words.EXCHANGE));
    starting.put(response, id);
    exchanges
        .lease(key)
        .onComplete(known -> starting.remove(response))
        .onComplete(
            lease -> {
              if (!tasks.containsKey(id)) {
                exchanges.giveBack(key, lease);
                message.reply(McpFailure.notSent(FailureCode.CANCELLED, "the client has gone"));
                return;
              }
              task.begin(lease, params);
              message.reply(task.begun(id).toBuffer());
            },
            failure -> {
              tasks.remove(id);
              task.cancel();
              message.reply(McpFailure.of(failure));
            });
  }

  /** The client has closed its response before it knew the task. */
  void gone(String response) {
    String id = starting.remove(response);
    Entry entry = id == null ? null : tasks.remove(id);
    if (entry != null) {
      entry.task().cancel();
    }
  }

  /** The call is over; its ending is kept for a while. */
  private void ended(String id, Exchanges.Key key) {
    Entry entry = tasks.get(id);
    ConnectionId lease = entry == null ? null : entry.task().lease();
    if (lease != null) {
      exchanges.giveBack(key, lease);
      vertx.setTimer(HeldTask.KEPT_MILLIS, late -> tasks.remove(id));
    }
  }

  /** {@code tasks/get}, {@code tasks/update} and {@code tasks/cancel}. */
  void handle(Message<Buffer> message) {
    String id = String.valueOf(message.headers().get(Words.STATE));
    Entry entry = tasks.get(id);
    if (entry == null || !entry.principal().equals(message.headers().get(Words.PRINCIPAL))) {
      throw TaskForms.absent();
    }
    message.reply(
        answer(entry.task(), id, message.headers().get(Words.SUFFIX), RawJson.of(message.body()))
            .toBuffer());
  }

  private static RawJson answer(HeldTask task, String id, @Nullable String suffix, RawJson params) {
    if (Addresses.TASKS_GET.equals(suffix)) {
      return task.get(id);
    }
    if (Addresses.TASKS_UPDATE.equals(suffix)) {
      RawJson answers = params.member("inputResponses");
      if (answers == null || !answers.isObject()) {
        throw Errors.invalidParams("\"inputResponses\" must be an object: {key: answer}");
      }
      task.update(answers.toJsonObject());
    } else {
      task.cancel();
    }
    return ACKNOWLEDGED;
  }

  void close() {
    List.copyOf(tasks.values()).forEach(entry -> entry.task().cancel());
    tasks.clear();
  }
}
