package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionId;

/**
 * A connection that belongs to one client: what its server asks or tells goes to that client's
 * addresses and to no other.
 *
 * @param of the server's own id, under which its pinned definitions are remembered
 * @param input is asked {@code {id, method, params}}
 * @param events gets what would be published
 */
public record PrivateConnection(ConnectionId of, String input, String events) {}
