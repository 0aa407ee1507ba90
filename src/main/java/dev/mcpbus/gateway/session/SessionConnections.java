package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The private connections of one client: one for each server that is neither stateless nor declared
 * shareable. The first call that needs the connection opens it. Confined to the session's host.
 */
final class SessionConnections {

  private final HostParts host;
  private final GatewaySession session;
  private final PrivateConnections connections;
  private final JsonObject capabilities;
  private final SessionLists lists;
  private final Map<ConnectionId, Future<ConnectionId>> byServer = new HashMap<>();
  private final Map<String, ConnectionId> servers = new HashMap<>();
  private @Nullable String level;
  private long renewal = -1;
  private boolean closed;
  private boolean inUse = true;
  private boolean announcedInUse = true;
  private long pause = -1;

  /**
   * @param capabilities of the client, which the private connections state as theirs
   */
  SessionConnections(
      HostParts host, GatewaySession session, JsonObject capabilities, SessionLists lists) {
    this.host = host;
    this.session = session;
    this.connections = new PrivateConnections(host.vertx(), host.registry());
    this.capabilities = capabilities;
    this.lists = lists;
  }

  /** The connection that answers this client for {@code server}. */
  Future<ConnectionId> of(ConnectionId server, @Nullable DirectoryEntry facts) {
    if (facts != null && facts.isDiscover()) {
      return Future.succeededFuture(server);
    }
    Future<ConnectionId> present = byServer.get(server);
    if (present != null) {
      return present;
    }
    Future<ConnectionId> opened = open(server);
    byServer.put(server, opened);
    opened.onFailure(refused -> byServer.remove(server, opened));
    return opened;
  }

  private Future<ConnectionId> open(ConnectionId server) {
    return connections
        .open(server.value(), capabilities, session.owner())
        .compose(
            own -> Future.succeededFuture(own.shared() ? server : begun(server, own.id())),
            failure ->
                McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                    ? Future.succeededFuture(server) // its own address reports the reason
                    : Future.failedFuture(failure));
  }

  private ConnectionId begun(ConnectionId server, ConnectionId own) {
    if (closed) {
      connections.release(own);
      return own;
    }
    host.store().end(session.id); // no other node can take this session over any more
    servers.put(own.value(), server);
    announcedInUse = true; // a new connection is in use
    use(inUse);
    host.registry().addConnection(own.value(), session.inbox);
    lists.begun(server, own);
    if (level != null) {
      connections.level(own, level);
    }
    if (renewal < 0) {
      renewal = host.vertx().setPeriodic(PrivateConnections.RENEWAL_MILLIS, now -> renew());
    }
    return own;
  }

  /**
   * Whether the client waits for an answer or listens. The connections of an idle client can make
   * room for others; they become idle a moment later, so that a pause between two calls does not
   * count.
   */
  void use(boolean now) {
    inUse = now;
    if (servers.isEmpty() || inUse == announcedInUse) {
      return;
    }
    if (inUse) {
      announcedInUse = true;
      renew();
    } else if (pause < 0) {
      pause = host.vertx().setTimer(FairLimits.PAUSE_MILLIS, quiet -> paused());
    }
  }

  private void paused() {
    pause = -1;
    if (!inUse && announcedInUse && !closed) {
      announcedInUse = false;
      renew();
    }
  }

  private void renew() {
    for (String id : List.copyOf(servers.keySet())) {
      connections
          .renew(new ConnectionId(id), announcedInUse)
          .onFailure(
              failure -> {
                if (McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION) {
                  lost(id);
                }
              });
    }
  }

  /** A connection has ended; the next call opens a new one. */
  void lost(String connection) {
    ConnectionId server = servers.remove(connection);
    if (server != null) {
      lists.gone(server);
      byServer.remove(server);
      host.registry().removeConnection(connection);
      connections.release(new ConnectionId(connection));
    }
  }

  /** The server of a private connection of this client; null for any other connection. */
  @Nullable ConnectionId serverOf(String connection) {
    return servers.get(connection);
  }

  /** The client's roots have changed: tells its servers, which may ask for them again. */
  void rootsChanged() {
    servers
        .keySet()
        .forEach(
            connection ->
                host.vertx()
                    .eventBus()
                    .request(
                        Addresses.of(new ConnectionId(connection), Addresses.ROOTS_CHANGED),
                        RawJson.EMPTY_OBJECT.toBuffer()));
  }

  /** Sets the log level of the present and the later connections. */
  void level(String wanted) {
    level = wanted;
    servers.keySet().forEach(id -> connections.level(new ConnectionId(id), wanted));
  }

  /** Ends all connections. */
  Future<Void> close() {
    closed = true;
    host.vertx().cancelTimer(pause);
    if (renewal >= 0) {
      host.vertx().cancelTimer(renewal);
    }
    List<Future<Void>> ending = new ArrayList<>();
    for (String connection : servers.keySet()) {
      host.registry().removeConnection(connection);
      ending.add(connections.release(new ConnectionId(connection)));
    }
    servers.clear();
    byServer.clear();
    return Future.join(ending).mapEmpty();
  }
}
