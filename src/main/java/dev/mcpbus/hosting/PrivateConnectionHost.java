package dev.mcpbus.hosting;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * Private connections that other nodes run for clients of this one. Messages and answers are those
 * of {@code mcp.servers.lease} and {@code mcp.servers.release}. Used on the context of {@link
 * ServersVerticle}.
 */
public interface PrivateConnectionHost {

  /** Begins one on {@code node}; fails with {@code UNAVAILABLE} where that node is not found. */
  Future<JsonObject> lease(String node, JsonObject body);

  /** Whether another node runs the one that {@code body} names. */
  boolean has(JsonObject body);

  /** Keeps it; fails with {@code UNKNOWN_CONNECTION} where it has ended. */
  Future<JsonObject> renew(JsonObject body);

  /** Ends it. */
  Future<JsonObject> release(JsonObject body);
}
