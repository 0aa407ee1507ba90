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
    /** After a failure, also one that is thrown, the server gets {@code cancel}; it is logged. */
    Future<ElicitationAnswer> elicit(ConnectionId server, ElicitationRequest request);
  }

  /**
   * Runs on the context that has set the handler.
   *
   * @param params as the server sent them, empty if it sent none
   * @return the MCP result. A failure, also one that is thrown, is logged; the server gets an
   *     error, and {@code cancel} where it asked a person: nobody has declined
   */
  Future<JsonObject> answer(ConnectionId server, JsonObject params);
}
