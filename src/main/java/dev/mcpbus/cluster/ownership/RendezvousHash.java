package dev.mcpbus.cluster.ownership;

import dev.mcpbus.cluster.membership.ClusterNode;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Highest random weight: every node has a score for every connection, and the highest owns it. All
 * who know the same nodes come to the same owner without talking, and a node that comes or goes
 * moves only what it gets or had.
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
   * Several owners, the highest first.
   *
   * @param most fewer where fewer nodes have the labels
   */
  public static List<ClusterNode> best(
      String id, Collection<ClusterNode> nodes, Set<String> wanted, int most) {
    return nodes.stream()
        .filter(node -> node.labels().containsAll(wanted))
        .sorted(
            Comparator.<ClusterNode>comparingDouble(node -> score(id, node))
                // Nodes of one name share what one of them would have.
                .thenComparingLong(node -> hash(id, node.id()))
                .thenComparing(ClusterNode::id)
                .reversed())
        .limit(most)
        .toList();
  }

  /**
   * {@code -weight / ln(u)} with u uniform: so shares are as the weights. By the node's name, so
   * that one that is started anew gets what it had.
   */
  private static double score(String id, ClusterNode node) {
    double uniform = ((hash(id, node.name()) >>> 11) + 0.5) * UNIT;
    return -node.weight() / Math.log(uniform);
  }

  /** FNV-1a over both names, then a finalizer that spreads the last bytes over all bits. */
  private static long hash(String id, String node) {
    long hash = 0xcbf29ce484222325L;
    for (byte one : (id + '\0' + node).getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (one & 0xff)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
    hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
    return hash ^ (hash >>> 31);
  }
}
