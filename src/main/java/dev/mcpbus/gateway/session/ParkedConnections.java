package dev.mcpbus.gateway.session;

import dev.mcpbus.gateway.session.PrivateConnections.Opened;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The private connections of parked calls. One connection serves calls of the same {@link
 * ParkedCall.ConnectionKey}, one at a time, and is renewed while a call has it. After a call it
 * waits 30 s for the next one. Confined to the host's context.
 */
final class ParkedConnections {

  private static final long IDLE_MILLIS = 30_000;

  private record Idle(Opened connection, long timer) {}

  private final Vertx vertx;
  private final PrivateConnections connections;
  private final Map<ParkedCall.ConnectionKey, Deque<Idle>> idle = new HashMap<>();

  /** The private connections that calls have, and whether each call is in use. */
  private final Map<Opened, Boolean> taken = new HashMap<>();

  /** Renews them all; negative if no call has one. */
  private long renewal = -1;

  ParkedConnections(Vertx vertx, CallRegistry registry) {
    this.vertx = vertx;
    this.connections = new PrivateConnections(vertx, registry);
  }

  /** A connection for this key alone, until {@link #giveBack}; or the server's shared one. */
  Future<Opened> take(ParkedCall.ConnectionKey key) {
    Deque<Idle> free = idle.get(key);
    Idle next = free == null ? null : free.poll();
    if (next != null) {
      vertx.cancelTimer(next.timer());
      connections.renew(next.connection().id(), true);
      return Future.succeededFuture(taken(next.connection()));
    }
    return connections
        .open(key.server(), new JsonObject(key.capabilities()), key.principal())
        .map(this::taken);
  }

  private Opened taken(Opened connection) {
    if (!connection.shared()) {
      taken.put(connection, true);
      if (renewal < 0) {
        renewal = vertx.setPeriodic(PrivateConnections.RENEWAL_MILLIS, now -> renew());
      }
    }
    return connection;
  }

  private void renew() {
    taken.forEach((connection, inUse) -> connections.renew(connection.id(), inUse));
  }

  void giveBack(ParkedCall.ConnectionKey key, Opened connection) {
    if (taken.remove(connection) == null) {
      return; // a shared one
    }
    if (taken.isEmpty()) {
      stopRenewal();
    }
    long timer = vertx.setTimer(IDLE_MILLIS, late -> release(key, connection));
    idle.computeIfAbsent(key, absent -> new ArrayDeque<>()).push(new Idle(connection, timer));
    connections.renew(connection.id(), false).onFailure(lost -> forget(key, connection));
  }

  private void stopRenewal() {
    vertx.cancelTimer(renewal);
    renewal = -1;
  }

  /** Whether the call is in use; the connection of one that is not can make room for others. */
  void use(Opened connection, boolean inUse) {
    if (taken.replace(connection, inUse) != null) {
      connections.renew(connection.id(), inUse);
    }
  }

  void level(Opened connection, String level) {
    connections.level(connection.id(), level);
  }

  /** Ends a connection if it waits for the next call. */
  void giveUp(String connection) {
    for (Map.Entry<ParkedCall.ConnectionKey, Deque<Idle>> free : idle.entrySet()) {
      for (Idle one : free.getValue()) {
        if (one.connection().id().value().equals(connection)) {
          vertx.cancelTimer(one.timer());
          release(free.getKey(), one.connection());
          return;
        }
      }
    }
  }

  private void forget(ParkedCall.ConnectionKey key, Opened connection) {
    Deque<Idle> free = idle.get(key);
    if (free != null) {
      free.removeIf(one -> one.connection().equals(connection));
      if (free.isEmpty()) {
        idle.remove(key);
      }
    }
  }

  private void release(ParkedCall.ConnectionKey key, Opened connection) {
    forget(key, connection);
    connections.release(connection.id());
  }

  Future<Void> close() {
    stopRenewal();
    List<Future<Void>> ending = new ArrayList<>();
    taken.keySet().forEach(connection -> ending.add(connections.release(connection.id())));
    for (Deque<Idle> free : idle.values()) {
      for (Idle one : free) {
        vertx.cancelTimer(one.timer());
        ending.add(connections.release(one.connection().id()));
      }
    }
    taken.clear();
    idle.clear();
    return Future.join(ending).mapEmpty();
  }
}
