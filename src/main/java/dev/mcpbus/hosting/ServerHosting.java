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

  /** Why a server is added. */
  enum Addition {
    /**
     * A file names it at the start. Other nodes may have read the same file before, and a caller
     * may have removed the server at run time: then it stays away.
     */
    START,
    /** A file names it since now. */
    FILE,
    /** A caller wants it. */
    CALLER
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
   * @return true where the server was added, after its addresses are registered; false where a
   *     server with this id exists, or stays removed
   */
  Future<Boolean> add(ServerDefinition definition, Addition why);

  /**
   * Adds the servers of this node's file at its start. Those that a caller removed at run time stay
   * away.
   *
   * @return the ids of the servers that this node has added; fails where one of them cannot be
   *     added, after all others were
   */
  Future<List<ConnectionId>> begin(List<ServerDefinition> definitions);

  /**
   * Adds what callers added before the last end of the process, after the servers of the file.
   *
   * @return the ids of the servers that were added
   */
  Future<List<ConnectionId>> restore();

  /** Replaces the definition of a server, and its connection. */
  Future<Void> replace(ServerDefinition definition);

  /**
   * Ends the connection of a server and removes the server.
   *
   * @param file true where this node's file does not name the server any more
   * @return succeeds when no node calls the server any more, or after a bounded wait with the names
   *     of the nodes that have not confirmed that
   */
  Future<List<String>> remove(ConnectionId id, boolean file);

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

  /**
   * The id of a node.
   *
   * @param name its name or its id
   * @throws dev.mcpbus.bus.McpFailure {@code BAD_REQUEST} if there is no such node, no cluster, or
   *     more than one node of that name
   */
  String nodeNamed(String name);

  /**
   * Hands over the connections of this node to the other nodes, each after its calls in flight. The
   * node takes no new ones until its end. Idempotent.
   *
   * @return {@code {node, leaving, connections}} when the hand-over has begun. Fails with {@code
   *     BAD_REQUEST} where a connection of this node could run on no other node
   */
  Future<JsonObject> drain();

  /** Sentences why this node is not ready for requests; empty where it is. */
  List<String> problems();

  /** How many nodes of the cluster serve, as this node sees it; 0 without a cluster or quorum. */
  int serving();

  /**
   * Sentences that people should know although this node is ready, for example how its file differs
   * from the other nodes' definitions.
   */
  List<String> notes();

  /** Ends the connections of this node after their calls in flight. */
  Future<Void> close();
}
