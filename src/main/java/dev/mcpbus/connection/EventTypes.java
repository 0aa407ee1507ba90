package dev.mcpbus.connection;

import dev.mcpbus.bus.Events;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.function.BiConsumer;

/** Makes an event of each notification of the server. */
final class EventTypes {

  private EventTypes() {}

  /**
   * Publishes one notification; not for {@code list_changed}, which {@code ListChanges} handles.
   */
  static void publish(String method, RawJson params, BiConsumer<String, JsonObject> publisher) {
    switch (method) {
      case Methods.RESOURCE_UPDATED -> publisher.accept(Events.RESOURCE_UPDATED, body(params));
      case Methods.MESSAGE -> publisher.accept(Events.LOG, body(params));
      case Methods.TASKS_STATUS, Methods.TASKS_CHANGED ->
          publisher.accept(Events.TASK, body(params));
      case Methods.PROGRESS -> publisher.accept(Events.PROGRESS, body(params));
      default -> publisher.accept(Events.NOTIFICATION, body(params).put("method", method));
    }
  }

  private static JsonObject body(RawJson params) {
    return new JsonObject().put("params", params.toJsonObject());
  }
}
