package dev.mcpbus.gateway.dialect;

import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities that the gateway states for several servers. They are everything that a server
 * can have, because servers come and go during a session: a capability that no server has is an
 * empty list. {@code extensions} and {@code experimental} are those of the servers, merged.
 * Stateless.
 */
final class GatewayCapabilities {

  private static final String EXTENSIONS = "extensions";

  private GatewayCapabilities() {}

  /**
   * @param tasks whether a server of the view makes tasks
   */
  static JsonObject of(Era era, boolean tasks, DirectoryView view, DirectorySnapshot snapshot) {
    JsonObject all = capabilities();
    for (DirectoryEntry server : snapshot.servers()) {
      if (view.includes(server.id().value())) {
        for (String member : List.of(EXTENSIONS, "experimental")) {
          merge(all, member, stated(server, member));
        }
      }
    }
    if (tasks && era == Era.INITIALIZE) {
      all.put("tasks", tasks());
    } else if (tasks) {
      merge(all, EXTENSIONS, new JsonObject().put(TasksExtension.ID, new JsonObject()));
    }
    return all;
  }

  /** The capability of 2025-11-25 where tool calls can be tasks. */
  static JsonObject tasks() {
    return new JsonObject()
        .put("list", new JsonObject())
        .put("cancel", new JsonObject())
        .put(
            "requests",
            new JsonObject().put("tools", new JsonObject().put("call", new JsonObject())));
  }

  /** What a server has stated; tasks of the gateway's clients have the forms of their own era. */
  private static @Nullable Object stated(DirectoryEntry server, String member) {
    RawJson handshake = server.handshake();
    RawJson own = handshake == null ? null : handshake.member("capabilities");
    RawJson found = own == null ? null : own.member(member);
    if (found == null || !found.isObject()) {
      return null;
    }
    JsonObject json = found.toJsonObject();
    if (member.equals(EXTENSIONS)) {
      json.remove(TasksExtension.ID);
    }
    return json.isEmpty() ? null : json;
  }

  /**
   * Adds what a further server states: members of both objects, elements of both lists, true where
   * one says so; of two other values the first one stays.
   */
  private static void merge(JsonObject into, String name, @Nullable Object more) {
    Object present = into.getValue(name);
    if (present instanceof JsonObject known && more instanceof JsonObject object) {
      for (Map.Entry<String, Object> one : object) {
        merge(known, one.getKey(), one.getValue());
      }
    } else if (present instanceof JsonArray known && more instanceof JsonArray array) {
      array.stream().filter(one -> !known.contains(one)).forEach(known::add);
    } else if (more != null && (present == null || Boolean.TRUE.equals(more))) {
      into.put(name, more);
    }
  }

  private static JsonObject capabilities() {
    return new JsonObject()
        .put("tools", new JsonObject().put("listChanged", true))
        .put("resources", new JsonObject().put("listChanged", true).put("subscribe", true))
        .put("prompts", new JsonObject().put("listChanged", true))
        .put("completions", new JsonObject())
        .put("logging", new JsonObject());
  }
}
