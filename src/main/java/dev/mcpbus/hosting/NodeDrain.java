package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.bus.RequestSender;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;

/**
 * Drains a node of the cluster: {@code mcp.servers.nodes.drain}. Any node takes the request and
 * passes it to the node that it names, which hands over its connections and is not ready from then
 * on, until its process is started anew. Used on the context of {@link ServersVerticle}.
 *
 * @param readiness of this node
 */
record NodeDrain(Vertx vertx, ServerHosting hosting, Readiness readiness) {

  private static final long MILLIS = 5_000;

  /**
   * Drains the node that the body names.
   *
   * @param body {@code {node}}, its name or its id
   * @return {@code {node, leaving, connections}}, before the connections have moved
   */
  Future<JsonObject> drain(JsonObject body) {
    if (!(body.getValue("node") instanceof String name)) {
      throw McpFailure.badRequest(
          "the body must be {\"node\": string}, a name or an id that mcp.servers.nodes lists");
    }
    String node = hosting.nodeNamed(name);
    return node.equals(hosting.node())
        ? here()
        : vertx
            .eventBus()
            .<JsonObject>request(
                Addresses.at(Addresses.SERVERS_NODES_DRAIN, node),
                new JsonObject(),
                new DeliveryOptions().setSendTimeout(MILLIS))
            .map(Message::body)
            .recover(failure -> Future.failedFuture(named(name, failure)));
  }

  private static McpFailure named(String name, Throwable failure) {
    return RequestSender.hadNoReceiver(failure)
        ? McpFailure.notSent(
            FailureCode.UNAVAILABLE,
            "node '"
                + name
                + "' takes no such request: it is starting or ending, or has an older version of"
                + " mcpbus; stop its process instead")
        : McpFailure.of(failure);
  }

  /** Drains this node. */
  Future<JsonObject> here() {
    return hosting.drain().onSuccess(drained -> readiness.leave());
  }
}
