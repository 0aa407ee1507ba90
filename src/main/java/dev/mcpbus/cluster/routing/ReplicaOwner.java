package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.cluster.ownership.OwnershipClaim;
import org.jspecify.annotations.Nullable;

/**
 * The owner of one replica.
 *
 * @param node the id of the owning node in the cluster
 * @param state the replica's state; null where its owner has not announced it
 * @param version the version of the definition that it runs, empty where not announced
 */
public record ReplicaOwner(
    ReplicaId replica, String node, @Nullable ConnectionState state, String version) {

  /** Reads an entry of the map of claims; null where it names no node. */
  static @Nullable ReplicaOwner of(ReplicaId replica, String claim) {
    OwnershipClaim named = OwnershipClaim.decode(claim);
    String node = named == null ? null : named.node();
    return node == null ? null : new ReplicaOwner(replica, node, null, "");
  }

  public boolean serves() {
    return state != null && state.serves();
  }

  /** False where a call would have to wait or would be refused. */
  boolean takesCalls() {
    return state == null || state.serves() || state == ConnectionState.IDLE;
  }
}
