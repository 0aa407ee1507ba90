package dev.mcpbus.cluster.ownership;

import io.vertx.core.Future;
import java.util.function.BooleanSupplier;

/**
 * Starts and stops connections when ownership changes. Called on the context of the {@link
 * OwnershipReconciler}.
 */
public interface OwnershipListener {

  /**
   * This node has claimed the connection.
   *
   * @param id the key of the replica
   * @param epoch higher than that of every earlier owner
   * @param held the claim lease: false as soon as the connection must not act any more, even before
   *     {@link #disown} is called; any thread may call it
   * @return succeeds when the connection's addresses are registered
   */
  Future<Void> own(String id, long epoch, BooleanSupplier held);

  /**
   * This node does not own the connection any more.
   *
   * @param id the key of the replica
   * @param drain true where calls in flight may finish; false where another node may own the
   *     connection already
   * @return succeeds when no part of the connection runs on this node
   */
  Future<Void> disown(String id, boolean drain);
}
