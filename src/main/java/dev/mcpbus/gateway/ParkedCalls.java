package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The exchanges of one host, and the leased connections that they take turns with: one serves only
 * calls of the same principal, server and capabilities, one at a time. Confined to the host's
 * context.
 */
final class ParkedCalls {

  private static final long IDLE_MILLIS = 30_000;
  private static final long TTL_MILLIS = 900_000;

  /** A connection of its own lives on the node of whoever holds it. */
  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /**
   * What a connection was leased for.
   *
   * @param principal by name
   */
  record Key(String server, String principal, String capabilities) {

    static Key of(Message<?> message) {
      return new Key(
          SessionMessage.header(message, SessionMessage.SERVER),
          Principal.nameIn(SessionMessage.header(message, SessionMessage.PRINCIPAL)),
          SessionMessage.header(message, SessionMessage.CAPABILITIES));
    }
  }

  private record Idle(ConnectionId lease, long timer) {}

  private final Vertx vertx;
  private final CallRegistry calls;
  private final FairLimit<ParkedCall> bound;
  private final Map<ParkedCall, Key> running = new HashMap<>();
  private final Map<Key, Deque<Idle>> idle = new HashMap<>();
  private final Set<ConnectionId> leases = new HashSet<>();

  /**
   * @param max calls at a time; where there are as many, one makes room that waits for its client
   */
  ParkedCalls(Vertx vertx, CallRegistry calls, int max) {
    this.vertx = vertx;
    this.calls = calls;
    this.bound = new FairLimit<>(max);
  }

  void handle(String op, Message<?> message) {
    if (op.equals(SessionMessage.RETRY)) {
      retry(message);
      return;
    }
    Key key = Key.of(message);
    JsonObject capabilities = new JsonObject(key.capabilities());
    ParkedCall parked =
        new ParkedCall(vertx, calls, message, capabilities, this::handedOut, this::ended);
    FairLimit.Verdict<ParkedCall> verdict = bound.admit(parked, key.principal());
    if (verdict.isRefused()) {
      parked.fail(
          McpFailure.notSent(
              FailureCode.OVERLOADED,
              "all "
                  + bound.max()
                  + " calls that may ask their clients are under way, or yours are three quarters"
                  + " of those that are left; try again later"));
      return;
    }
    ParkedCall waits = verdict.victim();
    if (waits != null) {
      waits.cancel();
    }
    running.put(parked, key);
    RawJson params = SessionMessage.params(message);
    lease(key)
        .onComplete(
            lease -> {
              if (running.containsKey(parked)) {
                parked.begin(lease, params);
              } else {
                giveBack(key, lease);
              }
            },
            parked::fail);
  }

  private void retry(Message<?> message) {
    String state = SessionMessage.header(message, SessionMessage.STATE);
    ParkedCall parked =
        running.keySet().stream().filter(one -> state.equals(one.state())).findFirst().orElse(null);
    if (parked == null || !parked.isOf(message)) {
      message.reply(McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no call waits for this"));
    } else {
      noteUse(parked, true);
      parked.retry(message);
    }
  }

  /** Its client has the questions; whether it comes back is not known. */
  private void handedOut(ParkedCall parked) {
    noteUse(parked, false);
  }

  private void noteUse(ParkedCall parked, boolean inUse) {
    bound.use(parked, inUse);
    ConnectionId lease = parked.lease();
    if (lease != null) {
      use(lease, inUse);
    }
  }

  /** The client has closed its response: so modern clients cancel. */
  void gone(String response) {
    running.keySet().stream()
        .filter(one -> one.isReadBy(response))
        .findFirst()
        .ifPresent(ParkedCall::cancel);
  }

  /** A connection for this key alone; {@link #giveBack} ends that. */
  Future<ConnectionId> lease(Key key) {
    Deque<Idle> free = idle.get(key);
    Idle next = free == null ? null : free.poll();
    if (next != null) {
      vertx.cancelTimer(next.timer());
      use(next.lease(), true);
      return Future.succeededFuture(next.lease());
    }
    JsonObject wish =
        new JsonObject()
            .put("id", key.server())
            .put("capabilities", new JsonObject(key.capabilities()))
            .put("input", calls.inputs())
            .put("events", calls.leased())
            .put("owner", key.principal())
            .put("ttl", TTL_MILLIS);
    return vertx
        .eventBus()
        .<JsonObject>request(Addresses.SERVERS_LEASE, wish, LOCAL)
        .map(
            answer -> {
              String lease = answer.body().getString("lease");
              if (lease == null) {
                return new ConnectionId(key.server());
              }
              ConnectionId made = new ConnectionId(lease);
              leases.add(made);
              return made;
            });
  }

  private void ended(ParkedCall parked) {
    bound.remove(parked);
    Key key = running.remove(parked);
    ConnectionId lease = parked.lease();
    if (key != null && lease != null) {
      giveBack(key, lease);
    }
  }

  void giveBack(Key key, ConnectionId lease) {
    if (!leases.contains(lease)) {
      return; // a shared one
    }
    long timer = vertx.setTimer(IDLE_MILLIS, late -> release(key, lease));
    idle.computeIfAbsent(key, absent -> new ArrayDeque<>()).push(new Idle(lease, timer));
    use(lease, false).onFailure(lost -> forget(key, lease));
  }

  /** What is idle may have to make room for other clients. */
  Future<?> use(ConnectionId lease, boolean inUse) {
    return leases.contains(lease)
        ? vertx
            .eventBus()
            .request(
                Addresses.SERVERS_LEASE,
                new JsonObject()
                    .put("lease", lease.value())
                    .put("ttl", TTL_MILLIS)
                    .put("inUse", inUse),
                LOCAL)
        : Future.succeededFuture();
  }

  /** Ends a connection if it waits for the next call. */
  void giveUp(String lease) {
    for (Map.Entry<Key, Deque<Idle>> free : idle.entrySet()) {
      for (Idle one : free.getValue()) {
        if (one.lease().value().equals(lease)) {
          vertx.cancelTimer(one.timer());
          release(free.getKey(), one.lease());
          return;
        }
      }
    }
  }

  private void forget(Key key, ConnectionId lease) {
    leases.remove(lease);
    Deque<Idle> free = idle.get(key);
    if (free != null) {
      free.removeIf(one -> one.lease().equals(lease));
      if (free.isEmpty()) {
        idle.remove(key);
      }
    }
  }

  private Future<Void> release(Key key, ConnectionId lease) {
    forget(key, lease);
    return release(lease);
  }

  private Future<Void> release(ConnectionId lease) {
    return vertx
        .eventBus()
        .request(Addresses.SERVERS_RELEASE, new JsonObject().put("lease", lease.value()), LOCAL)
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  Future<Void> close() {
    List.copyOf(running.keySet()).forEach(ParkedCall::cancel);
    List<Future<Void>> ending = new ArrayList<>();
    idle.values().forEach(free -> free.forEach(one -> vertx.cancelTimer(one.timer())));
    leases.forEach(lease -> ending.add(release(lease)));
    leases.clear();
    idle.clear();
    return Future.join(ending).mapEmpty();
  }
}
