package dev.mcpbus.connection;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.InitializeResult;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * Everything that differs between the protocol eras, seen from a session: how it opens, what each
 * request carries, how one is called off.
 */
interface SessionEra {

  Era era();

  /** Opens the conversation. Fails with a {@code McpFailure}. */
  Future<InitializeResult> open(Session session);

  /** What goes out as {@code params} of a request of ours. */
  @Nullable RawJson params(@Nullable RawJson params);

  /** Tells the server that the answer to request {@code id} is no longer wanted. */
  void cancel(Session session, long id, String reason);
}
