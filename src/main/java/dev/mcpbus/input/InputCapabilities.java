package dev.mcpbus.input;

import io.vertx.core.json.JsonObject;
import java.util.Map;

/** What MCP knows of that clients answer. */
final class InputCapabilities {

  /** Each with the settings that its object may hold, and their only value. */
  private static final Map<String, Map<String, Object>> KNOWN =
      Map.of(
          "elicitation", Map.of("form", Map.of(), "url", Map.of()),
          "sampling", Map.of("context", Map.of(), "tools", Map.of()),
          "roots", Map.of("listChanged", true));

  private InputCapabilities() {}

  /**
   * What a principal offers, without anything else: a server of the older era is told of each new
   * thing by a fresh session, which would else be anybody's to make again and again.
   */
  static JsonObject known(JsonObject offered) {
    JsonObject all = new JsonObject();
    KNOWN.forEach(
        (name, settings) -> {
          if (offered.getValue(name) instanceof JsonObject given) {
            JsonObject kept = new JsonObject();
            settings.forEach(
                (setting, value) -> {
                  if (value.equals(true)
                      ? Boolean.TRUE.equals(given.getValue(setting))
                      : given.getValue(setting) instanceof JsonObject) {
                    kept.put(setting, value.equals(true) ? value : new JsonObject());
                  }
                });
            all.put(name, kept);
          }
        });
    return all;
  }
}
