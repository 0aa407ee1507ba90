package dev.mcpbus.client;

import dev.mcpbus.bus.ConnectionId;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/** Answers what a server asks of its client: elicitation, sampling, roots. */
@FunctionalInterface
public interface InputHandler {

  /** Answers an elicitation with the records of the SDK. */
  @FunctionalInterface
  interface Elicitation {
    /** A failure is answered to the server as an error. */
    Future<McpSchema.ElicitResult> elicit(ConnectionId server, McpSchema.ElicitRequest request);
  }

  /**
   * Runs on the context that set it.
   *
   * @param params as the server sent them, empty where it sent none
   * @return the MCP result; a failure is answered to the server as an error
   */
  Future<JsonObject> answer(ConnectionId server, JsonObject params);
}
