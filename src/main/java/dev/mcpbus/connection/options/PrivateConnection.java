package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that belongs to one client of the gateway: the questions and events of its server go
 * to the addresses of that client and to no other.
 *
 * @param of the id of the server, under which its pins are stored
 * @param input the address that gets questions, {@code {id, method, params}}
 * @param events the address that gets the events, which are not published
 * @param initialize the params of the client's {@code initialize}, which the server gets as the
 *     client wrote them: of a client of the {@code discover} era those that it states with its
 *     requests. The name of mcpbus takes the place of an absent {@code clientInfo}
 * @param initialized the params of its {@code notifications/initialized}; null for none
 * @param version that it offers in {@code initialize}: the client's; null for the latest
 * @param era of the server, as its shared connection has found it, so that the server gets no
 *     probe; null if it is to be found
 * @param ended receives each call at its end, on the connection's context; it must not throw
 * @param outcome receives null when a session is ready, and the reason when one has failed or
 *     ended, or when the supervisor gives up; on the connection's context; it must not throw
 */
public record PrivateConnection(
    ConnectionId of,
    String input,
    String events,
    RawJson initialize,
    @Nullable RawJson initialized,
    @Nullable ProtocolVersion version,
    @Nullable Era era,
    Consumer<EndedCall> ended,
    Consumer<@Nullable McpFailure> outcome) {

  /** The client's capabilities; an empty object if it states none. */
  public RawJson capabilities() {
    RawJson stated = initialize.member("capabilities");
    return stated == null || !stated.isObject() ? RawJson.EMPTY_OBJECT : stated;
  }
}
