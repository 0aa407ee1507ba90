package dev.mcpbus.connection;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.CallReference;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.HeldCalls;
import dev.mcpbus.connection.session.PendingRequest;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The calls that wait for a session, in the order of their arrival, each until its own deadline.
 * The number of calls is bounded, and fair among callers. No call in it was sent to the server,
 * except those that wait for a task. Owner: the connection's context.
 */
final class Stash {

  private final Clock clock;

  /** Each call, and what runs when there is a session. */
  private final HeldCalls<Consumer<ReadySession>> calls;

  /**
   * @param state how the connection is, for the failure of a call whose deadline passes
   */
  Stash(Vertx vertx, Clock clock, int capacity, Supplier<String> state) {
    this.clock = clock;
    this.calls =
        new HeldCalls<>(
            vertx,
            clock,
            capacity,
            action -> "already wait for this connection",
            action ->
                "not ready before the call's deadline, so the call was not sent; " + state.get());
  }

  int size() {
    return calls.size();
  }

  void add(PendingRequest call, Consumer<ReadySession> action) {
    calls.add(call, action);
  }

  /**
   * Runs the action of every call that is in the stash now. Calls past their deadline expire, even
   * if the timer has not run yet. An action may add its call again.
   */
  void release(ReadySession ready) {
    long now = clock.millis();
    for (int waiting = calls.size(); waiting > 0; waiting--) {
      Map.Entry<PendingRequest, Consumer<ReadySession>> first = calls.poll();
      if (first == null) {
        return; // an action has ended the others
      }
      PendingRequest call = first.getKey();
      if (call.deadline() <= now) {
        calls.expire(call, first.getValue());
      } else {
        call.attempt(() -> first.getValue().accept(ready));
      }
    }
  }

  void failAll(McpFailure failure) {
    Map.Entry<PendingRequest, Consumer<ReadySession>> first;
    while ((first = calls.poll()) != null) {
      first.getKey().fail(failure);
    }
  }

  /** Cancels a call; false where it does not wait. */
  boolean cancel(CallReference which) {
    return calls.cancel(which);
  }
}
