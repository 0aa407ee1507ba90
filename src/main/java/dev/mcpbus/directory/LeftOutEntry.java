package dev.mcpbus.directory;

import io.vertx.core.json.JsonObject;

/**
 * Why an entry of a server is not in the aggregate.
 *
 * @param name as the server wrote it, or its place in the list where it has none
 */
public record LeftOutEntry(String server, String name, String reason) {

  public JsonObject toJson() {
    return new JsonObject().put("server", server).put("name", name).put("reason", reason);
  }
}
