package dev.mcpbus;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.Lease;
import dev.mcpbus.supervisor.SupervisorVerticle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Connections that belong to one client each: children of the same supervisor, with the
 * specification of their server. They end when they are released, not renewed in time, or their
 * server is removed. Confined to the context of {@link ServersVerticle}.
 */
final class ServerLeases {

  private static final int MAX_PER_SERVER = 64;
  private static final int MAX = 1_024;
  private static final long MAX_TTL_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final long SWEEP_MILLIS = 1_000;

  private record Held(ConnectionId server, long until) {}

  private final Vertx vertx;
  private final SupervisorVerticle supervisor;
  private final ConnectionFactory factory;
  private final Map<ConnectionId, Held> held = new HashMap<>();
  private long sweeper = -1;

  ServerLeases(Vertx vertx, SupervisorVerticle supervisor, ConnectionFactory factory) {
    this.vertx = vertx;
    this.supervisor = supervisor;
    this.factory = factory;
  }

  /**
   * {@code {id, capabilities, input, events, ttl}} -> {@code {lease}}, an id whose addresses are
   * the client's own; {@code {shared: true}} where the server is declared so.
   */
  Future<JsonObject> lease(ServerDefinition server, JsonObject body) {
    if (server.connection().shared()) {
      return Future.succeededFuture(new JsonObject().put("shared", true));
    }
    if (!(body.getValue("input") instanceof String input)
        || !(body.getValue("events") instanceof String events)) {
      throw bad("a lease wants \"input\" and \"events\", the addresses of who holds it");
    }
    long same = held.values().stream().filter(one -> one.server().equals(server.id())).count();
    if (same >= MAX_PER_SERVER || held.size() >= MAX) {
      throw new McpFailure(
          FailureCode.OVERLOADED,
          McpFailure.Sent.NO,
          "server '"
              + server.id()
              + "': "
              + (same >= MAX_PER_SERVER ? same : held.size())
              + " clients have a connection of their own already; try again later, or set"
              + " \"shared\": true where they may share one",
          5_000,
          null);
    }
    JsonObject capabilities =
        body.getValue("capabilities") instanceof JsonObject given ? given : new JsonObject();
    ConnectionId lease = name(server.id());
    held.put(lease, new Held(server.id(), until(body)));
    if (sweeper < 0) {
      sweeper = vertx.setPeriodic(SWEEP_MILLIS, now -> sweep());
    }
    return supervisor
        .startChild(factory.leased(server, lease, capabilities, new Lease(input, events)))
        .map(new JsonObject().put("lease", lease.value()))
        .onFailure(failure -> held.remove(lease));
  }

  /** {@code {lease, ttl}}. */
  Future<JsonObject> renew(JsonObject body) {
    ConnectionId lease = known(body);
    Held present = held.get(lease);
    if (present != null) {
      held.put(lease, new Held(present.server(), until(body)));
    }
    return Future.succeededFuture(new JsonObject().put("lease", lease.value()));
  }

  /** {@code {lease}}. */
  Future<JsonObject> release(JsonObject body) {
    ConnectionId lease = known(body);
    return end(lease).map(new JsonObject().put("released", lease.value()));
  }

  /** The server is removed or changed. */
  Future<Void> endAll(ConnectionId server) {
    List<Future<Void>> ending = new ArrayList<>();
    List.copyOf(held.entrySet())
        .forEach(
            one -> {
              if (one.getValue().server().equals(server)) {
                ending.add(end(one.getKey()));
              }
            });
    return Future.join(ending).mapEmpty();
  }

  private Future<Void> end(ConnectionId lease) {
    held.remove(lease);
    return supervisor.terminateChild(lease.value());
  }

  private void sweep() {
    long now = System.nanoTime();
    List.copyOf(held.entrySet())
        .forEach(
            one -> {
              if (one.getValue().until() - now < 0) {
                end(one.getKey());
              }
            });
    if (held.isEmpty()) {
      vertx.cancelTimer(sweeper);
      sweeper = -1;
    }
  }

  private ConnectionId known(JsonObject body) {
    return ConnectionId.parse(String.valueOf(body.getValue("lease")))
        .filter(held::containsKey)
        .orElseThrow(
            () -> McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "there is no such lease"));
  }

  /** Starts with the server's id, so that logs can be read. */
  private static ConnectionId name(ConnectionId server) {
    String head = server.value().substring(0, Math.min(server.value().length(), 28));
    return new ConnectionId(head + "--" + UUID.randomUUID().toString().replace("-", ""));
  }

  private static long until(JsonObject body) {
    if (body.getValue("ttl") instanceof Number ttl
        && ttl.longValue() > 0
        && ttl.longValue() <= MAX_TTL_MILLIS) {
      return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ttl.longValue());
    }
    throw bad("\"ttl\" must be milliseconds from 1 to " + MAX_TTL_MILLIS);
  }

  private static McpFailure bad(String message) {
    return McpFailure.notSent(FailureCode.BAD_REQUEST, message);
  }
}
