package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.LongMap;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one session that wait for an answer, by our id. Ids rise from 1 and never repeat
 * within a session. Deadlines are enforced here. Owner: the connection's context.
 */
final class PendingRequests {

  /** Takes a request whose deadline has passed, after it was removed. */
  @FunctionalInterface
  interface Expiry {
    void expired(long id, PendingRequest pending);
  }

  private final LongMap<PendingRequest> byId = new LongMap<>();
  private final Map<String, Long> byCallId = new HashMap<>();

  /** The number of requests of each principal. */
  private final Map<String, Integer> byOwner = new HashMap<>();

  private final DeadlineTimer timer;
  private final Expiry expiry;
  private long lastId;
  private int streams;
  private final Drain drain = new Drain(this::size);

  PendingRequests(Vertx vertx, Clock clock, Expiry expiry) {
    this.timer = new DeadlineTimer(vertx, clock, this::sweep);
    this.expiry = expiry;
  }

  /** The number of requests without the streams, which do not end by themselves. */
  int size() {
    return byId.size() - streams;
  }

  /**
   * Whether one more request fits: no owner holds more than three quarters of the places that
   * others leave ({@link FairLimit}).
   *
   * @param max the bound on all requests
   */
  boolean admits(PendingRequest pending, int max) {
    String owner = pending.owner();
    int has = owner == null ? 0 : byOwner.getOrDefault(owner, 0);
    return FairLimit.admits(owner, has, max - size());
  }

  /** Adds a request under the next id, and returns the id. */
  long add(PendingRequest pending) {
    long id = ++lastId;
    put(id, pending);
    return id;
  }

  /** Adds a request again under the id that it had, so that its progress token stays valid. */
  void put(long id, PendingRequest pending) {
    byId.put(id, pending);
    streams += pending.isStream() ? 1 : 0;
    String owner = pending.owner();
    if (owner != null) {
      byOwner.merge(owner, 1, Integer::sum);
    }
    String callId = pending.callId();
    if (callId != null) {
      byCallId.put(callId, id);
    }
    timer.include(pending.deadline());
  }

  @Nullable PendingRequest get(long id) {
    return byId.get(id);
  }

  /** Removes a request; null where none with that id waits. */
  @Nullable PendingRequest remove(long id) {
    PendingRequest pending = byId.remove(id);
    if (pending == null) {
      return null;
    }
    streams -= pending.isStream() ? 1 : 0;
    String owner = pending.owner();
    if (owner != null) {
      byOwner.computeIfPresent(owner, (name, has) -> has == 1 ? null : has - 1);
    }
    String callId = pending.callId();
    if (callId != null) {
      byCallId.remove(callId, id);
    }
    drain.check();
    return pending;
  }

  /** All requests, in no order. */
  Collection<PendingRequest> all() {
    return byId.values();
  }

  /** Our id of the request, or -1. */
  long find(CallReference which) {
    if (which.callId() != null) {
      return byCallId.getOrDefault(which.callId(), -1L);
    }
    long[] found = {-1};
    byId.forEach((id, pending) -> found[0] = which.names(pending) ? id : found[0]);
    return found[0];
  }

  /**
   * Completes when no request waits any more. What an answer leads to has not happened by then: the
   * call may wait for the next step, or be sent again.
   */
  Future<Void> drained() {
    return drain.future();
  }

  /** Ends all requests with the same failure. */
  void failAll(McpFailure failure) {
    timer.stop();
    List<PendingRequest> all = new ArrayList<>(byId.values());
    byId.clear();
    byCallId.clear();
    byOwner.clear();
    streams = 0;
    all.forEach(
        pending -> {
          pending.abandon();
          pending.fail(failure);
        });
    drain.check();
  }

  private long sweep(long now) {
    List<Long> expired = new ArrayList<>();
    byId.forEach(
        (id, pending) -> {
          if (pending.deadline() <= now) {
            expired.add(id);
          }
        });
    for (long id : expired) {
      PendingRequest pending = remove(id);
      if (pending != null) {
        expiry.expired(id, pending);
      }
    }
    long next = DeadlineTimer.NONE;
    for (PendingRequest pending : byId.values()) {
      next = Math.min(next, pending.deadline());
    }
    return next;
  }
}
