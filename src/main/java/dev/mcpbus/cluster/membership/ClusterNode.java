package dev.mcpbus.cluster.membership;

import java.util.Set;

/**
 * A process that may own connections.
 *
 * @param id as the cluster names it, anew at each start
 * @param name as people call it
 * @param weight its share beside others, above 0
 * @param labels what it has
 */
public record ClusterNode(String id, String name, double weight, Set<String> labels) {

  public ClusterNode {
    labels = Set.copyOf(labels);
    if (!(weight > 0)) {
      throw new IllegalArgumentException("a weight must be above 0, not " + weight);
    }
  }
}
