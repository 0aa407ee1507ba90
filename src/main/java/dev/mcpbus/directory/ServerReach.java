package dev.mcpbus.directory;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.ListKind;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why servers list nothing: the state of each connection that does not serve, the last failure and
 * the next attempt, as events and status say. Confined to the context of the {@link
 * DirectoryVerticle}.
 */
public final class ServerReach {

  /** Servers that one reply names. */
  private static final int MAX_NAMED = 100;

  /** Characters: the reason may be the text of a server. */
  private static final int MAX_REASON = 500;

  private static final String STATE = "state";
  private static final String REASON = "reason";
  private static final String NEXT = "nextAttempt";

  private final Map<String, JsonObject> down = new HashMap<>();

  /** Applies an event of a connection. */
  void event(JsonObject event) {
    String id = event.getString("id", "");
    switch (event.getString("type", "")) {
      case Events.CONNECTED, Events.SERVER_REMOVED -> down.remove(id);
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
    JsonObject known = down.get(id);
    if (known != null) {
      if (status.getValue("lastError") instanceof JsonObject error) {
        reason(id, error);
      }
      known.put(NEXT, status.getValue(NEXT));
    }
  }

  private void state(String id, String state) {
    boolean serves =
        state.equals(ConnectionState.READY.name()) || state.equals(ConnectionState.DEGRADED.name());
    if (serves) {
      down.remove(id);
    } else {
      of(id).put(STATE, state);
    }
  }

  private void reason(String id, JsonObject failure) {
    String text = failure.getString("code", "") + ": " + failure.getString("message", "");
    of(id).put(REASON, text.substring(0, Math.min(MAX_REASON, text.length()))).remove(NEXT);
  }

  /** The next attempt follows the event after {@code millis}; none does if that is negative. */
  private void next(String id, JsonObject event, long millis) {
    try {
      of(id)
          .put(
              NEXT,
              millis < 0
                  ? null
                  : Instant.parse(event.getString("time", "")).plusMillis(millis).toString());
    } catch (DateTimeException e) {
      of(id).remove(NEXT);
    }
  }

  private JsonObject of(String id) {
    return down.computeIfAbsent(id, absent -> new JsonObject());
  }

  /**
   * The servers without a list of {@code kind}: {@code [{server, state, reason?, nextAttempt?}]},
   * of many the first {@value #MAX_NAMED}.
   *
   * @param leftOut by id, why the configuration leaves servers out; their state is {@code LEFT_OUT}
   * @param only ids of the servers wanted; null for all
   */
  public JsonArray notListed(
      DirectorySnapshot servers,
      ListKind kind,
      Map<String, String> leftOut,
      @Nullable Collection<String> only) {
    JsonArray all = new JsonArray();
    for (DirectoryEntry server : servers.servers()) {
      String id = server.id().value();
      if (all.size() < MAX_NAMED && server.list(kind) == null && isWanted(id, only)) {
        all.add(described(server, kind));
      }
    }
    leftOut.forEach(
        (id, reason) -> {
          if (all.size() < MAX_NAMED && servers.server(id) == null && isWanted(id, only)) {
            all.add(new JsonObject().put("server", id).put(STATE, "LEFT_OUT").put(REASON, reason));
          }
        });
    return all;
  }

  private static boolean isWanted(String id, @Nullable Collection<String> only) {
    return only == null || only.contains(id);
  }

  private JsonObject described(DirectoryEntry server, ListKind kind) {
    String id = server.id().value();
    JsonObject described = new JsonObject().put("server", id);
    JsonObject known = down.get(id);
    if (known == null) {
      ConnectionState state = server.up() ? ConnectionState.READY : ConnectionState.CONNECTING;
      return described
          .put(STATE, state.name())
          .put(REASON, "it has given no list of its " + kind.member + " so far, or has refused to");
    }
    for (String member : new String[] {STATE, REASON, NEXT}) {
      if (known.getValue(member) != null) {
        described.put(member, known.getValue(member));
      }
    }
    return described;
  }
}
