package dev.mcpbus.hosting;

import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SharingMessage;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.supervisor.SupervisorVerticle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The private connections on this node: each belongs to one client and is a child of the same
 * supervisor, with the child specification of its server. A private connection ends when its holder
 * releases it or does not renew it in time, or when its server is removed. At the bound, a new
 * request ends the connection that was idle longest, after its holder has confirmed that it is not
 * in use. Confined to the context of {@code ServersVerticle}.
 */
final class PrivateConnectionRegistry {

  private static final Logger LOG = LoggerFactory.getLogger(PrivateConnectionRegistry.class);
  private static final String BOUND = "servers.privateConnections";
  private static final int MAX_PER_SERVER = 64;
  private static final int MAX = 1_024;
  private static final long SWEEP_MILLIS = 1_000;

  /**
   * The number of holders that get a request to make room, one after the other, before a new
   * request fails.
   */
  private static final int MAX_EVICTIONS = 16;

  /** A holder that does not reply within this time counts as gone, milliseconds. */
  private static final long REPLY_MILLIS = 2_000;

  /** A holder reports a pause late, so a new request is repeated this often before it fails. */
  private static final int MAX_CHECKS = 5;

  private static final long CHECK_MILLIS = FairLimits.PAUSE_MILLIS / (MAX_CHECKS - 1);

  private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_SHOWN = 100;

  private record RegisteredConnection(
      ConnectionId server,
      String events,
      String owner,
      RawJson initialize,
      long since,
      long until) {

    RegisteredConnection until(long later) {
      return new RegisteredConnection(server, events, owner, initialize, since, later);
    }
  }

  private final Vertx vertx;
  private final SupervisorVerticle supervisor;
  private final ConnectionFactory factory;
  private final Function<ConnectionId, @Nullable ServerDefinition> present;
  private final CallerDefinitions callers;
  private final PrivateConnectionDiagnostics diagnostics;
  private final Map<ConnectionId, RegisteredConnection> held = new HashMap<>();
  private final SessionSharing sharing;
  private final FairLimit<ConnectionId> all = new FairLimit<>(MAX);
  private final Map<ConnectionId, FairLimit<ConnectionId>> byServer = new HashMap<>();
  private long sweeper = -1;
  private long warned = System.nanoTime() - WARNING_NANOS;

  /**
   * @param present the current definition of a server; null for none
   * @param callers makes the definition of a caller's connection
   */
  PrivateConnectionRegistry(
      Vertx vertx,
      SupervisorVerticle supervisor,
      ConnectionFactory factory,
      Function<ConnectionId, @Nullable ServerDefinition> present,
      CallerDefinitions callers) {
    this.callers = callers;
    this.vertx = vertx;
    this.supervisor = supervisor;
    this.factory = factory;
    this.present = present;
    this.diagnostics =
        new PrivateConnectionDiagnostics(
            vertx, this::leases, id -> present.apply(id) != null, InstantSource.system());
    this.sharing = new SessionSharing(vertx, this::isServed, SessionSharing.PAUSE_MILLIS);
    FairLimits.of(vertx).add(BOUND, all);
  }

