package dev.mcpbus.cluster.ownership;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a node has to do about one connection. */
enum OwnershipDecision {
  /** All is as it should be. */
  KEEP,
  /** Take it: nobody who lives owns it. */
  CLAIM,
  /** It is another's, or its epoch has passed: stop at once, the claim is not ours to touch. */
  LOSE,
  /** It belongs elsewhere now: drain, then release the claim. */
  HAND_OVER,
  /** Claimed by us, served by nobody, and better elsewhere. */
  RELEASE,
  /** Ours to be, when its owner has let it go. */
  WAIT,
  /** No business of ours. */
  IGNORE;

  /**
   * @param claim as the map has it, null for none
   * @param held the epoch under which this node serves it, null where it does not
   * @param target who should own it, null where nobody may
   * @param members all nodes that live, whether or not they may own anything
   */
  static OwnershipDecision of(
      @Nullable OwnershipClaim claim,
      @Nullable Long held,
      String self,
      @Nullable String target,
      Set<String> members) {
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
    return ours || owner == null || !members.contains(owner) ? CLAIM : WAIT;
  }
}
