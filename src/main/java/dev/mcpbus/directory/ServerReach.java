package dev.mcpbus.directory;

import dev.mcpbus.bus.Events;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Why servers list nothing: the state of each connection that does not serve, the last failure and
 * the next attempt, as events and status say. Written on the context of the {@link
 * DirectoryVerticle}; any thread may call {@link #now}.
 */
public final class ServerReach {

  /** Characters: the reason may be the text of a server. */
  private static final int MAX_REASON = 500;

  private final AtomicReference<MissingLists> now = new AtomicReference<>(MissingLists.NONE);

  /**
   * What is known at this moment: the same object until it changes.
   *
   * @param leftOut by id, why the configuration leaves servers out
   */
  @SuppressWarnings("ReferenceEquality") // the reasons are one object until they change
  public MissingLists now(Map<String, String> leftOut) {
    MissingLists known = present();
    return known.leftOut() == leftOut
        ? known
        : now.updateAndGet(last -> new MissingLists(last.down(), leftOut));
  }

  private MissingLists present() {
    return Objects.requireNonNull(now.get());
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
    if (!present().down().containsKey(id)) {
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

  private void put(String id, UnaryOperator<MissingLists.DownServer> change) {
    now.updateAndGet(
        last -> {
          Map<String, MissingLists.DownServer> more = new HashMap<>(last.down());
          more.put(id, change.apply(more.getOrDefault(id, MissingLists.DownServer.UNKNOWN)));
          return new MissingLists(Map.copyOf(more), last.leftOut());
        });
  }

  private void serves(String id) {
    if (present().down().containsKey(id)) {
      now.updateAndGet(
          last -> {
            Map<String, MissingLists.DownServer> fewer = new HashMap<>(last.down());
            fewer.remove(id);
            return new MissingLists(Map.copyOf(fewer), last.leftOut());
          });
    }
  }
}
