package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;

/** The entry of one server, as a file has it under {@code mcpServers}. */
@PublicApi
public interface ServerEntry {

  /** The entry; a copy, which the caller may change. */
  JsonObject toJson();

  /**
   * The same for a message to another part of the bus.
   *
   * @throws McpFailure {@code BAD_REQUEST} if only the program that made the entry can use it
   */
  default JsonObject toMessage() {
    return toJson();
  }
}
