package dev.mcpbus.connection.session;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.RawJson;
import org.jspecify.annotations.Nullable;

/** What a session tells its owner, on the owner's context. */
public interface SessionListener {

  /**
   * The server asks something; the session expects an {@link Session#answer} or {@link
   * Session#refuse}.
   */
  void onRequest(Session session, RawJson id, String method, RawJson params);

  /**
   * A result that is not {@code complete}.
   *
   * @return true where it was taken over, and {@code call} ends later
   */
  boolean onUnfinished(Session session, PendingRequest call, String resultType, RawJson result);

  /**
   * An error of the modern range.
   *
   * @return true where it was taken over, and {@code call} ends later
   */
  boolean onRefused(Session session, PendingRequest call, JsonRpcError error);

  /** A notification other than progress of a request of ours. */
  void onNotification(Session session, String method, RawJson params);

  /** Progress or a log message of one request, whose caller asked for it. */
  void onTold(String address, @Nullable String callId, String method, RawJson params);

  /** The session is over without having been closed by us; everything pending has ended. */
  void onEnded(Session session, McpFailure reason);
}
