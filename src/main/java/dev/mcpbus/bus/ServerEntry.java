package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;

/** The entry of one server, as a file has it under {@code mcpServers}. */
@PublicApi
public interface ServerEntry {

  /** The entry; a copy, which the caller may change. */
  JsonObject toJson();
}
