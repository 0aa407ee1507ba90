package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.LongMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one session that wait for an answer, by our id. Ids rise from 1 and never repeat
 * within a session. Owner: the connection's context.
 */
public final class PendingRequests {

  /** Told when a request runs out of time, after it was taken out. */
  @FunctionalInterface
  interface Expiry {
    void expired(long id, PendingRequest pending);
  }

  private final LongMap<PendingRequest> byId = new LongMap<>();
  private final Map<String, Long> byCallId = new HashMap<>();

  /** How many each has whom an edge let in. */
  private final Map<String, Integer> byOwner = new HashMap<>();

  private final DeadlineTimer timer;
  private final Expiry expiry;
  private final RequestCauses causes = new RequestCauses();
  private long lastId;
  private int streams;
  private @Nullable Promise<Void> drained;

  public PendingRequests(Vertx vertx, Clock clock, Expiry expiry) {
    this.timer = new DeadlineTimer(vertx, clock, this::sweep);
    this.expiry = expiry;
  }

  /** Calls that will end by themselves; streams are not counted. */
  int size() {
    return byId.size() - streams;
  }

  /**
   * Whether one more may be taken in: no owner has more than three quarters of what others leave.
   *
   * @param max requests in all
   */
  boolean admits(PendingRequest pending, int max) {
    int room = max - size();
    String owner = room > 0 ? pending.owner() : null;
    return room > 0
        && (owner == null
            || isAnybody(owner)
            || FairLimit.isShare(byOwner.getOrDefault(owner, 0), room));
  }

  /** Whom nobody asked who he is: he may be all callers. */
  public static boolean isAnybody(String owner) {
    return owner.equals(FairLimit.ANYBODY);
  }

  /** Takes a request in and gives it the next id. */
  long add(PendingRequest pending) {
    long id = ++lastId;
    put(id, pending);
    return id;
  }

  /** Takes a request in again under the id that it had, so that its progress is still known. */
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

  /** Takes a request out; null where none of that id waits. */
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
    if (drained != null && size() == 0) {
      drained.tryComplete();
    }
    return pending;
  }

  /** A call of those that were here ended without an answer. */
  void abandoned(PendingRequest call, long now) {
    causes.abandoned(call, now);
  }

  /** For whose sake the server may be asking, null where that cannot be told. */
  @Nullable String cause(long now) {
    return causes.of(byId.values(), now);
  }

  /** The one call whose log messages somebody wants; null where none or several are. */
  @Nullable PendingRequest onlyLogging() {
    PendingRequest found = null;
    for (PendingRequest pending : byId.values()) {
      if (pending.logAddress() != null) {
        if (found != null) {
          return null;
        }
        found = pending;
      }
    }
    return found;
  }

  /** Gives every call whose deadline is ours at least {@code millis} from now. */
  void extendAll(long now, long millis) {
    byId.values().forEach(pending -> pending.extendBy(now, millis));
  }

  /** Our id of the request that the caller named {@code callId}, or -1. */
  long find(String callId) {
    return byCallId.getOrDefault(callId, -1L);
  }

  /** Completes when nothing waits any more. */
  Future<Void> drained() {
    if (size() == 0) {
      return Future.succeededFuture();
    }
    if (drained == null) {
      drained = Promise.promise();
    }
    return drained.future();
  }

  /** Ends all with the same failure. */
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
    if (drained != null) {
      drained.tryComplete();
    }
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
