package dev.mcpbus.cluster.ownership;

import java.util.Set;

/**
 * What the nodes tell each other by the bus. Called on the context of the {@code
 * OwnershipReconciler}.
 */
public interface OwnershipPeers {

  /**
   * Says that this node is there.
   *
   * @param resting it serves nothing and may take nothing
   */
  void announceSelf(boolean resting);

  /**
   * How many nodes let this one act, itself included, as {@code QuorumLease}; any thread may ask.
   */
  int heard();

  /** How many of the members do not let a lost node act any more, this one included. */
  int gaveUp(String node, Set<String> members);

  /** A node that is no member may be alive: it is to hear for a while yet that it is none. */
  void keepInformed(String node);

  /** This node ends: the others need not wait for its membership to. */
  void leaving();

  boolean isLeaving(String node);

  /** Whether calls of the claim of this name are answered by who owns it. */
  boolean isServing(String key);

  void claimed(String id, OwnershipClaim claim);

  void serving(String id, OwnershipClaim claim);

  void released(String id, OwnershipClaim claim);
}
