package dev.mcpbus.gateway.request;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;

/**
 * The capabilities that the gateway states. They are everything that a server can have, because
 * servers come and go during a session. A capability that no server has is an empty list.
 * Stateless.
 */
public final class GatewayCapabilities {

  private GatewayCapabilities() {}

  /** The versions of the {@code discover} era, from which a client may choose per request. */
  public static List<String> versions() {
    return Arrays.stream(ProtocolVersion.values())
        .filter(version -> version.era() == Era.DISCOVER)
        .map(ProtocolVersion::wire)
        .toList();
  }

  /**
   * @param tasks whether a server of the view makes tasks
   */
  public static JsonObject of(Era era, boolean tasks) {
    JsonObject all = capabilities();
    if (!tasks) {
      return all;
    }
    JsonObject calls =
        new JsonObject().put("tools", new JsonObject().put("call", new JsonObject()));
    return era == Era.DISCOVER
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
