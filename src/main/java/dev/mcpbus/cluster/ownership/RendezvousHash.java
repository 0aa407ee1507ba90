package dev.mcpbus.cluster.ownership;

import dev.mcpbus.cluster.membership.ClusterNode;
import dev.mcpbus.internals.KeyHash;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Rendezvous hashing (highest random weight): each node has a score for each connection, and the
 * node with the highest score owns it. All nodes that see the same nodes compute the same owner
 * without communication, and a join or a leave moves only the connections of that node. Pure
 * functions.
 */
public final class RendezvousHash {

  private static final double UNIT = 0x1.0p-53;

  private RendezvousHash() {}

  /**
   * @param wanted labels that the owner must have, all of them
   * @return empty where no node has them
   */
  public static Optional<ClusterNode> owner(
      String id, Collection<ClusterNode> nodes, Set<String> wanted) {
    return best(id, nodes, wanted, 1).stream().findFirst();
  }

  /**
   * The nodes with the highest scores, the highest first.
   *
   * @param most the length of the list; it is shorter where fewer nodes have the labels
   */
  public static List<ClusterNode> best(
      String id, Collection<ClusterNode> nodes, Set<String> wanted, int most) {
    return nodes.stream()
        .filter(node -> node.labels().containsAll(wanted))
        .sorted(
            Comparator.<ClusterNode>comparingDouble(node -> score(id, node))
                // Nodes with the same name share the connections that one of them would own.
                .thenComparingLong(node -> KeyHash.of(id, node.id()))
                .thenComparing(ClusterNode::id)
                .reversed())
        .limit(most)
        .toList();
  }

  /**
   * {@code -weight / ln(u)} with u uniform, so each node's share is proportional to its weight.
   * Computed from the node's name, so a restarted node gets the same connections again.
   */
  private static double score(String id, ClusterNode node) {
    double uniform = ((KeyHash.of(id, node.name()) >>> 11) + 0.5) * UNIT;
    return -node.weight() / Math.log(uniform);
  }
}
