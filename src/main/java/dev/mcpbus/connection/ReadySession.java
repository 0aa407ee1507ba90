package dev.mcpbus.connection;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.ServerDescription;

/**
 * A session that is ready, with what its server said of itself.
 *
 * @param connectMillis from the start of the transport to the end of the handshake
 */
record ReadySession(
    Session session,
    ServerDescription server,
    SessionTools tools,
    ToolCallPipeline toolCalls,
    ListenSubscription subscriptions,
    ResultCache cache,
    SessionPreferences preferences,
    ServerTasks tasks,
    long connectMillis) {

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
