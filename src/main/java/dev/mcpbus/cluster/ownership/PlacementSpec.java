package dev.mcpbus.cluster.ownership;

import java.util.Set;

/**
 * What a server wants of the cluster.
 *
 * @param labels that its owner must have, all of them
 * @param replicas how many connections it has where there are so many nodes, on one node each
 */
public record PlacementSpec(Set<String> labels, int replicas) {

  public static final PlacementSpec ANY = new PlacementSpec(Set.of(), 1);

  public PlacementSpec {
    labels = Set.copyOf(labels);
    if (replicas < 1) {
      throw new IllegalArgumentException("a server has at least one connection");
    }
  }
}
