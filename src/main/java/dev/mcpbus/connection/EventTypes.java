package dev.mcpbus.connection;

import dev.mcpbus.bus.Events;
import dev.mcpbus.protocol.Methods;

/** The type of the event that a notification of the server becomes. Stateless. */
final class EventTypes {

  private EventTypes() {}

  /** One of {@link Events}; not for {@code list_changed}, which {@code ToolListRefresh} handles. */
  static String of(String method) {
    return switch (method) {
      case Methods.RESOURCE_UPDATED -> Events.RESOURCE_UPDATED;
      case Methods.MESSAGE -> Events.LOG;
      case Methods.TASKS_STATUS, Methods.TASKS_CHANGED -> Events.TASK;
      case Methods.PROGRESS -> Events.PROGRESS;
      default -> Events.NOTIFICATION;
    };
  }
}
