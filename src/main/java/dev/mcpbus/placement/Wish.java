package dev.mcpbus.placement;

import java.util.Set;

/**
 * What a server wants of the cluster.
 *
 * @param labels that its owner must have, all of them
 * @param replicas how many connections it has where there are so many nodes, on one node each
 */
public record Wish(Set<String> labels, int replicas) {

  public static final Wish ANY = new Wish(Set.of(), 1);

  public Wish {
    labels = Set.copyOf(labels);
    if (replicas < 1) {
      throw new IllegalArgumentException("a server has at least one connection");
    }
  }
}
