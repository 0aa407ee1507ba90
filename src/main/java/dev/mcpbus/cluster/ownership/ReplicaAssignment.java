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
 * Which node should own which replica of a server: pure functions. A node that owns a replica keeps
 * it while the node is among the best, whatever its rank, so a join or a leave moves at most one
 * replica.
 */
final class ReplicaAssignment {

  private ReplicaAssignment() {}

  /** The keys of all claims of a server, by replica number. */
  static List<String> keys(String id, int replicas) {
    ConnectionId server = new ConnectionId(id);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < replicas; i++) {
      keys.add(new ReplicaId(server, i).key());
    }
    return keys;
  }

  /**
   * @param keys the keys of the server's claims, in order
   * @param best the nodes that should own one replica each, the best first
   * @param claims the present claims
   * @return the node that should own each key, in order; null where no node should
   */
  static Map<String, @Nullable String> targets(
      List<String> keys, List<String> best, Map<String, OwnershipClaim> claims) {
    Map<String, @Nullable String> targets = new LinkedHashMap<>();
    Set<String> available = new LinkedHashSet<>(best);
    for (String key : keys) {
      String owner = owner(claims, key);
      targets.put(key, owner != null && available.remove(owner) ? owner : null);
    }
    // Replicas without an owner first, so that a free node serves one at once instead of waiting
    // for another to be handed over.
    for (String key : keys) {
      if (owner(claims, key) == null) {
        assign(targets, key, available);
      }
    }
    keys.forEach(key -> assign(targets, key, available));
    return targets;
  }

  private static void assign(
      Map<String, @Nullable String> targets, String key, Set<String> available) {
    if (targets.get(key) == null && !available.isEmpty()) {
      String next = available.iterator().next();
      available.remove(next);
      targets.put(key, next);
    }
  }

  private static @Nullable String owner(Map<String, OwnershipClaim> claims, String key) {
    OwnershipClaim claim = claims.get(key);
    return claim == null ? null : claim.node();
  }

  /**
   * Whether the owner of {@code key}, which another node should own, may hand it over now. Replicas
   * move one after the other, each when all replicas that have moved serve.
   *
   * @param alive the nodes of the cluster; an owner that is none of them owns nothing
   * @param serving whether the owner of a claim answers calls
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
