package dev.mcpbus.cluster.ownership;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ReplicaId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who should own which replica of a server: pure functions. A node that owns one keeps it as long
 * as it is among the best, whatever its rank: so a join or a leave moves at most one of them.
 */
final class ReplicaAssignment {

  private ReplicaAssignment() {}

  /** Names of all claims of a server. */
  static List<String> keys(String id, int replicas) {
    ConnectionId server = new ConnectionId(id);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < replicas; i++) {
      keys.add(new ReplicaId(server, i).key());
    }
    return keys;
  }

  /**
   * @param keys of the server's claims, in order
   * @param best nodes that should own one each, the best first
   * @return by key, in order; null where nobody should own it
   */
  static Map<String, @Nullable String> targets(
      List<String> keys, List<String> best, Map<String, OwnershipClaim> claims) {
    Map<String, @Nullable String> targets = new LinkedHashMap<>();
    Set<String> without = new LinkedHashSet<>(best);
    for (String key : keys) {
      String owner = owner(claims, key);
      targets.put(key, owner != null && without.remove(owner) ? owner : null);
    }
    // What nobody owns first, so that nobody waits for another to leave.
    for (String key : keys) {
      if (owner(claims, key) == null) {
        give(targets, key, without);
      }
    }
    keys.forEach(key -> give(targets, key, without));
    return targets;
  }

  private static void give(Map<String, @Nullable String> targets, String key, Set<String> without) {
    if (targets.get(key) == null && !without.isEmpty()) {
      String next = without.iterator().next();
      without.remove(next);
      targets.put(key, next);
    }
  }

  private static @Nullable String owner(Map<String, OwnershipClaim> claims, String key) {
    OwnershipClaim claim = claims.get(key);
    return claim == null ? null : claim.node();
  }

  /**
   * Whether the owner of {@code key}, which should be another's, may let it go now: one after the
   * other, each when all that have moved answer calls.
   *
   * @param alive owners that are not alive own nothing
   * @param serving whether calls of a claim are answered
   */
  static boolean mayMove(
      String key,
      Map<String, @Nullable String> targets,
      Map<String, OwnershipClaim> claims,
      Set<String> alive,
      Predicate<String> serving) {
    if (!serving.test(key)) {
      return true;
    }
    boolean alone = true;
    boolean othersServe = false;
    boolean earlier = true;
    for (Map.Entry<String, @Nullable String> one : targets.entrySet()) {
      String other = one.getKey();
      String owner = owner(claims, other);
      if (other.equals(key)) {
        earlier = false;
      } else if (owner != null && alive.contains(owner)) {
        boolean moves = !owner.equals(one.getValue());
        if (moves ? earlier : !serving.test(other)) {
          return false;
        }
        alone = false;
        othersServe |= serving.test(other);
      }
    }
    return alone || othersServe;
  }
}
