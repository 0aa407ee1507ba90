package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ReplicaId;
import org.jspecify.annotations.Nullable;

/**
 * Who has a connection.
 *
 * @param node its id in the cluster
 * @param state of the connection; null where it has not been told
 * @param version of the definition that it runs, empty where it has not been told
 */
public record ReplicaOwner(
    ReplicaId replica, String node, @Nullable ConnectionState state, String version) {

  /** As the map of claims has it, {@code "<epoch> <node>"}; null where nobody is named. */
  static @Nullable ReplicaOwner of(ReplicaId replica, @Nullable String claim) {
    String node = claim == null ? "" : claim.substring(claim.indexOf(' ') + 1);
    return node.isEmpty() ? null : new ReplicaOwner(replica, node, null, "");
  }

  public boolean serves() {
    return state != null && state.serves();
  }

  /** False where a call would have to wait, or would be refused. */
  boolean takesCalls() {
    return state == null || state.serves() || state == ConnectionState.IDLE;
  }
}