  /**
   * Starts a private connection: {@link LeaseRequest} -> {@code {lease, maxCallMillis, renewable}},
   * an id whose addresses belong to the client, the {@code maxCallDuration} of the server, and
   * {@code true} where a new connection may take the place of a lost one; {@code {shared: true,
   * maxCallMillis}} where the server's connection may be shared.
   *
   * @return fails with {@code OVERLOADED} at the bound, {@code BAD_REQUEST} for a body that is no
   *     such request, {@code UNKNOWN_CONNECTION} where the server was removed meanwhile
   */
  Future<JsonObject> lease(ServerDefinition server, JsonObject body) {
    boolean ofCallers = server.connection().isOfCallers();
    if (ofCallers != body.containsKey("caller")) {
      if (!ofCallers) {
        throw McpFailure.badRequest("server '" + server.id() + "' does not act for its callers");
      }
      return Future.succeededFuture(described(server).put("shared", true));
    }
    if (!ofCallers && server.connection().shared()) {
      return Future.succeededFuture(described(server).put("shared", true));
    }
    LeaseRequest request = LeaseRequest.parse(body);
    String owner = request.owner();
    CallerFacts caller = request.caller();
    if (caller != null) {
      return callers
          .of(server, caller)
          .compose(
              own ->
                  room(server.id(), owner, MAX_EVICTIONS, MAX_CHECKS)
                      .compose(free -> begin(server.id(), own, request, body, false)));
    }
    return room(server.id(), owner, MAX_EVICTIONS, MAX_CHECKS)
        .compose(free -> sharing.ask(server.id(), new SharingMessage.MayShare(owner)))
        .compose(
            answer ->
                answer.one()
                    ? shared(server, answer)
                    : room(server.id(), owner, MAX_EVICTIONS, MAX_CHECKS) // others may have come
                        .compose(free -> begin(server.id(), null, request, body, answer.serves())));
  }

  /** The server takes one session only: the answer for a client that may share it, or may not. */
  private static Future<JsonObject> shared(
      ServerDefinition server, SharingMessage.SharingAnswer answer) {
    McpFailure refusal = answer.refusal();
    return refusal != null
        ? Future.failedFuture(refusal)
        : Future.succeededFuture(described(server).put("shared", true));
  }

  /**
   * @param own the definition of a caller; null where it is that of the server
   */
  private Future<JsonObject> begin(
      ConnectionId server,
      @Nullable ServerDefinition own,
      LeaseRequest request,
      JsonObject body,
      boolean beside) {
    ServerDefinition defined = present.apply(server);
    if (defined == null) {
      byServer.remove(server);
      throw removed();
    }
    ServerDefinition current = own == null ? defined : own;
    ConnectionId id = ConnectionId.ofPrivate(server);
    String owner = request.owner();
    held.put(
        id,
        new RegisteredConnection(
            server,
            request.events(),
            owner,
            request.initialize(),
            System.nanoTime(),
            LeaseRequest.until(body)));
    all.add(id, owner);
    bound(server).add(id, owner);
    if (sweeper < 0) {
      sweeper = vertx.setPeriodic(SWEEP_MILLIS, now -> sweep());
    }
    Future<SharingMessage.SharingAnswer> outcome =
        beside
            ? sharing.start(id, owner, PrivateConnection.isUsual(request.initialize()))
            : Future.succeededFuture(SharingMessage.SharingAnswer.NONE);
    return supervisor
        .startChild(
            factory.privateChildSpec(
                current,
                id,
                request.connection(server, diagnostics.of(server), sharing.outcome(server, id)),
                () -> diagnostics.shown(server)))
        .onFailure(failure -> forget(id))
        .compose(started -> outcome)
        .compose(
            answer -> {
              if (present.apply(server) == null) {
                throw removed();
              }
              if (!answer.one()) {
                return Future.succeededFuture(leased(current, id));
              }
              end(id);
              return shared(current, answer);
            });
  }

  private static McpFailure removed() {
    return McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such server");
  }

  private static JsonObject leased(ServerDefinition server, ConnectionId id) {
    JsonObject answer = described(server).put("lease", id.value());
    return server.connection().renewable() ? answer.put("renewable", true) : answer;
  }

  private static JsonObject described(ServerDefinition server) {
    return new JsonObject().put("maxCallMillis", server.connection().maxCallDuration().toMillis());
  }

  private boolean isServed(ConnectionId server) {
    FairLimit<ConnectionId> own = byServer.get(server);
    return own != null && own.size() > 0;
  }

  private FairLimit<ConnectionId> bound(ConnectionId server) {
    return byServer.computeIfAbsent(server, absent -> new FairLimit<>(MAX_PER_SERVER));
  }

