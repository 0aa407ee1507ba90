package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.gateway.request.TaskForms;
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

  private final Directory directory;
  private final GatewaySession session;
  private final RawJson capabilities;
  private final RawJson withTasks;
  private final RawJson clientInfo;
  final SessionLists lists;
  final SessionConnections connections;

  /**
   * @param stated the client's capabilities
   * @param initialize the params of {@code initialize}
   */
  SessionServers(HostParts host, GatewaySession session, JsonObject stated, JsonObject initialize) {
    this.directory = host.directory();
    this.session = session;
    this.capabilities = RawJson.of(stated);
    this.withTasks = TaskForms.offering(capabilities);
    this.clientInfo =
        RawJson.of(
            initialize.getValue("clientInfo") instanceof JsonObject object
                ? object
                : new Implementation("unknown", "").toJson());
    this.lists = new SessionLists(host.vertx(), session.changes::seen, session::changed);
    this.connections = new SessionConnections(host, session, stated, lists);
  }

  /** The connection that answers this client for {@code server}. */
  Future<ConnectionId> connection(String server) {
    return connections.of(new ConnectionId(server), directory.snapshot().server(server));
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

  /** An event of a private connection. */
  void changed(String connection, String type) {
    ConnectionId server = connections.serverOf(connection);
    if (server == null) {
      return;
    }
    switch (type) {
      case Events.GAVE_UP -> connections.lost(connection);
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
}
