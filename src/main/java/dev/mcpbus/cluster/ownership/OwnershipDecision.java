package dev.mcpbus.cluster.ownership;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a node has to do about one connection, by its claim: a pure function. */
enum OwnershipDecision {
  /** This node owns it and should own it, or no step is due. */
  KEEP,
  /** Claim it: this node should own it, and no living node does. */
  CLAIM,
  /**
   * Stop it at once: another node owns it, or the claim has another epoch. This node must not
   * change the claim.
   */
  LOSE,
  /** Drain it, then release the claim: another node should own it. */
  HAND_OVER,
  /**
   * Release the claim: this node holds it but does not run the connection, and another node should.
   */
  RELEASE,
  /** Wait: this node should own it, but its living owner has not released it yet. */
  WAIT,
  /** Do nothing: the connection concerns other nodes alone. */
  IGNORE;

  /**
   * @param claim the claim in the map, null for none
   * @param held the epoch under which this node runs the connection, null where it does not
   * @param self the id of this node
   * @param target the id of the node that should own it, null where no node can
   * @param nodes the ids of all nodes, also of those that may own nothing
   */
  static OwnershipDecision of(
      @Nullable OwnershipClaim claim,
      @Nullable Long held,
      String self,
      @Nullable String target,
      Set<String> nodes) {
    boolean ours = claim != null && claim.isOf(self);
    boolean wanted = self.equals(target);
    if (held != null) {
      if (claim == null || !ours || claim.epoch() != held) {
        return LOSE;
      }
      return wanted ? KEEP : HAND_OVER;
    }
    if (!wanted) {
      return ours ? RELEASE : IGNORE;
    }
    String owner = claim == null ? null : claim.node();
    return ours || owner == null || !nodes.contains(owner) ? CLAIM : WAIT;
  }
}
