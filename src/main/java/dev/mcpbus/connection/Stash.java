package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.DeadlineTimer;
import dev.mcpbus.connection.session.PendingRequest;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.Consumer;

/**
 * The calls that wait for a session, in the order of their arrival, each until its own deadline.
 * The number of calls is bounded, and fair among callers. No call in it was sent to the server,
 * except those that wait for a task. Owner: the connection's context.
 */
final class Stash {

  /** A call, and what runs when there is a session. */
  private record StashedCall(PendingRequest call, Consumer<ReadySession> action) {}

  private final Clock clock;
  private final int capacity;
  private final DeadlineTimer timer;
  private final Deque<StashedCall> entries = new ArrayDeque<>(0);

  Stash(Vertx vertx, Clock clock, int capacity) {
    this.clock = clock;
    this.capacity = capacity;
    this.timer = new DeadlineTimer(vertx, clock, this::sweep);
  }

  int size() {
    return entries.size();
  }

  void add(PendingRequest call, Consumer<ReadySession> action) {
    if (!admits(call)) {
      call.fail(
          McpFailure.notSent(
              FailureCode.OVERLOADED,
              entries.size()
                  + " of "
                  + capacity
                  + " calls already wait for this connection; try again later"));
      return;
    }
    entries.add(new StashedCall(call, action));
    timer.include(call.deadline());
  }

  private boolean admits(PendingRequest call) {
    String owner = call.owner();
    long has =
        owner == null
            ? 0
            : entries.stream().filter(one -> owner.equals(one.call().owner())).count();
    return FairLimit.admits(owner, (int) has, capacity - entries.size());
  }

  /**
   * Runs the action of every call that is in the stash now. Calls past their deadline expire, even
   * if the timer has not run yet. An action may add its call again.
   */
  void release(ReadySession ready) {
    timer.stop();
    long now = clock.millis();
    int waiting = entries.size();
    for (int i = 0; i < waiting; i++) {
      StashedCall entry = entries.remove();
      if (entry.call().deadline() <= now) {
        expire(entry.call());
      } else {
        entry.call().attempt(() -> entry.action().accept(ready));
      }
    }
  }

  private static void expire(PendingRequest call) {
    call.fail(
        McpFailure.notSent(
            FailureCode.CALL_TIMEOUT,
            "the connection was not ready before the call's deadline; never sent"));
  }

  void failAll(McpFailure failure) {
    timer.stop();
    StashedCall entry;
    while ((entry = entries.poll()) != null) {
      entry.call().fail(failure);
    }
  }

  /** Cancels the call with this call id; false where none waits. */
  boolean cancel(String callId) {
    for (Iterator<StashedCall> i = entries.iterator(); i.hasNext(); ) {
      PendingRequest call = i.next().call();
      if (callId.equals(call.callId())) {
        i.remove();
        call.fail(McpFailure.notSent(FailureCode.CANCELLED, "cancelled before it was sent"));
        return true;
      }
    }
    return false;
  }

  private long sweep(long now) {
    long next = DeadlineTimer.NONE;
    for (Iterator<StashedCall> i = entries.iterator(); i.hasNext(); ) {
      PendingRequest call = i.next().call();
      if (call.deadline() <= now) {
        i.remove();
        expire(call);
      } else {
        next = Math.min(next, call.deadline());
      }
    }
    return next;
  }
}
