package dev.mcpbus.connection;

import dev.mcpbus.bus.Events;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.function.BiConsumer;

/** Which event a notification of the server becomes. */
final class Notifications {

  private Notifications() {}

  /**
   * Publishes what is a fact in itself. {@code notifications/tools/list_changed} is left to the
   * caller: the event follows once the tools were listed again.
   */
  static void publish(String method, RawJson params, BiConsumer<String, JsonObject> publisher) {
    switch (method) {
      case Methods.RESOURCES_CHANGED ->
          publisher.accept(Events.RESOURCES_CHANGED, new JsonObject());
      case Methods.PROMPTS_CHANGED -> publisher.accept(Events.PROMPTS_CHANGED, new JsonObject());
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
