package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Consumer;

/**
 * Calls that wait for something shared, such as a list that is being read, each up to its deadline;
 * bounded as the calls in flight are. Owner: the connection's context.
 */
final class Waiting {

  private final Session session;
  private int count;

  Waiting(Session session) {
    this.session = session;
  }

  /** Runs exactly one of the two, now or later, or ends {@code call} itself. */
  <T> void on(Future<T> shared, BusCall call, Consumer<T> then, Consumer<Throwable> otherwise) {
    int most = session.options().maxPending();
    if (count >= most) {
      call.fail(
          McpFailure.notSent(
              FailureCode.OVERLOADED, most + " calls wait for the same; try again later"));
      return;
    }
    Vertx vertx = session.vertx();
    boolean[] over = {false};
    count++;
    long timer =
        vertx.setTimer(
            Math.max(1, call.deadline() - session.clock().millis()),
            ignored -> {
              over[0] = true;
              count--;
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
          count--;
          vertx.cancelTimer(timer);
          call.attempt(
              () -> {
                if (result.succeeded()) {
                  then.accept(result.result());
                } else {
                  otherwise.accept(result.cause());
                }
              });
        });
  }
}
