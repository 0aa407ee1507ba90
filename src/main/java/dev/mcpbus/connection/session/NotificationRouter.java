package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.Set;

/**
 * What of a session's notifications goes on, to whom: progress to the caller whose request it is
 * of, the rest to the session's listener, as far as the {@link NotificationBudget} reaches. Owner:
 * the connection's context.
 */
final class NotificationRouter {

  /** That a list has changed becomes one reading however often it is said; the rest is control. */
  private static final Set<String> NEVER_DROPPED =
      Set.of(
          Methods.TOOLS_CHANGED,
          Methods.RESOURCES_CHANGED,
          Methods.PROMPTS_CHANGED,
          Methods.ACKNOWLEDGED,
          Methods.CANCELLED);

  private final PendingRequests pending;
  private final SessionListener listener;
  private final NotificationBudget budget;
  private long ignored;

  NotificationRouter(PendingRequests pending, SessionListener listener, long now) {
    this.pending = pending;
    this.listener = listener;
    this.budget = new NotificationBudget(now);
  }

  void heard(Session session, String method, RawJson params, long now) {
    boolean affordable = budget.take(now);
    if (method.equals(Methods.PROGRESS) && RequestMeta.isOurs(params.member("progressToken"))) {
      progressed(params, now, affordable);
    } else if (affordable && method.equals(Methods.MESSAGE) && isOfOneCall(session, params)) {
      return;
    } else if (affordable || NEVER_DROPPED.contains(method)) {
      listener.onNotification(session, method, params);
    }
  }

  /**
   * The modern era logs for requests that asked for it: where there is one alone, it is of that.
   */
  private boolean isOfOneCall(Session session, RawJson params) {
    PendingRequest call = session.era().era() == Era.DISCOVER ? pending.onlyLogging() : null;
    String address = call == null ? null : call.logAddress();
    if (call == null || address == null) {
      return false;
    }
    listener.onTold(address, call.callId(), Methods.MESSAGE, params);
    return true;
  }

  /**
   * Progress of a call that has ended, or less than was reported before, moves no deadline and
   * reaches nobody.
   */
  private void progressed(RawJson params, long now, boolean affordable) {
    PendingRequest call = pending.get(RequestMeta.requestOf(params.member("progressToken")));
    String address = call == null ? null : call.progressAddress();
    if (call == null || address == null || !call.advance(params.member("progress"))) {
      ignored++;
      return;
    }
    call.extend(now);
    if (affordable) {
      listener.onTold(address, call.callId(), Methods.PROGRESS, params);
    }
  }

  void report(JsonObject facts) {
    if (budget.dropped() > 0) {
      facts.put("droppedNotifications", budget.dropped());
    }
    if (ignored > 0) {
      facts.put("ignoredProgress", ignored);
    }
  }
}
