package dev.mcpbus.connection.tools;

import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.protocol.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * The last step of {@link ToolCallPipeline}, on the connection's context. {@code ToolCallSender}
 * implements it in the package of tasks, which may import this one.
 */
public interface ToolSender {

  /**
   * Sends a call that has passed its checks.
   *
   * @param tool null where the server did not list its tools
   */
  void send(BusCall call, ToolTable.@Nullable Tool tool);

  /** Sends a raw request of a caller unchanged. */
  void sendUnchanged(BusCall call, @Nullable RawJson params);
}
