package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.PrivateConnection;
import dev.mcpbus.supervisor.SupervisorVerticle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Connections that belong to one client each: children of the same supervisor, with the
 * specification of their server. They end when they are released, not renewed in time, or their
 * server is removed; and, where there are as many as may be, when another client wants one and
 * theirs was not in use for longest. Their holder is asked first. Confined to the context of {@code
 * * ServersVerticle}.
 */
public final class PrivateConnectionRegistry {

  private static final String BOUND = "servers.privateConnections";
  private static final int MAX_PER_SERVER = 64;
  private static final int MAX = 1_024;
  private static final long MAX_TTL_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final long SWEEP_MILLIS = 1_000;

  /** Holders that are asked to make room, one after the other, before a wish is refused. */
  private static final int TRIES = 16;

  /** A holder that does not answer is gone. */
  private static final long ASK_MILLIS = 2_000;

  /** A holder who pauses says so late: until then a wish waits, and looks again so often. */
  private static final int LOOKS = 5;

  private static final long LOOK_MILLIS = FairLimits.PAUSE_MILLIS / (LOOKS - 1);

  private record Held(ConnectionId server, String events, long until) {}

  private final Vertx vertx;
  private final SupervisorVerticle supervisor;
  private final ConnectionFactory factory;
  private final Function<ConnectionId, @Nullable ServerDefinition> present;
  private final Map<ConnectionId, Held> held = new HashMap<>();
  private final FairLimit<ConnectionId> all = new FairLimit<>(MAX);
  private final Map<ConnectionId, FairLimit<ConnectionId>> byServer = new HashMap<>();
  private long sweeper = -1;

  /**
   * @param present the definition of a server as it is at that moment; null for none
   */
  public PrivateConnectionRegistry(
      Vertx vertx,
      SupervisorVerticle supervisor,
      ConnectionFactory factory,
      Function<ConnectionId, @Nullable ServerDefinition> present) {
    this.vertx = vertx;
    this.supervisor = supervisor;
    this.factory = factory;
    this.present = present;
    FairLimits.of(vertx).add(BOUND, all);
  }

  /**
   * {@code {id, capabilities, input, events, ttl, owner?}} -> {@code {lease}}, an id whose
   * addresses are the client's own; {@code {shared: true}} where the server is declared so.
   *
   * @param body {@code owner} is the name of the principal, so that one cannot take them all
   * @return fails with {@code OVERLOADED} where nothing makes room
   */
  public Future<JsonObject> lease(ServerDefinition server, JsonObject body) {
    if (server.connection().shared()) {
      return Future.succeededFuture(new JsonObject().put("shared", true));
    }
    if (!(body.getValue("input") instanceof String input)
        || !(body.getValue("events") instanceof String events)) {
      throw bad("a lease wants \"input\" and \"events\", the addresses of who holds it");
    }
    until(body);
    String owner = body.getString("owner", FairLimit.ANYBODY);
    JsonObject capabilities =
        body.getValue("capabilities") instanceof JsonObject given ? given : new JsonObject();
    return room(server.id(), owner, TRIES, LOOKS)
        .compose(
            free -> {
              ServerDefinition current = present.apply(server.id());
              if (current == null) {
                byServer.remove(server.id());
                throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such server");
              }
              ConnectionId lease = name(server.id());
              held.put(lease, new Held(server.id(), events, until(body)));
              all.add(lease, owner);
              bound(server.id()).add(lease, owner);
              if (sweeper < 0) {
                sweeper = vertx.setPeriodic(SWEEP_MILLIS, now -> sweep());
              }
              return supervisor
                  .startChild(
                      factory.leased(
                          current,
                          lease,
                          capabilities,
                          new PrivateConnection(server.id(), input, events)))
                  .map(new JsonObject().put("lease", lease.value()))
                  .onFailure(failure -> forget(lease));
            });
  }

  private FairLimit<ConnectionId> bound(ConnectionId server) {
    return byServer.computeIfAbsent(server, absent -> new FairLimit<>(MAX_PER_SERVER));
  }

