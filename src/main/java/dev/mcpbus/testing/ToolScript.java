package dev.mcpbus.testing;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What one tool of a {@link FakeMcpServer} does at a call. Any thread may call. */
final class ToolScript {

  private volatile Function<JsonObject, Future<JsonObject>> answer;
  private volatile Duration delay = Duration.ZERO;
  private @Nullable Promise<Void> held;

  ToolScript(Function<JsonObject, Future<JsonObject>> answer) {
    this.answer = answer;
  }

  void answer(Function<JsonObject, Future<JsonObject>> next) {
    answer = next;
  }

  void delay(Duration next) {
    delay = next;
  }

  synchronized void hold() {
    if (held == null) {
      held = Promise.promise();
    }
  }

  void release() {
    Promise<Void> waiting;
    synchronized (this) {
      waiting = held;
      held = null;
    }
    if (waiting != null) {
      waiting.complete();
    }
  }

  private synchronized Future<Void> released() {
    return held == null ? Future.succeededFuture() : held.future();
  }

  /** Answers after the delay, and after {@link #release} where the tool is held. */
  Future<JsonObject> call(JsonObject arguments, Function<Duration, Future<Void>> time) {
    return time.apply(delay).compose(over -> released()).compose(free -> answer.apply(arguments));
  }
}