  /** Completes when there is room for one more connection; the caller has to take it at once. */
  private Future<Void> room(ConnectionId server, String owner, int evictionsLeft, int checksLeft) {
    for (FairLimit<ConnectionId> bound : List.of(bound(server), all)) {
      FairLimit.Verdict<ConnectionId> verdict = bound.ask(owner);
      ConnectionId victim = verdict.victim();
      if (verdict.isRefused() && checksLeft > 0) {
        return vertx
            .timer(CHECK_MILLIS)
            .compose(over -> room(server, owner, evictionsLeft, checksLeft - 1));
      }
      if (verdict.isRefused() || (victim != null && evictionsLeft == 0)) {
        return Future.failedFuture(full(server, bound, owner));
      }
      if (victim != null) {
        return makeRoom(victim).compose(over -> room(server, owner, evictionsLeft - 1, checksLeft));
      }
    }
    return Future.succeededFuture();
  }

  /** The holder may have begun to use the connection at this moment; then it stays. */
  private Future<Void> makeRoom(ConnectionId id) {
    RegisteredConnection one = held.get(id);
    if (one == null) {
      return Future.succeededFuture();
    }
    use(id, true); // so no other request picks the same connection meanwhile
    JsonObject request = new JsonObject().put("type", Events.ROOM_WANTED).put("id", id.value());
    return vertx
        .eventBus()
        .<JsonObject>request(
            one.events(), request, new DeliveryOptions().setSendTimeout(REPLY_MILLIS))
        .map(answer -> Boolean.TRUE.equals(answer.body().getValue("inUse")))
        .otherwise(false)
        .compose(inUse -> inUse || !held.containsKey(id) ? Future.succeededFuture() : evict(id));
  }

  /** Ends a connection, and tells its holder, whose next request opens another. */
  private Future<Void> evict(ConnectionId id) {
    RegisteredConnection one = held.get(id);
    return end(id)
        .onSuccess(
            ended -> {
              if (one != null) {
                JsonObject gone = new JsonObject().put("type", Events.GAVE_UP);
                vertx.eventBus().send(one.events(), gone.put("id", id.value()));
              }
            });
  }

  private McpFailure full(ConnectionId server, FairLimit<ConnectionId> bound, String owner) {
    long now = System.nanoTime();
    if (now - warned >= WARNING_NANOS) {
      warned = now;
      LOG.warn(
          "server '{}': a request of {} is refused, because all {} private connections{} are taken"
              + " and none that could make room is idle. GET /api/leases shows whose they are,"
              + " DELETE /api/leases/<lease> ends one, \"shared\": true lets clients share one",
          server,
          owner,
          bound.size(),
          bound.max() == MAX ? " to all servers" : "");
    }
    return new McpFailure(
        FailureCode.OVERLOADED,
        McpFailure.Sent.NO,
        "server '"
            + server
            + "': clients have "
            + bound.size()
            + " private connections"
            + (bound.max() == MAX ? " to all servers" : "")
            + ", "
            + bound.sizeOf(owner)
            + " of them yours, and none that could make room is idle; try again later, or set"
            + " \"shared\": true where they may share one",
        5_000,
        null);
  }

  /**
   * Renews a private connection: {@code {lease, ttl, inUse?}} -> {@code {lease}}.
   *
   * @param body {@code inUse} is false where the holder could do without it; true if absent
   * @return fails with {@code UNKNOWN_CONNECTION} where it has ended
   */
  Future<JsonObject> renew(JsonObject body) {
    ConnectionId id = known(body);
    RegisteredConnection present = held.get(id);
    if (present != null) {
      held.put(id, present.until(LeaseRequest.until(body)));
      boolean inUse = !Boolean.FALSE.equals(body.getValue("inUse"));
      if (inUse || all.isInUse(id)) {
        use(id, inUse); // a renewal alone does not count as use
      }
    }
    return Future.succeededFuture(new JsonObject().put("lease", id.value()));
  }

