package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionId;

/**
 * A connection that belongs to one client of the gateway: the questions and events of its server go
 * to the addresses of that client and to no other.
 *
 * @param of the id of the server, under which its pins are stored
 * @param input the address that gets questions, {@code {id, method, params}}
 * @param events the address that gets the events, which are not published
 */
public record PrivateConnection(ConnectionId of, String input, String events) {}
