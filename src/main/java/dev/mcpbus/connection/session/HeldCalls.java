package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls that wait before they are sent, in the order of their arrival, each until its own deadline.
 * Their number is bounded, and fair among callers. The connection's {@code Stash} and the {@link
 * WaitingCalls} of a session hold calls here. Owner: the connection's context.
 *
 * @param <T> what comes with a call
 */
public final class HeldCalls<T> {

  private final int capacity;
  private final Function<T, String> full;
  private final Function<T, String> expired;
  private final DeadlineTimer timer;
  private final Map<PendingRequest, T> calls = new LinkedHashMap<>();
  private final Drain drain = new Drain(calls::size);

  /**
   * @param full says at the bound that the calls wait, and for what
   * @param expired the text of the failure of a call whose deadline comes here
   */
  public HeldCalls(
      Vertx vertx,
      Clock clock,
      int capacity,
      Function<T, String> full,
      Function<T, String> expired) {
    this.capacity = capacity;
    this.full = full;
    this.expired = expired;
    this.timer = new DeadlineTimer(vertx, clock, this::sweep);
  }

  public int size() {
    return calls.size();
  }

  /**
   * Holds a call.
   *
   * @return false at the bound, where the call fails with {@code OVERLOADED}
   */
  public boolean add(PendingRequest call, T with) {
    if (!admits(call)) {
      call.fail(
          McpFailure.notSent(
              FailureCode.OVERLOADED,
              calls.size()
                  + " of "
                  + capacity
                  + " calls "
                  + full.apply(with)
                  + "; try again later"));
      return false;
    }
    calls.put(call, with);
    timer.include(call.deadline());
    return true;
  }

  private boolean admits(PendingRequest call) {
    String owner = call.owner();
    long has =
        owner == null
            ? 0
            : calls.keySet().stream().filter(one -> owner.equals(one.owner())).count();
    return FairLimit.admits(owner, (int) has, capacity - calls.size());
  }

  /** Takes the call out; false where it has ended meanwhile. */
  public boolean remove(PendingRequest call) {
    boolean held = calls.remove(call) != null;
    if (calls.isEmpty()) {
      timer.stop();
    }
    drain.check();
    return held;
  }

  /** Completes when no call waits here any more; the last one has not gone on by then. */
  Future<Void> drained() {
    return drain.future();
  }

  /** Takes the first call out; null if there is none. */
  public Map.@Nullable Entry<PendingRequest, T> poll() {
    Iterator<Map.Entry<PendingRequest, T>> all = calls.entrySet().iterator();
    if (!all.hasNext()) {
      return null;
    }
    Map.Entry<PendingRequest, T> first = all.next();
    remove(first.getKey());
    return first;
  }

  /** Cancels a call; false where it does not wait. */
  public boolean cancel(CallReference which) {
    for (PendingRequest call : calls.keySet()) {
      if (which.names(call)) {
        remove(call);
        call.fail(
            McpFailure.notSent(
                FailureCode.CANCELLED, "cancelled by " + which.by() + " before it was sent"));
        return true;
      }
    }
    return false;
  }

  private long sweep(long now) {
    long next = DeadlineTimer.NONE;
    List<Map.Entry<PendingRequest, T>> over = new ArrayList<>();
    for (Map.Entry<PendingRequest, T> entry : calls.entrySet()) {
      if (entry.getKey().deadline() <= now) {
        over.add(entry);
      } else {
        next = Math.min(next, entry.getKey().deadline());
      }
    }
    over.forEach(entry -> calls.remove(entry.getKey()));
    over.forEach(entry -> expire(entry.getKey(), entry.getValue()));
    drain.check();
    return next;
  }

  /** Fails a call whose deadline has come. */
  public void expire(PendingRequest call, T with) {
    call.fail(McpFailure.notSent(FailureCode.CALL_TIMEOUT, expired.apply(with)));
  }
}
