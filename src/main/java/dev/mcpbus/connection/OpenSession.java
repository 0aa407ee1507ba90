package dev.mcpbus.connection;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.ServerDescription;

/** A session after its handshake, with what its server said of itself. */
record OpenSession(Session session, ServerDescription server, ListenSubscription subscriptions) {

  TaskSupport taskSupport() {
    return TaskSupport.of(session.era().era(), server.capabilities());
  }

  boolean isModern() {
    return session.era().era() == Era.DISCOVER;
  }

  boolean offers(String capability) {
    return server.offers(capability);
  }
}
