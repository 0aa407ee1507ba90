package dev.mcpbus.directory;

import io.vertx.core.json.JsonObject;

/**
 * The reason why an entry of a server is not in the aggregate. Immutable.
 *
 * @param name as the server wrote it; {@code #} and its place in the list if it has none
 */
public record InvalidEntry(String server, String name, String reason) {

  public JsonObject toJson() {
    return new JsonObject().put("server", server).put("name", name).put("reason", reason);
  }
}
