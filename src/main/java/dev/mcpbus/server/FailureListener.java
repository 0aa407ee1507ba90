package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;

/**
 * Hears what goes wrong in a server, on the event loop that owns the client's channel; must not
 * block.
 */
@PublicApi
@FunctionalInterface
public interface FailureListener {

  /**
   * Hears one failure, which the client has been told of where MCP allows it. The server logs what
   * this method throws.
   *
   * @param subject {@link ServerRequest#subject()} of the request, or the method of the message;
   *     empty for a message that is neither, and for the connection as a whole
   * @param failure what a handler threw or failed with, with its stack; a {@link RequestException}
   *     for a message that the server has refused before a handler saw it; a {@link
   *     dev.mcpbus.transport.TransportException} for a client that breaks the protocol or does not
   *     read
   */
  void failed(ConnectedClient client, String subject, Throwable failure);
}
