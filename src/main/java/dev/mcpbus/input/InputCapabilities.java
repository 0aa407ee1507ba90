package dev.mcpbus.input;

import io.vertx.core.json.JsonObject;
import java.util.Map;

/** The client capabilities of MCP with which a client answers questions. Stateless. */
final class InputCapabilities {

  /** The settings that each capability may hold, with their only value. */
  private static final Map<String, Map<String, Object>> KNOWN =
      Map.of(
          "elicitation", Map.of("form", Map.of(), "url", Map.of()),
          "sampling", Map.of("context", Map.of(), "tools", Map.of()),
          "roots", Map.of("listChanged", true));

  private InputCapabilities() {}

  /**
   * The capabilities in {@code offered} that MCP knows, without anything else. Each change makes
   * connections of the {@code initialize} era start a new session, so a principal must not be able
   * to cause changes with arbitrary members.
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
