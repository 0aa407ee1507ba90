package dev.mcpbus.connection.tasks;

import dev.mcpbus.connection.session.OpenSession;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.json.JsonObject;

/**
 * What a server offers of tasks. In the {@code discover} era they are an extension, and the server
 * alone decides which call becomes a task; in 2025-11-25 they are a capability in parts, and the
 * caller decides.
 *
 * @param extension true for the extension
 * @param offered false where the server has no tasks
 * @param create a tool call may ask to become a task; false for the extension
 */
public record TaskSupport(
    boolean extension, boolean offered, boolean create, boolean list, boolean cancel) {

  public static TaskSupport of(OpenSession open) {
    JsonObject capabilities = open.server().capabilities();
    if (open.isDiscoverEra()) {
      boolean offered = TasksExtension.isOfferedBy(true, capabilities);
      return new TaskSupport(true, offered, false, false, offered);
    }
    JsonObject tasks = object(capabilities, "tasks");
    return new TaskSupport(
        false,
        capabilities.containsKey("tasks"),
        TasksExtension.isOfferedBy(false, capabilities),
        tasks.containsKey("list"),
        tasks.containsKey("cancel"));
  }

  private static JsonObject object(JsonObject from, String name) {
    return from.getValue(name) instanceof JsonObject found ? found : new JsonObject();
  }
}
