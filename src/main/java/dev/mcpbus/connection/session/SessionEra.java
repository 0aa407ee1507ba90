package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ServerDescription;
import dev.mcpbus.transport.OutboundMessage;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything in which the two eras differ for a session: the opening, what each request carries,
 * how a request is cancelled. Owner: the connection's context.
 */
public interface SessionEra {

  Era era();

  /** Sends the opening request of the era. Fails with a {@code McpFailure}. */
  Future<ServerDescription> open(Session session);

  /** The {@code params} of request {@code id} as they are sent. */
  @Nullable RawJson params(@Nullable RawJson params, long id, PendingRequest call);

  /** The {@code params} of a caller's notification as they are sent. */
  default @Nullable RawJson told(@Nullable RawJson params, PendingRequest call) {
    return params;
  }

  /** The headers of the request, for transports that have headers. */
  List<OutboundMessage.MessageHeader> headers(
      Session session, @Nullable RawJson params, PendingRequest call);

  /**
   * Tells the server that the answer to request {@code id} is no longer wanted.
   *
   * @param params of the notification, with {@code requestId}
   */
  void cancel(Session session, long id, RawJson params);

  /** A request that every server of the era answers cheaply. */
  String pingMethod();

  /** How a result of {@link #pingMethod} breaks the protocol; null where it does not. */
  default @Nullable String wrong(RawJson answer) {
    return null;
  }
}
