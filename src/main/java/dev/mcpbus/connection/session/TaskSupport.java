package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.json.JsonObject;

/**
 * What a server does with tasks. In the {@code server/discover} era they are an extension and the
 * server alone decides what becomes a task; in 2025-11-25 they are a capability in parts, and the
 * caller decides.
 *
 * @param modern true for the extension
 * @param offered false where there are no tasks at all
 * @param create a tool call may ask to become a task; false for the extension
 */
public record TaskSupport(
    boolean modern, boolean offered, boolean create, boolean list, boolean cancel) {

  public static TaskSupport of(Era era, JsonObject capabilities) {
    if (era == Era.DISCOVER) {
      boolean offered = object(capabilities, "extensions").containsKey(TasksExtension.ID);
      return new TaskSupport(true, offered, false, false, offered);
    }
    JsonObject tasks = object(capabilities, "tasks");
    return new TaskSupport(
        false,
        capabilities.containsKey("tasks"),
        object(object(tasks, "requests"), "tools").containsKey("call"),
        tasks.containsKey("list"),
        tasks.containsKey("cancel"));
  }

  private static JsonObject object(JsonObject from, String name) {
    return from.getValue(name) instanceof JsonObject found ? found : new JsonObject();
  }
}
