package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Consumer;

/**
 * A call that waits for something shared, such as a list that is being read, up to its deadline.
 */
final class Waiting {

  private Waiting() {}

  static <T> void on(
      Future<T> shared,
      BusCall call,
      Session session,
      Consumer<T> then,
      Consumer<Throwable> otherwise) {
    Vertx vertx = session.vertx();
    boolean[] over = {false};
    long timer =
        vertx.setTimer(
            Math.max(1, call.deadline() - session.clock().millis()),
            ignored -> {
              over[0] = true;
              call.fail(
                  McpFailure.notSent(
                      FailureCode.CALL_TIMEOUT,
                      "the server did not list its tools before the call's deadline"));
            });
    shared.onComplete(
        result -> {
          if (over[0]) {
            return;
          }
          vertx.cancelTimer(timer);
          if (result.succeeded()) {
            then.accept(result.result());
          } else {
            otherwise.accept(result.cause());
          }
        });
  }
}
