package dev.mcpbus.cluster.ownership;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The reconciler's messages to other nodes, and its view of theirs. Called on the context of the
 * {@code OwnershipReconciler}.
 */
public interface OwnershipPeers {

  /** Runs {@code check} before each announcement of another node that may change the grants. */
  void beforeGrants(Runnable check);

  /**
   * Publishes this node's announcement.
   *
   * @param resting this node owns no connection and must not claim one
   */
  void announceSelf(boolean resting);

  /**
   * How many nodes grant this one the right to act, itself included ({@code QuorumLease}); any
   * thread may call.
   */
  int grants();

  /**
   * How many grants this node needs; any thread may call.
   *
   * @param fixed the number of the options, which counts unless the quorum follows the cluster
   */
  default int quorum(int fixed) {
    return fixed;
  }

  /** Where the quorum follows the cluster: how many votes are there and needed, for people. */
  default @Nullable String votes() {
    return null;
  }

  /** How many of {@code nodes} have ended their grants to a lost node, this node included. */
  int gaveUp(String node, Set<String> nodes);

  /**
   * Keeps sending this node's announcements to a lost node that may still run, for a while, so that
   * it sees that it is no member any more.
   */
  void keepInformed(String node);

  /** Whether all links of a node are whole, as far as this node knows. */
  boolean isWhole(String node);

  /** Whether a link of a node has been silent for longer than a node is that is only slow. */
  boolean isCut(String node);

  /** Publishes that this node shuts down: other nodes do not wait until its membership ends. */
  void leaving();

  /** Whether a node shuts down or is being drained: it must own no connection any more. */
  boolean isLeaving(String node);

  /** Whether the owner of the claim with this key has registered its addresses and is ready. */
  boolean isServing(String key);

  void claimed(String id, OwnershipClaim claim);

  void serving(String id, OwnershipClaim claim);

  void released(String id, OwnershipClaim claim);
}
