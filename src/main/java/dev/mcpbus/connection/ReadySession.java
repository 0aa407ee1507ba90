package dev.mcpbus.connection;

import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.ListenSubscription;
import dev.mcpbus.connection.session.OpenSession;
import dev.mcpbus.connection.session.ResultCache;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.connection.tasks.ServerTasks;
import dev.mcpbus.connection.tasks.TaskSupport;
import dev.mcpbus.connection.tasks.ToolCallSender;
import dev.mcpbus.connection.tools.DriftWatch;
import dev.mcpbus.connection.tools.SessionTools;
import dev.mcpbus.connection.tools.ToolCallPipeline;
import dev.mcpbus.protocol.ServerDescription;
import java.util.function.Consumer;

/**
 * A session that serves calls: the open session with its tools and its cache, and what outlives it
 * (preferences, tasks). {@link Mailbox} gives each call to the operation of its address with the
 * ready session. Owner: the connection's context.
 *
 * @param connectMillis from the start of the transport to the end of the handshake
 */
record ReadySession(
    OpenSession open,
    SessionTools tools,
    ToolCallPipeline toolCalls,
    ResultCache cache,
    SessionPreferences preferences,
    ServerTasks tasks,
    long connectMillis) {

  /**
   * Makes the ready session of {@code open}.
   *
   * @param untilListed as in {@link ToolCallPipeline}
   */
  static ReadySession of(
      OpenSession open,
      SessionPreferences preferences,
      ServerTasks tasks,
      DriftWatch drift,
      Consumer<BusCall> untilListed,
      long connectMillis) {
    Session session = open.session();
    SessionTools tools = new SessionTools(session, drift);
    ToolCallSender sender = new ToolCallSender(open, tasks);
    return new ReadySession(
        open,
        tools,
        new ToolCallPipeline(session, open.offers("tools"), tools, sender, untilListed),
        new ResultCache(session.clock()),
        preferences,
        tasks,
        connectMillis);
  }

  Session session() {
    return open.session();
  }

  ServerDescription server() {
    return open.server();
  }

  ListenSubscription subscriptions() {
    return open.subscriptions();
  }

  TaskSupport taskSupport() {
    return TaskSupport.of(open);
  }

  boolean isDiscoverEra() {
    return open.isDiscoverEra();
  }

  boolean offers(String capability) {
    return open.offers(capability);
  }
}
