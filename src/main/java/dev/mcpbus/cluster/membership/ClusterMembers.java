package dev.mcpbus.cluster.membership;

import io.vertx.core.Future;
import java.util.List;
import java.util.Set;

/** The members of the cluster, as this process sees them. Implemented by the engine's adapter. */
public interface ClusterMembers {

  /**
   * Members that will own connections in a moment, as of the last {@link #nodes}: their doors are
   * not open yet. What no node owns and one of them should own waits for it.
   */
  default List<ClusterNode> opening() {
    return List.of();
  }

  /** The id of this process in the cluster. */
  String self();

  /** The ids of all members, also of processes that are no nodes and own nothing. */
  Set<String> alive();

  /** The nodes: members that may own connections. Fails where the engine cannot read them. */
  Future<List<ClusterNode>> nodes();

  /**
   * Whether the event-bus port of a node that is no member refuses connections. True proves that
   * the process has ended; false proves nothing.
   */
  Future<Boolean> hasClosedItsBusPort(String node);

  /**
   * Whether {@code failure} is the engine's refusal because fewer members than the quorum see each
   * other.
   */
  boolean isQuorumLost(Throwable failure);
}