  private void use(ConnectionId id, boolean inUse) {
    all.use(id, inUse);
    RegisteredConnection one = held.get(id);
    FairLimit<ConnectionId> own = one == null ? null : byServer.get(one.server());
    if (own != null) {
      own.use(id, inUse);
    }
  }

  /** What operators ask about the connections of this node, by server. */
  PrivateConnectionDiagnostics diagnostics() {
    return diagnostics;
  }

  /** The private connections to one of these servers, each with its server. */
  private Map<ConnectionId, ConnectionId> leases(Set<ConnectionId> servers) {
    Map<ConnectionId, ConnectionId> of = new HashMap<>();
    held.forEach(
        (id, one) -> {
          if (servers.contains(one.server())) {
            of.put(id, one.server());
          }
        });
    return of;
  }

  /**
   * For operators: {@code {leases: [{lease, server, principal, client?, inUse, ageMillis}],
   * servers}}; {@code client} has {@code name} and {@code version} as the client states them,
   * {@code servers} what the bound of each server holds.
   */
  JsonObject toJson() {
    long now = System.nanoTime();
    JsonArray leases = new JsonArray();
    held.forEach(
        (id, one) ->
            leases.add(
                new JsonObject()
                    .put("lease", id.value())
                    .put("server", one.server().value())
                    .put("principal", one.owner())
                    .put("client", client(one.initialize()))
                    .put("inUse", all.isInUse(id))
                    .put("ageMillis", TimeUnit.NANOSECONDS.toMillis(now - one.since()))));
    JsonObject servers = new JsonObject();
    byServer.forEach((server, bound) -> servers.put(server.value(), bound.toJson()));
    return new JsonObject().put("leases", leases).put("servers", servers);
  }

  private static JsonObject client(RawJson initialize) {
    RawJson info = initialize.member("clientInfo");
    JsonObject client = new JsonObject();
    for (String member : List.of("name", "version")) {
      RawJson stated = info == null ? null : info.member(member);
      if (stated != null && stated.isString()) {
        String text = stated.asString();
        client.put(member, text.substring(0, Math.min(text.length(), MAX_SHOWN)));
      }
    }
    return client;
  }

  /**
   * Ends a private connection: {@code {lease, tell?}} -> {@code {released}}.
   *
   * @param body {@code tell} is true where an operator ends it: the holder gets {@link
   *     Events#GAVE_UP}
   */
  Future<JsonObject> release(JsonObject body) {
    ConnectionId id = known(body);
    boolean tell = Boolean.TRUE.equals(body.getValue("tell"));
    return (tell ? evict(id) : end(id)).map(new JsonObject().put("released", id.value()));
  }

  /** Ends all private connections of a server that was removed or changed; tells the holders. */
  Future<Void> endAll(ConnectionId server) {
    diagnostics.configured(server);
    List<Future<Void>> ending = new ArrayList<>();
    List.copyOf(held.entrySet())
        .forEach(
            one -> {
              if (one.getValue().server().equals(server)) {
                ending.add(evict(one.getKey()));
              }
            });
    return Future.join(ending).mapEmpty();
  }

  void close() {
    FairLimits.of(vertx).remove(BOUND, all);
  }

  private Future<Void> end(ConnectionId id) {
    forget(id);
    return supervisor.terminateChild(id.value());
  }

  private void forget(ConnectionId id) {
    all.remove(id);
    RegisteredConnection one = held.remove(id);
    FairLimit<ConnectionId> own = one == null ? null : byServer.get(one.server());
    if (one != null && own != null) {
      own.remove(id);
      if (own.size() == 0) {
        byServer.remove(one.server());
      }
      sharing.ended(one.server(), id);
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
            () ->
                McpFailure.notSent(
                    FailureCode.UNKNOWN_CONNECTION, "there is no such private connection"));
  }
}
