package dev.mcpbus.client;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/** Answers questions of servers: elicitation, sampling, roots. */
@PublicApi
@FunctionalInterface
public interface InputHandler {

  /** Answers an elicitation. */
  @FunctionalInterface
  interface Elicitation {
    /** The connection sends a failure to the server as an error. */
    Future<ElicitationAnswer> elicit(ConnectionId server, ElicitationRequest request);
  }

  /**
   * Runs on the context that has set the handler.
   *
   * @param params as the server sent them, empty if it sent none
   * @return the MCP result; the connection sends a failure to the server as an error
   */
  Future<JsonObject> answer(ConnectionId server, JsonObject params);
}
