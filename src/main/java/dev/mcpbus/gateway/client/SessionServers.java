package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.gateway.client.ClientConnections.ClientStatement;
import dev.mcpbus.gateway.client.ClientConnections.Opened;
import dev.mcpbus.gateway.dialect.TaskForms;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.PublishedSession.StatedOnce;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;

/**
 * The servers as one session sees them. A server of the {@code initialize} era gets a connection of
 * the session's own, whose lists lie over the common ones. A server of the {@code discover} era
 * gets with each request what the client has stated once. Confined to the session's host.
 */
final class SessionServers {

  private final HostParts host;
  private final Directory directory;
  private final GatewaySession session;
  private final StatedOnce stated;
  private ClientStatement statement;
  final ClientConnections connections;

  /**
   * @param initialize the params of {@code initialize}
   */
  SessionServers(HostParts host, GatewaySession session, RawJson initialize) {
    this.host = host;
    this.directory = host.directory();
    this.session = session;
    RawJson can = initialize.member("capabilities");
    RawJson name = initialize.member("clientInfo");
    RawJson capabilities = can == null || !can.isObject() ? RawJson.EMPTY_OBJECT : can;
    this.stated =
        new StatedOnce(
            capabilities,
            TaskForms.offering(capabilities),
            name == null || !name.isObject()
                ? RawJson.of(new Implementation("unknown", "").toJson())
                : name);
    this.statement =
        ClientStatement.of(
            ProgressToken.removedFrom(initialize)
                .with("protocolVersion", RawJson.string(session.version())),
            null);
    this.connections =
        new ClientConnections(host, session.inbox, session.changes::seen, session::changed);
  }

  /**
   * The client has received the answer to {@code initialize}: so do its later connections.
   *
   * @param params of {@code notifications/initialized}
   */
  void initialized(RawJson params) {
    statement =
        new ClientStatement(
            statement.initialize(), params.isAbsent() ? null : params, statement.capabilities());
  }

  /** Whether the client has stated that it answers a question. */
  boolean offers(String method, RawJson params) {
    return OpenQuestions.isOffered(statement.capabilities(), method, params);
  }

  /** The connection that answers this client for {@code server}. */
  Future<ConnectionId> connection(String server) {
    return of(new ConnectionId(server))
        .map(
            at -> {
              if (!at.renewable()) {
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
        ? Future.succeededFuture(Opened.shared(server, 0))
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

  /**
   * Whether the older server of the client's view says itself what a request is worth, because it
   * lacks the capability, or because the request has not what MCP demands.
   */
  boolean decides(GatewayRequest request, String capability, boolean isWellFormed) {
    DirectoryEntry facts = directory.snapshot().server(request.view().name());
    return request.isAsIs()
        && facts != null
        && !facts.isDiscover()
        && !(isWellFormed && !facts.lacks(capability));
  }

  /** What the client states with each request to a server of the {@code discover} era. */
  StatedOnce stated() {
    return stated;
  }

  /** Each request to a server of the {@code discover} era states the client and its wishes. */
  RawJson adapted(String server, RawJson params) {
    DirectoryEntry facts = directory.snapshot().server(server);
    return facts == null || !facts.isDiscover()
        ? params
        : stated.into(params, facts.tasks(), session.inbox.level());
  }

  /** Whether the client may receive what comes over a connection. */
  boolean sees(String connection) {
    ConnectionId server = connections.serverOf(connection);
    return server == null || session.view().includes(server.value());
  }
}
