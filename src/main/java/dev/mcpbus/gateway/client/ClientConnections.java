package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ServerResource;
import dev.mcpbus.gateway.request.WatchedResources.SubscriptionSender;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The private connections of one client of either era, and their lists: one connection for each
 * server that has sessions ({@link DirectoryEntry#hasSessions}). The first request that needs the
 * connection opens it; all requests of the client share it. Confined to the host's context.
 */
final class ClientConnections {

  /** The client that the connections belong to. */
  interface Holder extends CallRegistry.Caller {

    /** The name of its principal. */
    String owner();

    /** A new connection to that server serves the client. */
    void begun(ConnectionId server);

    /** It has a first connection, also one that is being opened, or it has none any more. */
    default void connectionsChanged() {}

    /** Whether the client waits for what the server sends by itself. */
    boolean watches(ConnectionId server);
  }

  /**
   * The connection that answers a client.
   *
   * @param shared whether it is the connection of the server, which all clients share
   * @param renewable whether a new connection may take its place where its node is lost
   * @param maxCallMillis the longest time that a call over it may take
   */
  record Opened(ConnectionId id, boolean shared, boolean renewable, long maxCallMillis) {

    /** The connection that all clients share. */
    static Opened shared(ConnectionId id, long maxCallMillis) {
      return new Opened(id, true, true, maxCallMillis);
    }
  }

  /** The time between two renewals of a connection, milliseconds. */
  private static final long RENEWAL_MILLIS = 60_000;

  private static final long LIST_PATIENCE_NANOS = 2_000_000_000L;

  /** A client that watches a server gets a new connection so long after the loss of the last. */
  private static final long REOPEN_MILLIS = 1_000;

  private final HostParts host;
  private final Holder holder;
  private final PrivateLeases leases;
  final ClientLists lists;
  final ClientLogLevel logLevel;
  private final Map<ConnectionId, Future<Opened>> byServer = new HashMap<>();
  private final Map<String, ConnectionId> servers = new HashMap<>();

  /** What the last connection to each server has told it. */
  private final Map<ConnectionId, ClientStatement> statements = new HashMap<>();

  private long renewal = -1;
  private boolean closed;
  private boolean inUse = true;
  private boolean announcedInUse = true;
  private long pause = -1;

  /**
   * @param listed the kinds of lists that the client has read
   * @param changed runs when a list may have changed
   */
  ClientConnections(
      HostParts host, Holder holder, Supplier<Set<ListKind>> listed, Runnable changed) {
    this.host = host;
    this.holder = holder;
    this.leases = new PrivateLeases(host, holder.owner(), 3 * RENEWAL_MILLIS);
    this.logLevel = new ClientLogLevel(host.vertx().eventBus());
    this.lists = new ClientLists(host.vertx(), host.directory(), listed, changed);
  }

  /**
   * The connection that answers this client for a server; the shared one if all clients share it.
   *
   * @param statement what a new connection tells the server about the client
   */
  Future<Opened> of(ConnectionId server, ClientStatement statement) {
    Future<Opened> present = byServer.get(server);
    if (present != null) {
      return present;
    }
    Future<Opened> opened = open(server, statement);
    byServer.put(server, opened);
    holder.connectionsChanged();
    opened.onComplete(
        own -> {
          if (own.shared()) {
            byServer.remove(server, opened); // it may have sessions when it is there again
            holder.connectionsChanged();
          }
        },
        refused -> {
          byServer.remove(server, opened);
          holder.connectionsChanged();
        });
    return opened;
  }

  private Future<Opened> open(ConnectionId server, ClientStatement statement) {
    host.registry().opening();
    return leases
        .open(server, statement)
        .compose(
            own -> {
              if (!own.shared()) {
                begun(server, own.id(), statement);
              }
              return Future.succeededFuture(own);
            },
            failure ->
                McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                    // Its own address reports the reason.
                    ? Future.succeededFuture(Opened.shared(server, Long.MAX_VALUE))
                    : Future.<Opened>failedFuture(failure))
        // In the next turn: then the call is under way to which it may belong.
        .onComplete(ended -> host.vertx().runOnContext(next -> host.registry().opened()));
  }

  private void begun(ConnectionId server, ConnectionId own, ClientStatement statement) {
    if (closed) {
      leases.release(own);
      return;
    }
    servers.put(own.value(), server);
    statements.put(server, statement);
    announcedInUse = true; // a new connection is in use
    use(inUse);
    host.registry().addConnection(own.value(), holder);
    lists.begun(server, own);
    logLevel.begun(own);
    if (renewal < 0) {
      renewal = host.vertx().setPeriodic(RENEWAL_MILLIS, now -> renew());
    }
    holder.begun(server);
  }

  /** Whether there is no connection, nor one that is being opened. */
  boolean isEmpty() {
    return byServer.isEmpty();
  }

  /** Whether the client has a private connection to that server. */
  boolean has(ConnectionId server) {
    return servers.containsValue(server);
  }

  /** The server of a private connection of this client; null for any other connection. */
  @Nullable ConnectionId serverOf(String connection) {
    return servers.get(connection);
  }

  /** Whether a server has been told over that connection that the client answers a question. */
  boolean states(String connection, String method, RawJson params) {
    ConnectionId server = servers.get(connection);
    ClientStatement statement = server == null ? null : statements.get(server);
    return statement != null && OpenQuestions.isOffered(statement.capabilities(), method, params);
  }

  // ---- whether the client uses them

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
      leases
          .renew(new ConnectionId(id), announcedInUse)
          .onFailure(
              failure -> {
                if (McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION) {
                  lost(id);
                }
              });
    }
  }

  // ---- what comes from them

  /** An event about the connection itself, or about its lists. */
  void changed(String connection, String type) {
    ConnectionId server = servers.get(connection);
    if (server == null) {
      return;
    }
    switch (type) {
      case Events.GAVE_UP -> lost(connection);
      case Events.CONNECTED -> lists.connected(server);
      default -> {
        for (ListKind kind : ListKind.values()) {
          if (kind.event.equals(type)) {
            lists.changed(server, kind);
          }
        }
      }
    }
  }

  /** A connection has ended; the next request opens a new one, or the subscriptions do. */
  void lost(String connection) {
    ConnectionId server = end(connection);
    if (server != null && holder.watches(server)) {
      host.vertx().setTimer(REOPEN_MILLIS, now -> reopen(server));
    }
  }

  private void reopen(ConnectionId server) {
    ClientStatement statement = statements.get(server);
    if (!closed && statement != null && holder.watches(server)) {
      of(server, statement);
    }
  }

  /** Ends a connection; returns its server, null if it is none of this client. */
  @Nullable ConnectionId end(String connection) {
    ConnectionId server = servers.remove(connection);
    if (server != null) {
      lists.gone(server);
      logLevel.ended(connection);
      byServer.remove(server);
      holder.connectionsChanged();
      host.registry().removeConnection(connection);
      leases.release(new ConnectionId(connection));
    }
    return server;
  }

  // ---- lists

  /**
   * Completes when the client's own lists of that kind are known: of its connections, and of those
   * that this opens. These are the server of a view of one server, and servers that have listed
   * differently for a client before, if the client states capabilities by which a server may decide
   * what it shows. Never fails: a connection that cannot be opened leaves the shared list.
   */
  Future<Void> listed(DirectoryView view, ListKind kind, ClientStatement statement) {
    List<Future<Opened>> opening = new ArrayList<>();
    if (statement.decidesLists()) {
      for (DirectoryEntry server : host.directory().snapshot(view).servers()) {
        String id = server.id().value();
        if (view.includes(id)
            && server.up()
            && server.hasSessions()
            && (view.server() || host.directory().listsDiffer(id, kind))) {
          opening.add(of(server.id(), statement));
        }
      }
    }
    return Future.join(opening)
        .transform(opened -> lists.ready(kind, LIST_PATIENCE_NANOS, view.server()));
  }

  // ---- what the client has set

  /**
   * The client's roots have changed: tells its servers, which may ask for them again.
   *
   * @param params of the client's notification
   */
  void rootsChanged(RawJson params) {
    servers
        .keySet()
        .forEach(
            connection ->
                host.vertx()
                    .eventBus()
                    .request(
                        Addresses.of(new ConnectionId(connection), Addresses.ROOTS_CHANGED),
                        params.isAbsent() ? null : params.toBuffer()));
  }

  /** Tells a connection how far its client is with a question of its server. */
  void progressed(String connection, RawJson params) {
    tell(connection, Methods.PROGRESS, params);
  }

  /** A task that the client has made of a question has changed: tells its servers. */
  void taskChanged(RawJson params) {
    servers.keySet().forEach(connection -> tell(connection, Methods.TASKS_STATUS, params));
  }

  private void tell(String connection, String method, RawJson params) {
    RawJson message =
        RawJson.EMPTY_OBJECT.with("params", params).with("method", RawJson.string(method));
    host.vertx()
        .eventBus()
        .request(Addresses.of(new ConnectionId(connection), Addresses.NOTIFY), message.toBuffer());
  }

  /**
   * Sends subscriptions over the client's own connection, because its calls change what that
   * session sees; the connection renews them after a restart.
   *
   * @param name of the subscriber, among those of the client
   * @param own the connection that answers the client for a server
   * @param shared for a server without sessions, and for ends at one whose session has ended
   */
  SubscriptionSender sender(
      String name, Function<String, Future<Opened>> own, SubscriptionSender shared) {
    return (resource, wanted, params) ->
        !wanted && !has(new ConnectionId(resource.server()))
            ? shared.tell(resource, false, params)
            : own.apply(resource.server())
                .compose(
                    at ->
                        at.shared()
                            ? shared.tell(resource, wanted, params)
                            : subscription(at.id(), resource, name, wanted, params));
  }

  /**
   * @param params of the client's request, which the server gets with its own URI and without a
   *     progress token; empty where the client did not ask
   */
  private Future<RawJson> subscription(
      ConnectionId connection,
      ServerResource resource,
      String name,
      boolean wanted,
      RawJson params) {
    String suffix = wanted ? Addresses.RESOURCES_SUBSCRIBE : Addresses.RESOURCES_UNSUBSCRIBE;
    RawJson stated = params.member("uri");
    boolean same = stated != null && stated.isString() && stated.asString().equals(resource.uri());
    RawJson own = same ? params : params.with("uri", RawJson.string(resource.uri()));
    return host.sender()
        .<Buffer>request(
            connection,
            Addresses.of(connection, suffix),
            ProgressToken.removedFrom(own).toBuffer(),
            new DeliveryOptions().addHeader(Headers.HOLDER, name))
        .map(reply -> RawJson.of(reply.body()));
  }

  // ---- the end

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
      ending.add(leases.release(new ConnectionId(connection)));
    }
    servers.clear();
    byServer.clear();
    return Future.join(ending).mapEmpty();
  }
}
