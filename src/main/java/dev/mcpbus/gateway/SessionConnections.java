package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections that one client has for itself: one per server that is neither stateless nor
 * declared shareable, begun with the first call that needs it. Confined to its owner's context.
 */
final class SessionConnections {

  /** Who follows which connections there are. */
  interface Listener {

    void begun(ConnectionId server, ConnectionId lease);

    /** It will not come back. */
    void gone(ConnectionId server);
  }

  private static final long TTL_MILLIS = 180_000;

  /** A connection of its own lives on the node of whoever holds it. */
  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  private final Vertx vertx;
  private final CallRegistry host;
  private final CallRegistry.Caller holder;
  private final String owner;
  private final JsonObject capabilities;
  private final Listener listener;
  private final Runnable bound;
  private final Map<ConnectionId, Future<ConnectionId>> byServer = new HashMap<>();
  private final Map<String, ConnectionId> servers = new HashMap<>();
  private @Nullable String level;
  private long renewal = -1;
  private boolean closed;
  private boolean inUse = true;
  private boolean toldInUse = true;
  private long pause = -1;

  /**
   * @param owner the name of the client's principal
   * @param capabilities of the client, which the leased connections state as theirs
   * @param bound runs when the client has a connection that is nowhere else
   */
  SessionConnections(
      Vertx vertx,
      CallRegistry host,
      CallRegistry.Caller holder,
      String owner,
      JsonObject capabilities,
      Listener listener,
      Runnable bound) {
    this.vertx = vertx;
    this.host = host;
    this.holder = holder;
    this.owner = owner;
    this.capabilities = capabilities;
    this.listener = listener;
    this.bound = bound;
  }

  /** The connection that answers this client for {@code server}. */
  Future<ConnectionId> of(ConnectionId server, @Nullable DirectoryEntry facts) {
    if (facts != null && facts.modern()) {
      return Future.succeededFuture(server);
    }
    Future<ConnectionId> present = byServer.get(server);
    if (present != null) {
      return present;
    }
    Future<ConnectionId> leased = lease(server);
    byServer.put(server, leased);
    leased.onFailure(refused -> byServer.remove(server, leased));
    return leased;
  }

  private Future<ConnectionId> lease(ConnectionId server) {
    JsonObject wish =
        new JsonObject()
            .put("id", server.value())
            .put("capabilities", capabilities)
            .put("input", host.inputs())
            .put("events", host.leased())
            .put("owner", owner)
            .put("ttl", TTL_MILLIS);
    return vertx
        .eventBus()
        .<JsonObject>request(Addresses.SERVERS_LEASE, wish, LOCAL)
        .map(Message::body)
        .compose(
            answer -> {
              String lease = answer.getString("lease");
              return Future.succeededFuture(
                  lease == null ? server : begun(server, new ConnectionId(lease)));
            },
            failure ->
                McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                    ? Future.succeededFuture(server) // its own address says what is the matter
                    : Future.failedFuture(failure));
  }

  private ConnectionId begun(ConnectionId server, ConnectionId lease) {
    if (closed) {
      release(lease);
      return lease;
    }
    bound.run();
    servers.put(lease.value(), server);
    toldInUse = true; // so it begins
    use(inUse);
    host.addLease(lease.value(), holder);
    listener.begun(server, lease);
    if (level != null) {
      level(lease, level);
    }
    if (renewal < 0) {
      renewal = vertx.setPeriodic(TTL_MILLIS / 3, now -> renew());
    }
    return lease;
  }

  /**
   * Whether the client waits for an answer or listens: what is idle may have to make room for
   * others.
   */
  void use(boolean now) {
    inUse = now;
    if (servers.isEmpty() || inUse == toldInUse) {
      return;
    }
    if (inUse) {
      toldInUse = true;
      renew();
    } else if (pause < 0) {
      pause = vertx.setTimer(FairLimits.PAUSE_MILLIS, quiet -> paused());
    }
  }

  private void paused() {
    pause = -1;
    if (!inUse && toldInUse && !closed) {
      toldInUse = false;
      renew();
    }
  }

  private void renew() {
    for (String lease : List.copyOf(servers.keySet())) {
      vertx
          .eventBus()
          .request(
              Addresses.SERVERS_LEASE,
              new JsonObject().put("lease", lease).put("ttl", TTL_MILLIS).put("inUse", toldInUse),
              LOCAL)
          .onFailure(
              failure -> {
                if (McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION) {
                  lost(lease);
                }
              });
    }
  }

  /** It is gone; the next call makes a new one. */
  void lost(String lease) {
    ConnectionId server = servers.remove(lease);
    if (server != null) {
      listener.gone(server);
      byServer.remove(server);
      host.removeLease(lease);
      release(new ConnectionId(lease));
    }
  }

  /** The server that a lease of this client is for; null where it is none. */
  @Nullable ConnectionId serverOf(String lease) {
    return servers.get(lease);
  }

  /** The client's roots are others now: its servers may want to ask again. */
  void rootsChanged() {
    servers
        .keySet()
        .forEach(
            lease ->
                vertx
                    .eventBus()
                    .request(
                        Addresses.of(new ConnectionId(lease), Addresses.ROOTS_CHANGED),
                        RawJson.EMPTY_OBJECT.toBuffer()));
  }

  /** What the client wants to hear of its own connections. */
  void level(String wanted) {
    level = wanted;
    servers.keySet().forEach(lease -> level(new ConnectionId(lease), wanted));
  }

  private void level(ConnectionId lease, String wanted) {
    Buffer params = RawJson.EMPTY_OBJECT.with("level", RawJson.string(wanted)).toBuffer();
    vertx.eventBus().request(Addresses.of(lease, Addresses.LOGLEVEL), params);
  }

  private Future<Void> release(ConnectionId lease) {
    return vertx
        .eventBus()
        .request(Addresses.SERVERS_RELEASE, new JsonObject().put("lease", lease.value()), LOCAL)
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /** Ends all of them. */
  Future<Void> close() {
    closed = true;
    vertx.cancelTimer(pause);
    if (renewal >= 0) {
      vertx.cancelTimer(renewal);
    }
    List<Future<Void>> ending = new ArrayList<>();
    for (String lease : servers.keySet()) {
      host.removeLease(lease);
      ending.add(release(new ConnectionId(lease)));
    }
    servers.clear();
    byServer.clear();
    return Future.join(ending).mapEmpty();
  }
}
