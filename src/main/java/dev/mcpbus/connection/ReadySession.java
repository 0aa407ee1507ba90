package dev.mcpbus.connection;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.ServerDescription;
import java.util.function.Consumer;

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

  /**
   * Joins an open session with what outlives it.
   *
   * @param untilListed as in {@link ToolCallPipeline}
   */
  static ReadySession of(
      Handshake.Opened opened,
      SessionPreferences preferences,
      ServerTasks tasks,
      DriftWatch drift,
      Consumer<BusCall> untilListed,
      long connectMillis) {
    Session session = opened.session();
    ServerDescription server = opened.server();
    SessionTools tools = new SessionTools(session, drift);
    ToolCallSender sender = new ToolCallSender(session, server.capabilities(), tasks);
    return new ReadySession(
        session,
        server,
        tools,
        new ToolCallPipeline(session, server.offers("tools"), tools, sender, untilListed),
        new ListenSubscription(session, preferences, server.capabilities()),
        new ResultCache(session.clock()),
        preferences,
        tasks,
        connectMillis);
  }

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
