package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ServerDescription;
import dev.mcpbus.transport.OutboundMessage;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that differs between the protocol eras, seen from a session: how it opens, what each
 * request carries, how one is called off.
 */
public interface SessionEra {

  Era era();

  /** Opens the conversation. Fails with a {@code McpFailure}. */
  Future<ServerDescription> open(Session session);

  /** What goes out as {@code params} of request {@code id}. */
  @Nullable RawJson params(@Nullable RawJson params, long id, PendingRequest call);

  /** What goes out as headers beside it, where the transport has any. */
  List<OutboundMessage.Header> headers(
      Session session, @Nullable RawJson params, PendingRequest call);

  /** Tells the server that the answer to request {@code id} is no longer wanted. */
  void cancel(Session session, long id, String reason);

  /** A request that every server of the era answers cheaply. */
  String pingMethod();

  /** What is wrong with a result of {@link #pingMethod}, null where it is as it should be. */
  default @Nullable String wrong(RawJson answer) {
    return null;
  }
}
