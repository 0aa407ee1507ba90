package dev.mcpbus.directory;

import dev.mcpbus.bus.Events;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Why servers list nothing: the state of each connection that does not serve, the last failure and
 * the next attempt, as events and status say. Written on the context of the {@link
 * DirectoryVerticle}; any thread may call {@link #now}.
 */
public final class UnavailableReasons {

  /** Characters: the reason may be the text of a server. */
  private static final int MAX_REASON = 500;

  private final Map<String, AbsentLists.DownServer> down = new ConcurrentHashMap<>();

  /** Rises with each change of {@link #down}, after it. */
  private final AtomicLong changes = new AtomicLong();

  private record Known(long changes, AbsentLists lists) {}

  private volatile Known known = new Known(0, AbsentLists.NONE);

  /**
   * What is known at this moment: the same object until it changes.
   *
   * @param leftOut by id, why the configuration leaves servers out
   */
  @SuppressWarnings("ReferenceEquality") // the reasons are one object until they change
  public AbsentLists now(Map<String, String> leftOut) {
    long current = changes.get();
    Known last = known;
    if (last.changes() != current || last.lists().leftOut() != leftOut) {
      last = new Known(current, new AbsentLists(Map.copyOf(down), leftOut));
      known = last;
    }
    return last.lists();
  }

  /** Applies an event of a connection. */
  void event(JsonObject event) {
    String id = event.getString("id", "");
    switch (event.getString("type", "")) {
      case Events.CONNECTED, Events.SERVER_REMOVED -> serves(id);
      case Events.STATE_CHANGED -> state(id, event.getString("to", ""));
      case Events.DISCONNECTED -> reason(id, event);
      case Events.RESTARTING -> next(id, event, event.getLong("delay", 0L));
      case Events.GAVE_UP -> {
        if (event.getValue("lastError") instanceof JsonObject error) {
          reason(id, error);
        }
        next(id, event, event.getLong("reprobe", -1L));
      }
      default -> {}
    }
  }

  /** Applies a reply of {@code mcp.<id>.status}. */
  void status(JsonObject status) {
    String id = status.getString("id", "");
    state(id, status.getString("state", ""));
    if (!down.containsKey(id)) {
      return;
    }
    if (status.getValue("lastError") instanceof JsonObject error) {
      reason(id, error);
    }
    Object next = status.getValue("nextAttempt");
    put(id, known -> known.withNextAttempt(next instanceof String text ? text : null));
  }

  private void state(String id, String state) {
    if (DirectoryLists.isServing(state)) {
      serves(id);
    } else {
      put(id, known -> known.withState(state));
    }
  }

  private void reason(String id, JsonObject failure) {
    String text = failure.getString("code", "") + ": " + failure.getString("message", "");
    put(id, known -> known.withReason(cut(text)));
  }

  static String cut(String reason) {
    return reason.substring(0, Math.min(MAX_REASON, reason.length()));
  }

  /** The next attempt follows the event after {@code millis}; none does if that is negative. */
  private void next(String id, JsonObject event, long millis) {
    String at = null;
    try {
      if (millis >= 0) {
        at = Instant.parse(event.getString("time", "")).plusMillis(millis).toString();
      }
    } catch (DateTimeException e) {
      at = null; // an event without a time
    }
    @Nullable String attempt = at;
    put(id, known -> known.withNextAttempt(attempt));
  }

  private void put(String id, UnaryOperator<AbsentLists.DownServer> change) {
    down.put(id, change.apply(down.getOrDefault(id, AbsentLists.DownServer.UNKNOWN)));
    changes.incrementAndGet();
  }

  private void serves(String id) {
    if (down.remove(id) != null) {
      changes.incrementAndGet();
    }
  }
}
