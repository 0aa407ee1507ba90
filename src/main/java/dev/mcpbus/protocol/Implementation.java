package dev.mcpbus.protocol;

import io.vertx.core.json.JsonObject;

/**
 * Name and version of a program that uses MCP ({@code clientInfo}, {@code serverInfo}).
 *
 * @param name as the program states it, empty if absent
 * @param version as the program states it, empty if absent
 */
@PublicApi
public record Implementation(String name, String version) {

  public static Implementation of(JsonObject json) {
    return new Implementation(text(json, "name"), text(json, "version"));
  }

  public JsonObject toJson() {
    return new JsonObject().put("name", name).put("version", version);
  }

  private static String text(JsonObject json, String key) {
    Object value = json.getValue(key);
    return value == null ? "" : value.toString();
  }
}
