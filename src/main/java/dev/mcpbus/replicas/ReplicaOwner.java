package dev.mcpbus.replicas;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.internals.KeyHash;
import org.jspecify.annotations.Nullable;

/**
 * The owner of one replica.
 *
 * @param node the id of the owning node in the cluster; empty on a single node
 * @param state the replica's state; null where its owner has not announced it
 * @param version the version of the definition that it runs, empty where not announced
 */
public record ReplicaOwner(
    ReplicaId replica, String node, @Nullable ConnectionState state, String version) {

  public boolean serves() {
    return state != null && state.serves();
  }

  /** The rank of the replica for a key; the highest takes the calls with that key. */
  long score(String key) {
    return KeyHash.of(key, Integer.toString(replica.number()));
  }

  /** False where a call would have to wait or would be refused. */
  boolean takesCalls() {
    return state == null || state.serves() || state == ConnectionState.IDLE;
  }
}
