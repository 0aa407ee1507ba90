package dev.mcpbus.connection;

import dev.mcpbus.bus.ReplicaId;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * By which right a connection of a cluster serves.
 *
 * @param node that owns it, as people call it
 * @param epoch of its claim, told with each result: {@link dev.mcpbus.bus.Headers#EPOCH}
 * @param held false from the moment on at which another node may own it; any thread may ask
 * @param replica which of several it is, null where the server has one connection only
 * @param version of the definition that it is made from
 */
public record Ownership(
    String node, String epoch, BooleanSupplier held, @Nullable ReplicaId replica, String version) {

  /** Of the only connection. */
  public Ownership(String node, String epoch, BooleanSupplier held) {
    this(node, epoch, held, null, "");
  }
}
