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
 * Which servers there are, and where their connections run: all on this node, or each on the node
 * that owns it. The seam between {@link ServersVerticle} and a cluster; confined to the verticle's
 * context.
 */
public interface ServerHosting {

  /** Makes the hosting of a node, on the context of {@link ServersVerticle}. */
  @FunctionalInterface
  interface HostingFactory {
    ServerHosting create(Vertx vertx, ConnectionHost connections);
  }

  Future<Void> start();

  /** All servers whose definition this node can read, in the order in which it first read them. */
  Map<ConnectionId, ServerDefinition> servers();

  /** The ids of all servers, also of those that only other nodes can read. */
  Set<ConnectionId> ids();

  /** Succeeds when {@link #ids} includes the server if any node has added it. */
  Future<Void> refresh(ConnectionId id);

  /**
   * Adds a server.
   *
   * @param file true where a file names the server; other nodes may have read the same file before
   * @return true where the server was added, after its addresses are registered; false where a
   *     server with this id exists
   */
  Future<Boolean> add(ServerDefinition definition, boolean file);

  /** Replaces the definition of a server, and its connection. */
  Future<Void> replace(ServerDefinition definition);

  /**
   * Ends the connection of a server and removes the server.
   *
   * @param file true where this node's file does not name the server any more
   */
  Future<Void> remove(ConnectionId id, boolean file);

  /** Adds to a server's status what its connection does not have: owner and problems. */
  JsonObject describe(ConnectionId id, JsonObject status);

  /**
   * The node on which a private connection to the server has to run; null for this node. Fails with
   * {@code UNAVAILABLE} where no node has the labels that the server wants.
   */
  Future<@Nullable String> nodeForPrivateConnection(ServerDefinition definition);

  /** Private connections that other nodes run; null without a cluster. */
  @Nullable PrivateConnectionPeers privateConnectionPeers();

  /** The id of this node in the cluster; null without a cluster. */
  @Nullable String node();

  /**
   * Every node that this one sees, itself included, sorted by name; members as in {@code
   * mcp.servers.nodes}.
   */
  List<JsonObject> nodes();

  /** Sentences why this node is not ready for requests; empty where it is. */
  List<String> problems();

  /** Ends the connections of this node after their calls in flight. */
  Future<Void> close();
}
