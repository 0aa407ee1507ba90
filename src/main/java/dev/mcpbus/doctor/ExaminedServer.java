package dev.mcpbus.doctor;

import io.vertx.core.json.JsonObject;

/** A connection to the server that is examined. Blocks; used on the thread of the examination. */
@FunctionalInterface
public interface ExaminedServer {

  /**
   * Sends a request to the connection.
   *
   * @param suffix of an address of one server in {@link dev.mcpbus.bus.Addresses}
   * @throws ExaminationException if the request fails
   */
  JsonObject ask(String suffix, JsonObject body);
}
