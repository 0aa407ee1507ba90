package dev.mcpbus.connection.options;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The right of a connection to serve in a cluster.
 *
 * @param node the name of the node that owns the connection
 * @param epoch the epoch of the claim; each result carries it ({@link
 *     dev.mcpbus.bus.Headers#EPOCH})
 * @param held false from the moment at which another node may own the connection; any thread may
 *     call it
 * @param several makes the role of one of several replicas; null where the server has one
 *     connection
 */
public record Ownership(
    String node, String epoch, BooleanSupplier held, ReplicaRole.@Nullable RoleFactory several) {}
