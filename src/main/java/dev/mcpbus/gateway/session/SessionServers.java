package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.gateway.request.TaskForms;
import dev.mcpbus.gateway.session.PrivateConnections.ClientStatement;
import dev.mcpbus.gateway.session.PrivateConnections.Opened;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * The servers as one session sees them. A server of the {@code initialize} era gets a connection of
 * the session's own, whose lists lie over the common ones. A server of the {@code discover} era
 * gets with each request what the client has stated once. Confined to the session's host.
 */
final class SessionServers {

  private final HostParts host;
  private final Directory directory;
  private final GatewaySession session;
  private final RawJson capabilities;
  private final RawJson withTasks;
  private final RawJson clientInfo;
  private final ClientStatement statement;
  final ClientLists lists;
  final ClientConnections connections;

  /**
   * @param stated the client's capabilities
   * @param initialize the params of {@code initialize}
   */
  SessionServers(HostParts host, GatewaySession session, JsonObject stated, JsonObject initialize) {
    this.host = host;
    this.directory = host.directory();
    this.session = session;
    this.capabilities = RawJson.of(stated);
    this.withTasks = TaskForms.offering(capabilities);
    this.clientInfo =
        RawJson.of(
            initialize.getValue("clientInfo") instanceof JsonObject object
                ? object
                : new Implementation("unknown", "").toJson());
    this.lists =
        new ClientLists(host.vertx(), host.directory(), session.changes::seen, session::changed);
    this.statement =
        new ClientStatement(
            stated,
            initialize.getValue("clientInfo") instanceof JsonObject info ? info : null,
            session.version());
    this.connections = new ClientConnections(host, session.inbox, lists);
  }

  /** The connection that answers this client for {@code server}. */
  Future<ConnectionId> connection(String server) {
    return of(new ConnectionId(server))
        .map(
            at -> {
              if (!at.shared()) {
                // The state of its calls ends with this node: no other can take the session over.
                host.store().end(session.id);
              }
              return at.id();
            });
  }

  /** The connection at which the client subscribes to resources of {@code server}. */
  Future<Opened> watching(ConnectionId server) {
    return of(server);
  }

  private Future<Opened> of(ConnectionId server) {
    DirectoryEntry facts = directory.snapshot().server(server.value());
    return facts != null && !facts.hasSessions()
        ? Future.succeededFuture(new Opened(server, true, 0))
        : connections.of(server, statement);
  }

  /** Completes when the client's own lists of that kind are known, where they may differ. */
  Future<Void> listed(ListKind kind) {
    return connections.listed(session.view(), kind, statement);
  }

  boolean isDiscover(String server) {
    DirectoryEntry facts = directory.snapshot().server(server);
    return facts != null && facts.isDiscover();
  }

  /** Each request to a server of the {@code discover} era states the client and its wishes. */
  RawJson adapted(String server, RawJson params) {
    DirectoryEntry facts = directory.snapshot().server(server);
    if (facts == null || !facts.isDiscover()) {
      return params;
    }
    RawJson meta = params.member("_meta");
    RawJson all =
        (meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta)
            .with(MetaKeys.CLIENT_CAPABILITIES, facts.tasks() ? withTasks : capabilities)
            .with(MetaKeys.CLIENT_INFO, clientInfo);
    String level = session.inbox.level();
    if (level != null) {
      all = all.with(MetaKeys.LOG_LEVEL, RawJson.string(level));
    }
    return params.with("_meta", all);
  }

  /** Whether the client may receive what comes over a connection. */
  boolean sees(String connection) {
    ConnectionId server = connections.serverOf(connection);
    return server == null || session.view().includes(server.value());
  }
}
