package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.function.Function;

/**
 * Begins, renews and ends private connections of clients: on this node, or on one that has the
 * labels of the server. Confined to the context of {@link ServersVerticle}.
 *
 * @param known the id that a body names; fails where there is no such server
 */
record LeaseOperations(
    ServerHosting hosting,
    PrivateConnectionRegistry privateConnections,
    Function<JsonObject, Future<ConnectionId>> known) {

  /** {@code mcp.servers.lease}: begins or renews a private connection, here or on another node. */
  Future<JsonObject> lease(JsonObject body) {
    PrivateConnectionPeers elsewhere = hosting.privateConnectionPeers();
    if (body.containsKey("lease")) {
      return elsewhere != null && elsewhere.has(body)
          ? elsewhere.renew(body)
          : privateConnections.renew(body);
    }
    return known
        .apply(body)
        .compose(
            id -> {
              ServerDefinition definition = hosting.servers().get(id);
              if (definition == null) {
                throw McpFailure.notSent(
                    FailureCode.UNAVAILABLE, "this node cannot read the server '" + id + "'");
              }
              if (elsewhere == null
                  || definition.connection().shared()
                  || definition.connection().isOfCallers()) {
                return privateConnections.lease(definition, body);
              }
              return hosting
                  .nodeForPrivateConnection(definition)
                  .compose(
                      node ->
                          node == null
                              ? privateConnections.lease(definition, body)
                              : elsewhere.lease(node, body));
            });
  }

  /** {@code mcp.servers.release}: ends a private connection. */
  Future<JsonObject> release(JsonObject body) {
    PrivateConnectionPeers elsewhere = hosting.privateConnectionPeers();
    return elsewhere != null && elsewhere.has(body)
        ? elsewhere.release(body)
        : privateConnections.release(body);
  }

  /** The same for a client of another node, which has found that this node has to run it. */
  Future<JsonObject> leaseHere(JsonObject body) {
    return body.containsKey("lease")
        ? privateConnections.renew(body)
        : known.apply(body).compose(id -> privateConnections.lease(defined(id), body));
  }

  private ServerDefinition defined(ConnectionId id) {
    ServerDefinition definition = hosting.servers().get(id);
    if (definition == null) {
      throw McpFailure.badRequest("no such server");
    }
    return definition;
  }
}
