package dev.mcpbus.cluster.membership;

import java.util.Set;

/**
 * A process of the cluster that may own connections.
 *
 * @param id the id that the cluster manager gave it, new at each start
 * @param name the configured name, the same after a restart
 * @param weight its share of the connections relative to other nodes, above 0
 * @param labels its configured labels; a server can require some of them
 */
public record ClusterNode(String id, String name, double weight, Set<String> labels) {

  public ClusterNode {
    labels = Set.copyOf(labels);
    if (!(weight > 0)) {
      throw new IllegalArgumentException("a weight must be above 0, not " + weight);
    }
  }
}
