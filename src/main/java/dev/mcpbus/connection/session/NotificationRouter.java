package dev.mcpbus.connection.session;

import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Passes the notifications of a session on, within the {@link NotificationBudget}: progress and log
 * messages of one call to its caller, the rest to the session's listener. Owner: the connection's
 * context.
 */
final class NotificationRouter {

  /**
   * Notifications that cost little and must not be lost: they control a stream or a question. Nor
   * is a change of a list lost: several lead to one listing.
   */
  private static final Set<String> NEVER_DROPPED = Set.of(Methods.ACKNOWLEDGED, Methods.CANCELLED);

  private final PendingRequests pending;
  private final SessionListener listener;
  private final NotificationBudget budget;
  private final @Nullable ConnectionTelemetry telemetry;
  private long ignored;

  NotificationRouter(
      PendingRequests pending,
      SessionListener listener,
      @Nullable ConnectionTelemetry telemetry,
      long now) {
    this.pending = pending;
    this.listener = listener;
    this.telemetry = telemetry;
    this.budget = new NotificationBudget(now);
  }

  void route(Session session, String method, RawJson params, long now) {
    boolean affordable = budget.take(now);
    PendingRequest stream = method.equals(Methods.PROGRESS) ? null : stream(params);
    if (stream != null && spoken(stream, method, params, now, affordable)) {
      listener.reaches(stream);
    } else if (method.equals(Methods.PROGRESS)
        && RequestMeta.isOurs(params.member("progressToken"))) {
      progressed(params, now, affordable);
    } else if (affordable && method.equals(Methods.MESSAGE) && isOfOneCall(session, params)) {
      return;
    } else if (!ListKind.announcedBy(method).isEmpty()) {
      listener.onListChanged(session, method, params, affordable);
    } else if (affordable || NEVER_DROPPED.contains(method)) {
      if (session.era().era() == Era.DISCOVER && !Methods.isKnown(method)) {
        noticed(method, params);
      }
      listener.onNotification(session, method, params);
    }
    if (!affordable && telemetry != null) {
      telemetry.dropped();
    }
  }

  /** The request of a caller whose stream the notification names; null where it names none. */
  private @Nullable PendingRequest stream(RawJson params) {
    RawJson meta = params.member("_meta");
    RawJson id = meta == null ? null : meta.member(MetaKeys.SUBSCRIPTION_ID);
    PendingRequest named = id == null ? null : pending.get(id.asLong());
    return named == null || !named.isCallers() ? null : named;
  }

  /**
   * The server speaks on the stream of a request, which so goes on: a listening one may be silent
   * from its acknowledgement on.
   *
   * @return true where the caller wants it and alone gets it
   */
  private boolean spoken(
      PendingRequest stream, String method, RawJson params, long now, boolean affordable) {
    if (method.equals(Methods.ACKNOWLEDGED)) {
      stream.open();
    } else {
      stream.extend(now);
    }
    String address = stream.noticeAddress();
    if (address != null && (affordable || NEVER_DROPPED.contains(method))) {
      listener.onCallNotification(address, stream.callId(), method, params);
    }
    return address != null;
  }

  /**
   * Passes on a log message of the {@code discover} era, which names no request: servers log only
   * for requests that want it, so with one such request in flight the message belongs to it.
   */
  private boolean isOfOneCall(Session session, RawJson params) {
    PendingRequest call = session.era().era() == Era.DISCOVER ? pending.onlyLogging() : null;
    String address = call == null ? null : call.logAddress();
    if (call == null || address == null) {
      return false;
    }
    listener.onCallNotification(address, call.callId(), Methods.MESSAGE, params);
    return true;
  }

  /**
   * Passes on a notification of the {@code discover} era that MCP does not define: it belongs to a
   * request in flight, unless it names a stream of {@code subscriptions/listen}. With one caller's
   * request in flight it is that one.
   */
  private void noticed(String method, RawJson params) {
    RawJson meta = params.member("_meta");
    PendingRequest call =
        meta == null || meta.member(MetaKeys.SUBSCRIPTION_ID) == null
            ? pending.onlyCallers()
            : null;
    String address = call == null ? null : call.noticeAddress();
    if (call != null && address != null) {
      listener.reaches(call);
      listener.onCallNotification(address, call.callId(), method, params);
    }
  }

  /**
   * Extends the deadline of the call and passes the progress on. Ignores progress of a call that
   * has ended. Progress that is less than before extends nothing, and only a caller that wants the
   * server's own words gets it.
   */
  private void progressed(RawJson params, long now, boolean affordable) {
    PendingRequest call = pending.get(RequestMeta.requestOf(params.member("progressToken")));
    String address = call == null ? null : call.progressAddress();
    boolean advances = call != null && address != null && call.advance(params.member("progress"));
    if (!advances) {
      ignored++;
    }
    if (call == null || address == null || !(advances || call.isAsIs())) {
      return;
    }
    if (advances) {
      call.extend(now);
    }
    if (affordable) {
      listener.reaches(call);
      listener.onCallNotification(address, call.callId(), Methods.PROGRESS, params);
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
