package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which servers there are and where their connections live: on this node, or on one node of a
 * cluster each. Used on the context of {@code ServersVerticle} only.
 */
public interface ServerHosting {

  /** Makes the hosting of a node, on the context of {@link ServersVerticle}. */
  @FunctionalInterface
  interface Factory {
    ServerHosting create(Vertx vertx, ConnectionHost connections);
  }

  Future<Void> start();

  /** All servers that this node can read, in the order in which they were heard of. */
  Map<ConnectionId, ServerDefinition> servers();

  /** All servers, also those that only other nodes can read. */
  Set<ConnectionId> ids();

  /** Succeeds when {@link #ids} knows whether any node has answered for this one. */
  Future<Void> refresh(ConnectionId id);

  /**
   * Adds a server.
   *
   * @param file true where a file says it, which other nodes may have read before
   * @return true where it was added, when its addresses answer; false where there is one of that
   *     name already
   */
  Future<Boolean> add(ServerDefinition definition, boolean file);

  /** Puts another definition in the place of one. */
  Future<Void> replace(ServerDefinition definition);

  /**
   * Ends its connection and forgets it.
   *
   * @param file true where the file of this node does not name it any more
   */
  Future<Void> remove(ConnectionId id, boolean file);

  /** Adds to the status of a server what its connection cannot say: who owns it. */
  JsonObject describe(ConnectionId id, JsonObject status);

  /**
   * The node that can run a connection of a client's own: null for this one.
   *
   * @throws dev.mcpbus.bus.McpFailure where no node has what the server wants
   */
  @Nullable String placeOfLease(ServerDefinition definition);

  /** Private connections that other nodes run; null where there are no other nodes. */
  @Nullable PrivateConnectionHost elsewhere();

  /** This node in the cluster; null where it is alone. */
  @Nullable String node();

  /** Every node that this one sees, itself included, by name; see {@code ServersVerticle}. */
  List<JsonObject> nodes();

  /** Why this node should get no work, sentences; empty where all is well. */
  List<String> problems();

  /** Ends what this node serves, calls in flight first. */
  Future<Void> close();
}
