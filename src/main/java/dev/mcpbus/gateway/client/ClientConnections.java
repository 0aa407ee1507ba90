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
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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

  /**
   * What a private connection tells its server about the client.
   *
   * @param initialize the params of the client's {@code initialize}, as it wrote them; of a client
   *     of the {@code discover} era what it states with a request
   * @param initialized the params of its {@code notifications/initialized}; null for none
   * @param capabilities those of {@code initialize}
   */
  record ClientStatement(
      RawJson initialize, @Nullable RawJson initialized, JsonObject capabilities) {

    /** Capabilities by which servers decide what they list. */
    private static final List<String> DECIDING =
        List.of("elicitation", "sampling", "roots", "extensions", "experimental");

    /** What a client states in a message of its own, or with a request. */
    static ClientStatement of(RawJson initialize, @Nullable RawJson initialized) {
      RawJson stated = initialize.member("capabilities");
      return new ClientStatement(
          initialize,
          initialized,
          stated == null || !stated.isObject() ? new JsonObject() : stated.toJsonObject());
    }

    /** Adds it to a message of which older nodes know no texts. */
    private JsonObject into(JsonObject wish) {
      RawJson clientInfo = initialize.member("clientInfo");
      RawJson version = initialize.member("protocolVersion");
      return wish.put("capabilities", capabilities)
          .put(
              "clientInfo",
              clientInfo == null || !clientInfo.isObject() ? null : clientInfo.toJsonObject())
          .put(
              "protocolVersion", version == null || !version.isString() ? null : version.asString())
          .put("initialize", initialize.toString())
          .put("initialized", initialized == null ? null : initialized.toString());
    }

    boolean decidesLists() {
      return DECIDING.stream().anyMatch(capabilities::containsKey);
    }
  }

  /** The time between two renewals of a connection, milliseconds. */
  private static final long RENEWAL_MILLIS = 60_000;

  /** How long a connection lives without a renewal, milliseconds. */
  private static final long TTL_MILLIS = 3 * RENEWAL_MILLIS;

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /** How long a call waits for the log level that it wants. */
  private static final long LEVEL_PATIENCE_MILLIS = 2_000;

  private static final String UNSET = "";
  private static final long LIST_PATIENCE_NANOS = 2_000_000_000L;

  /** A client that watches a server gets a new connection so long after the loss of the last. */
  private static final long REOPEN_MILLIS = 1_000;

  private final HostParts host;
  private final Holder holder;
  final ClientLists lists;
  private final Map<ConnectionId, Future<Opened>> byServer = new HashMap<>();
  private final Map<String, ConnectionId> servers = new HashMap<>();

  /** What the last connection to each server has told it. */
  private final Map<ConnectionId, ClientStatement> statements = new HashMap<>();

  /** What each present connection was told last. */
  private final Map<String, String> told = new HashMap<>();

  private @Nullable String level;

  /** The client's own request for that level; null where another message has set it. */
  private @Nullable RawJson request;

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
    return lease(server.value(), statement, era(server))
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

  /** Of a server that is up; null if it is not known. */
  private @Nullable Era era(ConnectionId server) {
    DirectoryEntry facts = host.directory().snapshot().server(server.value());
    return facts == null || !facts.up() ? null : facts.isDiscover() ? Era.DISCOVER : Era.INITIALIZE;
  }

  private void begun(ConnectionId server, ConnectionId own, ClientStatement statement) {
    if (closed) {
      release(own);
      return;
    }
    servers.put(own.value(), server);
    statements.put(server, statement);
    announcedInUse = true; // a new connection is in use
    use(inUse);
    host.registry().addConnection(own.value(), holder);
    lists.begun(server, own);
    told.put(own.value(), UNSET);
    if (level != null) {
      setLevel(own, level, request); // a new connection gets the client's level
    }
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
      renew(new ConnectionId(id), announcedInUse)
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
      told.remove(connection);
      byServer.remove(server);
      holder.connectionsChanged();
      host.registry().removeConnection(connection);
      release(new ConnectionId(connection));
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
      for (DirectoryEntry server : host.directory().snapshot().servers()) {
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

  // ---- log level

  /** The level of all connections; null until the client has set one. */
  @Nullable String level() {
    return level;
  }

  /** Sets the level of the present and the later connections. */
  void wantLevel(String wanted) {
    level = wanted;
    request = null;
    setEachLevel(wanted, null);
  }

  /**
   * Sets the level of the present and the later connections of a client of one server. A level that
   * the server refuses changes nothing.
   *
   * @param params of the client's request
   * @return the server's result; an empty object if there is no connection, whose next session
   *     begins with this request
   */
  Future<RawJson> askLevel(String wanted, RawJson params) {
    RawJson asked = ProgressToken.removedFrom(params);
    List<String> present = List.copyOf(told.keySet());
    Future<RawJson> answer = Future.succeededFuture(RawJson.EMPTY_OBJECT);
    for (String own : present) {
      answer = level(new ConnectionId(own), asked);
    }
    return answer
        .recover(
            failure ->
                McpFailure.of(failure).code() == FailureCode.UPSTREAM_ERROR
                    ? Future.failedFuture(failure)
                    : Future.succeededFuture(RawJson.EMPTY_OBJECT))
        .onSuccess(
            accepted -> {
              level = wanted;
              request = asked;
              present.forEach(own -> told.computeIfPresent(own, (same, before) -> wanted));
              setEachLevel(wanted, asked); // others were opened meanwhile
            });
  }

  private void setEachLevel(String wanted, @Nullable RawJson params) {
    List.copyOf(told.keySet()).forEach(own -> setLevel(new ConnectionId(own), wanted, params));
  }

  /**
   * Sets the level of one connection, unless it has that level.
   *
   * @return completes when the server has answered, whatever it says, or does not for 2 s
   */
  Future<Void> setLevel(ConnectionId own, String wanted) {
    return setLevel(own, wanted, null);
  }

  private Future<Void> setLevel(ConnectionId own, String wanted, @Nullable RawJson params) {
    String before = told.replace(own.value(), wanted);
    if (before == null || before.equals(wanted)) {
      return Future.succeededFuture();
    }
    RawJson sent =
        params == null ? RawJson.EMPTY_OBJECT.with("level", RawJson.string(wanted)) : params;
    return level(own, sent)
        .<Void>mapEmpty()
        .timeout(LEVEL_PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
        .otherwiseEmpty();
  }

  /** Sets the log level of a connection; the server's result. */
  private Future<RawJson> level(ConnectionId connection, RawJson params) {
    return host.vertx()
        .eventBus()
        .<Buffer>request(Addresses.of(connection, Addresses.LOGLEVEL), params.toBuffer())
        .map(answer -> RawJson.of(answer.body()));
  }

  // ---- leases

  /**
   * Opens a private connection, unless all clients share the connection of this server.
   *
   * @param statement what the connection tells the server
   * @param era of the server; null if it is not known
   */
  private Future<Opened> lease(String server, ClientStatement statement, @Nullable Era era) {
    JsonObject wish =
        statement
            .into(new JsonObject())
            .put("id", server)
            .put("input", host.registry().inputs())
            .put("events", host.registry().privateEvents())
            .put("owner", holder.owner())
            .put("era", era == null ? null : era.name())
            .put("ttl", TTL_MILLIS);
    return host.vertx()
        .eventBus()
        .<JsonObject>request(Addresses.SERVERS_LEASE, wish, LOCAL)
        .map(
            answer -> {
              String id = answer.body().getString("lease");
              long longest = answer.body().getLong("maxCallMillis", 0L);
              return id == null
                  ? Opened.shared(new ConnectionId(server), longest)
                  : new Opened(
                      new ConnectionId(id),
                      false,
                      answer.body().getBoolean("renewable", false),
                      longest);
            });
  }

  /**
   * Renews a connection.
   *
   * @param inUse whether its client uses it; an idle one can make room for other clients
   * @return fails with {@code UNKNOWN_CONNECTION} if it does not exist any more
   */
  private Future<?> renew(ConnectionId connection, boolean inUse) {
    return host.vertx()
        .eventBus()
        .request(
            Addresses.SERVERS_LEASE,
            new JsonObject()
                .put("lease", connection.value())
                .put("ttl", TTL_MILLIS)
                .put("inUse", inUse),
            LOCAL);
  }

  /** Ends a connection; never fails. */
  private Future<Void> release(ConnectionId connection) {
    return host.vertx()
        .eventBus()
        .request(
            Addresses.SERVERS_RELEASE, new JsonObject().put("lease", connection.value()), LOCAL)
        .<Void>mapEmpty()
        .otherwiseEmpty();
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
      ending.add(release(new ConnectionId(connection)));
    }
    servers.clear();
    byServer.clear();
    return Future.join(ending).mapEmpty();
  }
}
