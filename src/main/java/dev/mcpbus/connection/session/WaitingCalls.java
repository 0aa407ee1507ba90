package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The calls of one session that wait for a shared result, such as a list in flight: each until its
 * deadline, with the same bound as the pending requests. None of them was sent. Owner: the
 * connection's context.
 */
public final class WaitingCalls {

  private final Session session;
  private final Set<BusCall> calls = new LinkedHashSet<>();

  public WaitingCalls(Session session) {
    this.session = session;
  }

  /**
   * Runs exactly one of {@code then} and {@code otherwise}, now or later; or ends {@code call}.
   *
   * @param what the name of what the call waits for, for failures
   */
  public <T> void on(
      String what,
      Future<T> shared,
      BusCall call,
      Consumer<T> then,
      Consumer<Throwable> otherwise) {
    int most = session.options().maxPending();
    if (calls.size() >= most) {
      call.fail(
          McpFailure.notSent(
              FailureCode.OVERLOADED,
              most + " calls wait for " + what + " already; try again later"));
      return;
    }
    calls.add(call);
    Vertx vertx = session.vertx();
    long timer =
        vertx.setTimer(
            Math.max(1, call.deadline() - session.clock().millis()),
            ignored ->
                end(
                    call,
                    FailureCode.CALL_TIMEOUT,
                    "the call's deadline came while it waited for " + what));
    shared.onComplete(
        result -> {
          vertx.cancelTimer(timer);
          if (!calls.remove(call)) {
            return;
          }
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

  /** Cancels the call with this call id; false where none waits. */
  public boolean cancel(String callId) {
    for (BusCall call : calls) {
      if (callId.equals(call.callId())) {
        end(call, FailureCode.CANCELLED, "cancelled before it was sent");
        return true;
      }
    }
    return false;
  }

  private void end(BusCall call, FailureCode code, String message) {
    if (calls.remove(call)) {
      call.fail(McpFailure.notSent(code, message));
    }
  }
}
