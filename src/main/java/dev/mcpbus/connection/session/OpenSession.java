package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.ServerDescription;

/**
 * A session after its handshake, with the server's description of itself. {@code ReadySession} adds
 * what serves calls. Owner: the connection's context.
 */
public record OpenSession(
    Session session, ServerDescription server, ListenSubscription subscriptions) {

  public boolean isDiscoverEra() {
    return session.era().era() == Era.DISCOVER;
  }

  public boolean offers(String capability) {
    return server.offers(capability);
  }
}