  /** Completes when there is room for one more, which whoever asked has to take at once. */
  private Future<Void> room(ConnectionId server, String owner, int tries, int looks) {
    for (FairLimit<ConnectionId> bound : List.of(bound(server), all)) {
      FairLimit.Verdict<ConnectionId> verdict = bound.ask(owner);
      ConnectionId victim = verdict.victim();
      if (verdict.isRefused() && looks > 0) {
        return vertx.timer(LOOK_MILLIS).compose(over -> room(server, owner, tries, looks - 1));
      }
      if (verdict.isRefused() || (victim != null && tries == 0)) {
        return Future.failedFuture(full(server, bound, owner));
      }
      if (victim != null) {
        return makeRoom(victim).compose(asked -> room(server, owner, tries - 1, looks));
      }
    }
    return Future.succeededFuture();
  }

  /** Its holder may have begun to use it this moment; then it stays. */
  private Future<Void> makeRoom(ConnectionId lease) {
    Held one = held.get(lease);
    if (one == null) {
      return Future.succeededFuture();
    }
    use(lease, true); // nobody else asks for the same one meanwhile
    JsonObject wish = new JsonObject().put("type", Events.ROOM_WANTED).put("id", lease.value());
    return vertx
        .eventBus()
        .<JsonObject>request(one.events(), wish, new DeliveryOptions().setSendTimeout(ASK_MILLIS))
        .map(answer -> Boolean.TRUE.equals(answer.body().getValue("inUse")))
        .otherwise(false)
        .compose(
            inUse -> inUse || !held.containsKey(lease) ? Future.succeededFuture() : evict(lease));
  }

  private Future<Void> evict(ConnectionId lease) {
    Held one = held.get(lease);
    return end(lease)
        .onSuccess(
            ended -> {
              if (one != null) {
                JsonObject gone = new JsonObject().put("type", Events.GAVE_UP);
                vertx.eventBus().send(one.events(), gone.put("id", lease.value()));
              }
            });
  }

  private static McpFailure full(ConnectionId server, FairLimit<ConnectionId> bound, String owner) {
    return new McpFailure(
        FailureCode.OVERLOADED,
        McpFailure.Sent.NO,
        "server '"
            + server
            + "': clients have "
            + bound.size()
            + " connections of their own"
            + (bound.max() == MAX ? " to all servers" : "")
            + ", "
            + bound.sizeOf(owner)
            + " of them yours, and none that could make room is idle; try again later, or set"
            + " \"shared\": true where they may share one",
        5_000,
        null);
  }

  /**
   * {@code {lease, ttl, inUse?}}.
   *
   * @param body {@code inUse} is false where the holder could do without it; true if absent
   */
  public Future<JsonObject> renew(JsonObject body) {
    ConnectionId lease = known(body);
    Held present = held.get(lease);
    if (present != null) {
      held.put(lease, new Held(present.server(), present.events(), until(body)));
      boolean inUse = !Boolean.FALSE.equals(body.getValue("inUse"));
      if (inUse || all.isInUse(lease)) {
        use(lease, inUse); // a renewal alone does not make it younger
      }
    }
    return Future.succeededFuture(new JsonObject().put("lease", lease.value()));
  }

  private void use(ConnectionId lease, boolean inUse) {
    all.use(lease, inUse);
    Held one = held.get(lease);
    FairLimit<ConnectionId> own = one == null ? null : byServer.get(one.server());
    if (own != null) {
      own.use(lease, inUse);
    }
  }

  /** {@code {lease}}. */
  public Future<JsonObject> release(JsonObject body) {
    ConnectionId lease = known(body);
    return end(lease).map(new JsonObject().put("released", lease.value()));
  }

  /** The server is removed or changed. */
  public Future<Void> endAll(ConnectionId server) {
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

  public void close() {
    FairLimits.of(vertx).remove(BOUND, all);
  }

  private Future<Void> end(ConnectionId lease) {
    forget(lease);
    return supervisor.terminateChild(lease.value());
  }

  private void forget(ConnectionId lease) {
    all.remove(lease);
    Held one = held.remove(lease);
    FairLimit<ConnectionId> own = one == null ? null : byServer.get(one.server());
    if (one != null && own != null) {
      own.remove(lease);
      if (own.size() == 0) {
        byServer.remove(one.server());
      }
    }
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
