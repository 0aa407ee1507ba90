package dev.mcpbus.bus;

import dev.mcpbus.protocol.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * One request, from its beginning to its end, as {@link Telemetry} sees it. It ends exactly once.
 * Used on the context of the component that began it.
 */
public interface TelemetryOperation {

  /** The trace for the messages of this operation; null: the one that the request came with. */
  @Nullable TraceContext trace();

  /**
   * The target of a client's request is known.
   *
   * @param item the name of the tool or prompt in the list of the server; null where no list has it
   */
  void target(String server, @Nullable String item);

  /**
   * The answer is a result.
   *
   * @param toolError whether the tool reports a failure of its own
   */
  void succeeded(boolean toolError);

  /** The answer is an error, or there is none. */
  void failed(McpFailure failure);
}
