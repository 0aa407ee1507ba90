package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.security.Principal;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The {@link HeldTask}s of one host, by the ids that their clients have. An id is good for the
 * principal that was given it, as long as he may use the tool. Where there are as many as may be,
 * the one makes room that is over, or waits for an answer of its client, and was asked for least
 * lately. Confined to the host's context.
 */
final class HeldTasks {

  private static final RawJson ACKNOWLEDGED = ResultType.EMPTY;

  private record Entry(HeldTask task, String principal, String server, String tool) {}

  /** Of those whose ids their clients do not have yet, by the response that waits. */
  private final Map<String, String> starting = new HashMap<>();

  private final Vertx vertx;
  private final CallRegistry calls;
  private final ParkedCalls parked;
  private final Directory directory;
  private final FairLimit<String> bound;
  private final Map<String, Entry> tasks = new HashMap<>();

  /**
   * @param max tasks that are kept at a time
   */
  HeldTasks(Vertx vertx, CallRegistry calls, ParkedCalls parked, Directory directory, int max) {
    this.vertx = vertx;
    this.calls = calls;
    this.parked = parked;
    this.directory = directory;
    this.bound = new FairLimit<>(max);
  }

  void begin(Message<?> message) {
    ParkedCalls.Key key = ParkedCalls.Key.of(message);
    String id = calls.state();
    FairLimit.Verdict<String> verdict = bound.admit(id, key.principal());
    if (verdict.isRefused()) {
      throw McpFailure.notSent(
          FailureCode.OVERLOADED,
          "all "
              + bound.max()
              + " tasks are at work, or yours are three quarters of those that are left; cancel"
              + " one, or try again later");
    }
    String old = verdict.victim();
    Entry evicted = old == null ? null : tasks.get(old);
    if (old != null && evicted != null) {
      evicted.task().cancel(); // gives its connection back, by its entry
      tasks.remove(old);
    }
    RawJson params = SessionMessage.params(message);
    HeldTask task =
        new HeldTask(
            vertx,
            calls,
            new JsonObject(key.capabilities()),
            () -> noteUse(id),
            () -> ended(id, key));
    RawJson name = params.member("name");
    String tool = name == null || !name.isString() ? "" : name.asString();
    tasks.put(id, new Entry(task, key.principal(), key.server(), tool));
    String response = SessionMessage.header(message, SessionMessage.EXCHANGE);
    starting.put(response, id);
    parked
        .lease(key)
        .onComplete(known -> starting.remove(response))
        .onComplete(
            lease -> {
              if (!tasks.containsKey(id)) {
                parked.giveBack(key, lease);
                message.reply(McpFailure.notSent(FailureCode.CANCELLED, "the client has gone"));
                return;
              }
              task.begin(lease, params);
              message.reply(task.begun(id).toBuffer());
            },
            failure -> {
              forget(id);
              task.cancel();
              message.reply(McpFailure.of(failure));
            });
  }

  /** The client has closed its response before it knew the task. */
  void gone(String response) {
    String id = starting.remove(response);
    Entry entry = id == null ? null : forget(id);
    if (entry != null) {
      entry.task().cancel();
    }
  }

  private @Nullable Entry forget(String id) {
    bound.remove(id);
    return tasks.remove(id);
  }

  private void noteUse(String id) {
    Entry entry = tasks.get(id);
    if (entry != null) {
      boolean working = entry.task().isWorking();
      boolean changed = working != bound.isInUse(id);
      bound.use(id, working);
      ConnectionId lease = entry.task().lease();
      if (changed && lease != null) {
        parked.use(lease, working);
      }
    }
  }

  /** The call is over; its ending is kept for a while. */
  private void ended(String id, ParkedCalls.Key key) {
    Entry entry = tasks.get(id);
    ConnectionId lease = entry == null ? null : entry.task().lease();
    if (lease != null) {
      parked.giveBack(key, lease);
      vertx.setTimer(HeldTask.KEPT_MILLIS, late -> forget(id));
    }
  }

  /** {@code tasks/get}, {@code tasks/update} and {@code tasks/cancel}. */
  void handle(Message<?> message) {
    String id = SessionMessage.header(message, SessionMessage.STATE);
    Entry entry = tasks.get(id);
    if (entry == null || !isFor(entry, message.headers())) {
      throw TaskForms.absent();
    }
    noteUse(id);
    message.reply(
        answer(
                entry.task(),
                id,
                message.headers().get(SessionMessage.SUFFIX),
                SessionMessage.params(message))
            .toBuffer());
  }

  private boolean isFor(Entry entry, MultiMap headers) {
    Principal who = Principal.parse(String.valueOf(headers.get(SessionMessage.PRINCIPAL)));
    String path = headers.get(SessionMessage.VIEW);
    DirectoryView view =
        directory.view(path == null ? "" : path, who); // an older node does not say it
    return entry.principal().equals(who.name())
        && view != null
        && view.admits(ListKind.TOOLS, entry.server(), entry.tool());
  }

  private static RawJson answer(HeldTask task, String id, @Nullable String suffix, RawJson params) {
    if (Addresses.TASKS_GET.equals(suffix)) {
      return task.get(id);
    }
    if (Addresses.TASKS_UPDATE.equals(suffix)) {
      RawJson answers = params.member("inputResponses");
      if (answers == null || !answers.isObject()) {
        throw McpErrors.invalidParams("\"inputResponses\" must be an object: {key: answer}");
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
