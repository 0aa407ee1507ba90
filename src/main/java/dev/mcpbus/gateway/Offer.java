package dev.mcpbus.gateway;

import io.vertx.core.json.JsonObject;

/**
 * What the gateway says that it can do: all that servers may, because servers come and go while a
 * client that was told stays. What no server has is an empty list.
 */
final class Offer {

  private Offer() {}

  static JsonObject capabilities() {
    return new JsonObject()
        .put("tools", new JsonObject().put("listChanged", true))
        .put("resources", new JsonObject().put("listChanged", true).put("subscribe", true))
        .put("prompts", new JsonObject().put("listChanged", true))
        .put("completions", new JsonObject())
        .put("logging", new JsonObject());
  }
}
