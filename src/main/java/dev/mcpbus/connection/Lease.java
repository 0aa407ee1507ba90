package dev.mcpbus.connection;

/**
 * A connection that belongs to one client: what its server asks or tells goes to that client's
 * addresses and to no other.
 *
 * @param input is asked {@code {id, method, params}}
 * @param events gets what would be published
 */
public record Lease(String input, String events) {}
