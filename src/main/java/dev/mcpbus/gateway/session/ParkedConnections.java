package dev.mcpbus.gateway.session;

import dev.mcpbus.gateway.session.PrivateConnections.Opened;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
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
 * The private connections of parked calls. One connection serves calls of the same {@link
 * ParkedCall.Key}, one at a time. After a call it waits 30 s for the next one. Confined to the
 * host's context.
 */
final class ParkedConnections {

  private static final long IDLE_MILLIS = 30_000;
  private static final long TTL_MILLIS = 900_000;

  private record Idle(Opened connection, long timer) {}

  private final Vertx vertx;
  private final PrivateConnections connections;
  private final Map<ParkedCall.Key, Deque<Idle>> idle = new HashMap<>();
  private final Set<Opened> own = new HashSet<>();

  ParkedConnections(Vertx vertx, CallRegistry registry) {
    this.vertx = vertx;
    this.connections = new PrivateConnections(vertx, registry, TTL_MILLIS);
  }

  /** A connection for this key alone, until {@link #giveBack}; or the server's shared one. */
  Future<Opened> take(ParkedCall.Key key) {
    Deque<Idle> free = idle.get(key);
    Idle next = free == null ? null : free.poll();
    if (next != null) {
      vertx.cancelTimer(next.timer());
      use(next.connection(), true);
      return Future.succeededFuture(next.connection());
    }
    return connections
        .open(key.server(), new JsonObject(key.capabilities()), key.principal())
        .onSuccess(
            opened -> {
              if (!opened.shared()) {
                own.add(opened);
              }
            });
  }

  void giveBack(ParkedCall.Key key, Opened connection) {
    if (!own.contains(connection)) {
      return; // a shared one
    }
    long timer = vertx.setTimer(IDLE_MILLIS, late -> release(key, connection));
    idle.computeIfAbsent(key, absent -> new ArrayDeque<>()).push(new Idle(connection, timer));
    use(connection, false).onFailure(lost -> forget(key, connection));
  }

  /** An idle connection can make room for other clients. */
  Future<?> use(Opened connection, boolean inUse) {
    return own.contains(connection)
        ? connections.renew(connection.id(), inUse)
        : Future.succeededFuture();
  }

  void level(Opened connection, String level) {
    connections.level(connection.id(), level);
  }

  /** Ends a connection if it waits for the next call. */
  void giveUp(String connection) {
    for (Map.Entry<ParkedCall.Key, Deque<Idle>> free : idle.entrySet()) {
      for (Idle one : free.getValue()) {
        if (one.connection().id().value().equals(connection)) {
          vertx.cancelTimer(one.timer());
          release(free.getKey(), one.connection());
          return;
        }
      }
    }
  }

  private void forget(ParkedCall.Key key, Opened connection) {
    own.remove(connection);
    Deque<Idle> free = idle.get(key);
    if (free != null) {
      free.removeIf(one -> one.connection().equals(connection));
      if (free.isEmpty()) {
        idle.remove(key);
      }
    }
  }

  private void release(ParkedCall.Key key, Opened connection) {
    forget(key, connection);
    connections.release(connection.id());
  }

  Future<Void> close() {
    List<Future<Void>> ending = new ArrayList<>();
    idle.values().forEach(free -> free.forEach(one -> vertx.cancelTimer(one.timer())));
    own.forEach(connection -> ending.add(connections.release(connection.id())));
    own.clear();
    idle.clear();
    return Future.join(ending).mapEmpty();
  }
}
