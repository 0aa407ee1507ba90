package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Examines servers with the steps of {@code mcpbus doctor}: one examination of a server at a time,
 * and {@link #AT_ONCE} on this node. A caller gets the steps so far when the time is over; the
 * place is free when the last step has ended, which may wait for the connect time-out of an
 * address. Confined to the context of {@link ServersVerticle}; the steps run on worker threads of
 * their own.
 */
final class ServerExaminations {

  static final int AT_ONCE = 4;

  /** Less than the 30 s that a request on the bus waits for its reply by default. */
  static final Duration MOST = Duration.ofSeconds(28);

  private final Vertx vertx;
  private final Map<String, String> variables;
  private final Path home;
  private final Duration most;
  private final Map<ConnectionId, ServerExamination> running = new HashMap<>();
  private @Nullable WorkerExecutor workers;

  /**
   * @param variables the environment of mcpbus
   * @param most how long a caller waits for the end
   */
  ServerExaminations(Vertx vertx, Map<String, String> variables, Path home, Duration most) {
    this.vertx = vertx;
    this.variables = variables;
    this.home = home;
    this.most = most;
  }

  Future<JsonObject> examine(ServerDefinition definition) {
    ConnectionId id = definition.id();
    if (running.containsKey(id)) {
      throw McpFailure.notSent(
          FailureCode.RATE_LIMITED,
          "the server '" + id + "' is being examined: wait until that is over");
    }
    if (running.size() >= AT_ONCE) {
      throw McpFailure.notSent(
          FailureCode.OVERLOADED,
          "this node examines " + AT_ONCE + " servers at once: try again when one is over");
    }
    ServerExamination examination = new ServerExamination(vertx, definition, variables, home);
    running.put(id, examination);
    Promise<JsonObject> reply = Promise.promise();
    long timer =
        vertx.setTimer(
            most.toMillis(),
            late -> {
              reply.tryComplete(examination.unfinished(most));
              examination.end();
            });
    workers()
        .executeBlocking(examination::run, false)
        .onComplete(
            done -> {
              vertx.cancelTimer(timer);
              running.remove(id);
              if (done.succeeded()) {
                reply.tryComplete(done.result());
              } else {
                reply.tryFail(done.cause());
              }
            });
    return reply.future();
  }

  private WorkerExecutor workers() {
    WorkerExecutor made = workers;
    if (made == null) {
      made = vertx.createSharedWorkerExecutor("mcpbus-examine", AT_ONCE, 2, TimeUnit.MINUTES);
      workers = made;
    }
    return made;
  }

  /** Ends the connections of all examinations. */
  void close() {
    running.values().forEach(ServerExamination::end);
    if (workers != null) {
      workers.close();
    }
  }
}
