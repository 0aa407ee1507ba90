package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.ProtocolVersion;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A connection that belongs to one client of the gateway: the questions and events of its server go
 * to the addresses of that client and to no other.
 *
 * @param of the id of the server, under which its pins are stored
 * @param input the address that gets questions, {@code {id, method, params}}
 * @param events the address that gets the events, which are not published
 * @param clientInfo what the connection states as its name in place of ours, as the client wrote
 *     it; null for ours
 * @param version that it offers in {@code initialize}: the client's; null for the latest
 * @param era of the server, as its shared connection has found it, so that the server gets no
 *     probe; null if it is to be found
 */
public record PrivateConnection(
    ConnectionId of,
    String input,
    String events,
    @Nullable JsonObject clientInfo,
    @Nullable ProtocolVersion version,
    @Nullable Era era) {}
