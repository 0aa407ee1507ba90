package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.OwnershipEpoch;
import dev.mcpbus.cluster.ownership.OwnershipClaim;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The highest epoch with which each connection has answered here. A replaced owner that has not
 * noticed it yet may still answer; such an answer has a lower epoch and is refused. Any thread may
 * call.
 */
final class NewestEpochs {

  /** By the key of a replica, because each replica has owners of its own. */
  private final Map<String, Long> newest = new ConcurrentHashMap<>();

  /** Returns false where an owner with a higher epoch has answered before. */
  boolean isCurrent(OwnershipEpoch answer) {
    String key = answer.replica().key();
    Long seen = newest.get(key);
    return (seen != null && seen == answer.number())
        || newest.merge(key, answer.number(), Math::max) == answer.number();
  }

  /**
   * Accepts a lower epoch where the map of claims has it: claims can be lost with the nodes that
   * held them, and epochs then start again.
   *
   * @param claim the text of the replica's claim in the map, null where there is none
   * @return true where the answer comes from the owner that the map names
   */
  boolean isNamedByClaim(OwnershipEpoch answer, @Nullable String claim) {
    OwnershipClaim named = claim == null ? null : OwnershipClaim.decode(claim);
    if (named == null || named.epoch() != answer.number()) {
      return false;
    }
    newest.put(answer.replica().key(), answer.number());
    return true;
  }
}
