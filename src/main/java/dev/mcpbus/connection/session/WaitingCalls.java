package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The calls of one session that wait for a shared result, such as a list in flight: each until its
 * deadline, with the same bound as the pending requests, and fair among callers. None of them was
 * sent. Owner: the connection's context.
 */
public final class WaitingCalls {

  private final Session session;
  private final DeadlineTimer timer;

  /** Each call, with the name of what it waits for. */
  private final Map<BusCall, String> calls = new LinkedHashMap<>();

  public WaitingCalls(Session session) {
    this.session = session;
    this.timer = new DeadlineTimer(session.vertx(), session.clock(), this::sweep);
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
    int most = session.options().maxPending();
    if (!admits(call, most)) {
      call.fail(
          McpFailure.notSent(
              FailureCode.OVERLOADED,
              calls.size()
                  + " of "
                  + most
                  + " calls wait for "
                  + what
                  + " already; try again later"));
      return;
    }
    calls.put(call, what);
    timer.include(call.deadline());
    shared.onComplete(
        result -> {
          if (remove(call)) {
            call.attempt(() -> finish(result, then, otherwise));
          }
        });
  }

  private boolean admits(BusCall call, int most) {
    String owner = call.owner();
    long has =
        owner == null
            ? 0
            : calls.keySet().stream().filter(one -> owner.equals(one.owner())).count();
    return FairLimit.admits(owner, (int) has, most - calls.size());
  }

  private static <T> void finish(
      AsyncResult<T> result, Consumer<T> then, Consumer<Throwable> otherwise) {
    if (result.succeeded()) {
      then.accept(result.result());
    } else {
      otherwise.accept(result.cause());
    }
  }

  /** Cancels the call with this call id; false where none waits. */
  public boolean cancel(String callId) {
    for (BusCall call : calls.keySet()) {
      if (callId.equals(call.callId())) {
        remove(call);
        call.fail(McpFailure.notSent(FailureCode.CANCELLED, "cancelled before it was sent"));
        return true;
      }
    }
    return false;
  }

  /** False where the call has ended meanwhile. */
  private boolean remove(BusCall call) {
    boolean waited = calls.remove(call) != null;
    if (calls.isEmpty()) {
      timer.stop();
    }
    return waited;
  }

  private long sweep(long now) {
    long next = DeadlineTimer.NONE;
    for (Iterator<Map.Entry<BusCall, String>> i = calls.entrySet().iterator(); i.hasNext(); ) {
      Map.Entry<BusCall, String> entry = i.next();
      BusCall call = entry.getKey();
      if (call.deadline() <= now) {
        i.remove();
        call.fail(
            McpFailure.notSent(
                FailureCode.CALL_TIMEOUT,
                "the call's deadline came while it waited for " + entry.getValue()));
      } else {
        next = Math.min(next, call.deadline());
      }
    }
    return next;
  }
}
