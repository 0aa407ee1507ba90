package dev.mcpbus.connection.session;

import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
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

  /** Notifications of MCP that name what they are about, which is no call. */
  private static final Set<String> OWN_WAYS =
      Set.of(
          Methods.ACKNOWLEDGED,
          Methods.CANCELLED,
          Methods.RESOURCE_UPDATED,
          Methods.TASKS_STATUS,
          Methods.TASKS_CHANGED);

  private final PendingRequests pending;
  private final MessageOwners owners;
  private final SessionListener listener;
  private final NotificationBudget budget;
  private final @Nullable ConnectionTelemetry telemetry;
  private long ignored;

  NotificationRouter(
      PendingRequests pending,
      MessageOwners owners,
      SessionListener listener,
      @Nullable ConnectionTelemetry telemetry,
      long now) {
    this.pending = pending;
    this.owners = owners;
    this.listener = listener;
    this.telemetry = telemetry;
    this.budget = new NotificationBudget(now);
  }

  /**
   * @param request where it came: as {@link
   *     dev.mcpbus.transport.Channel.Receiver#onMessage(dev.mcpbus.protocol.Envelope, long)}
   */
  void route(Session session, String method, RawJson params, long request, long now) {
    boolean affordable = budget.take(now);
    PendingRequest stream = method.equals(Methods.PROGRESS) ? null : stream(params, request);
    if (stream != null && spoken(stream, method, params, now, affordable)) {
      listener.reaches(stream);
    } else if (method.equals(Methods.PROGRESS)
        && RequestMeta.isOurs(params.member("progressToken"))) {
      progressed(params, request, now, affordable);
    } else if (!ListKind.announcedBy(method).isEmpty()) {
      listener.onListChanged(session, method, params, affordable);
    } else if (OWN_WAYS.contains(method)) {
      if (affordable || NEVER_DROPPED.contains(method)) {
        listener.onNotification(session, method, params, MessageOwner.SERVER);
      }
    } else if (affordable) {
      MessageOwner owner = owners.of(method, params, request);
      if (!passed(session, method, params, owner)) {
        PendingRequest call = listener.isPrivate() ? owner.call() : null;
        RawJson said = call == null || Methods.isKnown(method) ? params : call.toCaller(params);
        listener.onNotification(session, method, said, owner);
      }
    }
    if (!affordable && telemetry != null) {
      telemetry.dropped();
    }
  }

  /** The request of a caller whose stream the notification names; null where it names none. */
  private @Nullable PendingRequest stream(RawJson params, long request) {
    RawJson meta = params.member("_meta");
    RawJson id = meta == null ? null : meta.member(MetaKeys.SUBSCRIPTION_ID);
    PendingRequest named = id == null ? null : pending.get(RequestIds.number(id));
    return named == null || !named.isCallers() || !owners.mayName(named, request) ? null : named;
  }

  /**
   * The server speaks on the stream of a request, which so goes on: a listening one may be silent
   * from its acknowledgement on. What MCP defines is of a listening one alone: for all others it
   * has its own way, which policies look at.
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
    boolean own = stream.method().equals(Methods.LISTEN) || !Methods.isKnown(method);
    String address = own ? stream.noticeAddress() : null;
    if (address != null && (affordable || NEVER_DROPPED.contains(method))) {
      listener.onCallNotification(address, stream.callId(), method, stream.toCaller(params));
    }
    return address != null;
  }

  /**
   * Passes a log message, or a notification that MCP does not define, to the caller of its call. A
   * server of the {@code initialize} era also says what belongs to no call, so without evidence
   * nothing of it does.
   *
   * @return true where the caller alone gets it
   */
  private boolean passed(Session session, String method, RawJson params, MessageOwner owner) {
    PendingRequest call = owner.call();
    if (call == null || !(owner.known() || session.era().era() == Era.DISCOVER)) {
      return false;
    }
    boolean log = method.equals(Methods.MESSAGE);
    String address =
        log ? call.logAddress() : Methods.isKnown(method) ? null : call.noticeAddress();
    if (address == null || (!log && listener.isPrivate())) {
      return false;
    }
    listener.reaches(call);
    listener.onCallNotification(
        address, call.callId(), method, log ? params : call.toCaller(params));
    return log;
  }

  /**
   * Extends the deadline of the call and passes the progress on. Ignores progress of a call that
   * has ended, and of a call of another than the one on whose stream it came. Progress that is less
   * than before extends nothing, and only a caller that wants the server's own words gets it.
   */
  private void progressed(RawJson params, long request, long now, boolean affordable) {
    PendingRequest call = pending.get(RequestMeta.requestOf(params.member("progressToken")));
    String address = call == null || !owners.mayName(call, request) ? null : call.progressAddress();
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
