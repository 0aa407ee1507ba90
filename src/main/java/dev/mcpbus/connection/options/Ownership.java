package dev.mcpbus.connection.options;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * By which right a connection of a cluster serves.
 *
 * @param node that owns it, as people call it
 * @param epoch of its claim, told with each result: {@link dev.mcpbus.bus.Headers#EPOCH}
 * @param held false from the moment on at which another node may own it; any thread may ask
 * @param several what it does as one of several; null where the server has one connection only
 */
public record Ownership(
    String node, String epoch, BooleanSupplier held, ReplicaRole.@Nullable Factory several) {

  /** Of the only connection. */
  public Ownership(String node, String epoch, BooleanSupplier held) {
    this(node, epoch, held, null);
  }
}
