package dev.mcpbus.connection;

import dev.mcpbus.protocol.InitializeResult;

/**
 * A session that is ready, with what its server said of itself.
 *
 * @param connectMillis from the start of the transport to the end of the handshake
 */
record Live(Session session, InitializeResult server, Tools tools, long connectMillis) {

  boolean offers(String capability) {
    return server.offers(capability);
  }
}
