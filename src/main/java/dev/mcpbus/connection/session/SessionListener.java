package dev.mcpbus.connection.session;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.OutputListener;
import org.jspecify.annotations.Nullable;

/** Takes what a session does not handle itself. Called on the connection's context. */
public interface SessionListener {

  /**
   * A question of the server. The listener answers it with {@link Session#answer} or {@link
   * Session#refuse}.
   *
   * @param owner whose question it is
   */
  void onRequest(Session session, RawJson id, String method, RawJson params, MessageOwner owner);

  /**
   * A result whose {@code resultType} is not {@code complete}.
   *
   * @return true where the listener ends {@code call}, now or later; false where the caller gets
   *     the result
   */
  boolean onUnfinished(Session session, PendingRequest call, String resultType, RawJson result);

  /**
   * An error of the modern range.
   *
   * @return true where the listener ends {@code call}, now or later; false where the caller gets
   *     the error
   */
  boolean onRefused(Session session, PendingRequest call, JsonRpcError error);

  /**
   * The server does not know the session any more, and has not run {@code call}. The session ends.
   *
   * @return true where the listener ends {@code call} later; false where the caller gets the
   *     failure
   */
  default boolean onSessionLost(Session session, PendingRequest call) {
    return false;
  }

  /** A notification that {@link #onCallNotification} did not get, or not it alone. */
  void onNotification(Session session, String method, RawJson params, MessageOwner owner);

  /** The owner of a message about the task with that id. */
  default MessageOwner ownerOfTask(String taskId) {
    return MessageOwner.ofPrincipal(null);
  }

  /** Whether {@link #onNotification} alone tells the one caller of all calls. */
  default boolean isPrivate() {
    return false;
  }

  /**
   * The server announces that a list is another one ({@code list_changed}).
   *
   * @param passes whether clients get the announcement itself; false beyond the bound on
   *     notifications, where only the list is read anew
   */
  void onListChanged(Session session, String method, RawJson params, boolean passes);

  /**
   * Something of a call leaves for its client; to be called before it does. Its sender learns it
   * once, and then does not repeat the call.
   */
  default void reaches(PendingRequest call) {
    String address = call.reach();
    String callId = call.callId();
    if (address != null && callId != null) {
      onReached(address, callId);
    }
  }

  /** Tells the sender of a call that something of it leaves for its client. */
  void onReached(String address, String callId);

  /** Progress or a log message of one call, for the address that its caller named. */
  void onCallNotification(String address, @Nullable String callId, String method, RawJson params);

  /** Gets what the server writes beside its messages, on any thread. */
  default OutputListener output() {
    return OutputListener.NONE;
  }

  /** Decides what is tolerated of the server, and counts it. */
  default Quirks quirks() {
    return Quirks.untold();
  }

  /** Refuses calls while too many of them fail; null where nothing does. */
  default @Nullable CallBreaker breaker() {
    return null;
  }

  /** The session has ended, and not by {@link Session#close}; every pending request has failed. */
  void onEnded(Session session, McpFailure reason);
}
