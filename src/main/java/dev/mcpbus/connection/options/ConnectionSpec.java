package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.MessageTap;
import dev.mcpbus.transport.Transport;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * All that a connection is made of.
 *
 * @param id its name, part of its addresses
 * @param transport how to reach the server
 * @param options how it behaves
 * @param clientInfo what is said of us in the handshake
 * @param capabilities what is offered to the server: {@code elicitation}, {@code sampling}, ...
 * @param tap sees every message, null for none
 * @param pins where pinned definitions outlive the process
 * @param privateConnection to whom it belongs, null where it is everybody's
 * @param ownership by which right it serves, null on a node of its own
 */
public record ConnectionSpec(
    ConnectionId id,
    Transport transport,
    ConnectionOptions options,
    Implementation clientInfo,
    JsonObject capabilities,
    @Nullable MessageTap tap,
    PinStore pins,
    @Nullable PrivateConnection privateConnection,
    @Nullable Ownership ownership) {

  /** Of a connection that everybody may use. */
  public ConnectionSpec(
      ConnectionId id,
      Transport transport,
      ConnectionOptions options,
      Implementation clientInfo,
      JsonObject capabilities,
      @Nullable MessageTap tap,
      PinStore pins) {
    this(id, transport, options, clientInfo, capabilities, tap, pins, null, null);
  }
}
