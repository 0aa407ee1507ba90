package dev.mcpbus.connection;

import java.util.function.BooleanSupplier;

/**
 * By which right a connection of a cluster serves.
 *
 * @param node that owns it, as people call it
 * @param epoch of its claim, told with each result: {@link dev.mcpbus.bus.Headers#EPOCH}
 * @param held false from the moment on at which another node may own it; any thread may ask
 */
public record Tenure(String node, String epoch, BooleanSupplier held) {}
