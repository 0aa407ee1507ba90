package dev.mcpbus.cluster.ownership;

import java.util.Set;

/**
 * The labels and the number of replicas that a server wants.
 *
 * @param labels its owner must have all of them
 * @param replicas the number of its connections, each on a node of its own; fewer where there are
 *     fewer nodes
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
