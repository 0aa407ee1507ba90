package dev.mcpbus.gateway;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;

/**
 * What the gateway says that it can do: all that servers may, because servers come and go while a
 * client that was told stays. What no server has is an empty list.
 */
final class GatewayCapabilities {

  private GatewayCapabilities() {}

  /** Versions whose requests describe themselves: what a client may choose from per request. */
  static List<String> versions() {
    return Arrays.stream(ProtocolVersion.values())
        .filter(version -> version.era() == Era.DISCOVER)
        .map(ProtocolVersion::wire)
        .toList();
  }

  /**
   * @param tasks whether a server behind makes tasks
   */
  static JsonObject capabilities(boolean modern, boolean tasks) {
    JsonObject all = capabilities();
    if (!tasks) {
      return all;
    }
    JsonObject calls =
        new JsonObject().put("tools", new JsonObject().put("call", new JsonObject()));
    return modern
        ? all.put("extensions", new JsonObject().put(TasksExtension.ID, new JsonObject()))
        : all.put(
            "tasks",
            new JsonObject()
                .put("list", new JsonObject())
                .put("cancel", new JsonObject())
                .put("requests", calls));
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
