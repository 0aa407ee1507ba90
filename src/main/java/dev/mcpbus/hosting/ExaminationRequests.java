package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.PeerRequests;
import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;

/**
 * Serves {@code mcp.servers.examine}: passes a request to the node that owns the connection. Used
 * on the context of the {@link ServersVerticle}.
 */
record ExaminationRequests(
    Vertx vertx, ServerHosting hosting, ServerStatuses statuses, ServerExaminations examinations) {

  /** Examines a server on the node that owns its connection; here if that node does not answer. */
  Future<JsonObject> examine(ConnectionId id) {
    String own = hosting.node();
    if (own == null) {
      return examineHere(id);
    }
    return statuses
        .of(id)
        .compose(
            status -> {
              String owner = nodeId(status.getString("node", ""), own);
              return owner.equals(own)
                  ? examineHere(id)
                  : new PeerRequests(vertx, Addresses.SERVERS_EXAMINE)
                      .ask(
                          owner,
                          new JsonObject().put("id", id.value()),
                          ServerExaminations.MOST.plusSeconds(3))
                      .recover(
                          failure ->
                              McpFailure.of(failure).code() == FailureCode.UNAVAILABLE
                                  ? examineHere(id)
                                  : Future.failedFuture(failure));
            });
  }

  /** The id of a node that a status names by its name or its id. */
  private String nodeId(String shown, String otherwise) {
    return hosting.nodes().stream()
        .filter(node -> shown.equals(node.getString("name")) || shown.equals(node.getString("id")))
        .map(node -> node.getString("id", otherwise))
        .findFirst()
        .orElse(otherwise);
  }

  /** Examines a server on this node. */
  Future<JsonObject> examineHere(ConnectionId id) {
    ServerDefinition definition = hosting.servers().get(id);
    if (definition == null) {
      throw McpFailure.notSent(
          FailureCode.UNAVAILABLE,
          "this node cannot read the server '" + id + "': ask a node that owns it");
    }
    return examinations.examine(definition);
  }
}
