package dev.mcpbus.connection.session;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.util.function.Consumer;

/**
 * The calls of one session that wait for a shared result, such as a list in flight: each until its
 * deadline, with the same bound as the pending requests, and fair among callers. None of them was
 * sent. Owner: the connection's context.
 */
public final class WaitingCalls {

  /** Each call, with the name of what it waits for. */
  private final HeldCalls<String> calls;

  public WaitingCalls(Session session) {
    this.calls =
        new HeldCalls<>(
            session.vertx(),
            session.clock(),
            session.options().maxPending(),
            what -> "wait for " + what + " already",
            what -> "the call's deadline came while it waited for " + what);
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
    if (shared.isComplete()) {
      call.attempt(() -> finish(shared, then, otherwise));
      return;
    }
    if (calls.add(call, what)) {
      shared.onComplete(
          result -> {
            if (calls.remove(call)) {
              call.attempt(() -> finish(result, then, otherwise));
            }
          });
    }
  }

  private static <T> void finish(
      AsyncResult<T> result, Consumer<T> then, Consumer<Throwable> otherwise) {
    if (result.succeeded()) {
      then.accept(result.result());
    } else {
      otherwise.accept(result.cause());
    }
  }

  boolean isEmpty() {
    return calls.size() == 0;
  }

  /** As {@link HeldCalls#drained}. */
  Future<Void> drained() {
    return calls.drained();
  }

  /** Cancels a call; false where it does not wait. */
  public boolean cancel(CallReference which) {
    return calls.cancel(which);
  }
}
