package dev.mcpbus.cluster.ownership;

import io.vertx.core.Future;
import java.util.function.BooleanSupplier;

/** Serves what its node owns. Called on the context of the {@link OwnershipReconciler}. */
public interface OwnershipListener {

  /**
   * This node owns the connection now.
   *
   * @param epoch higher than that of any owner before
   * @param held false from the moment on at which it must not act any more, whatever it was told
   *     yet; any thread may ask
   * @return succeeds when it answers
   */
  Future<Void> own(String id, long epoch, BooleanSupplier held);

  /**
   * This node does not own it any more.
   *
   * @param drain true where calls in flight may end; false where another may own it already
   * @return succeeds when nothing of it runs on this node any more
   */
  Future<Void> disown(String id, boolean drain);
}
