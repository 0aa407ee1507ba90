package dev.mcpbus.hosting;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * Private connections that other nodes run for clients of this node. The bodies are those of {@code
 * mcp.servers.lease} and {@code mcp.servers.release}. Confined to the context of {@link
 * ServersVerticle}.
 */
public interface PrivateConnectionPeers {

  /**
   * Starts a private connection on {@code node}. Fails with {@code UNAVAILABLE} where that node
   * does not reply.
   */
  Future<JsonObject> lease(String node, JsonObject body);

  /** Whether another node runs the private connection that {@code body} names. */
  boolean has(JsonObject body);

  /** Renews a private connection. Fails with {@code UNKNOWN_CONNECTION} where it has ended. */
  Future<JsonObject> renew(JsonObject body);

  /** Ends a private connection. */
  Future<JsonObject> release(JsonObject body);
}
