package dev.mcpbus.server;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * Answers one method, or one tool. Called on the event loop that owns the client's channel: it must
 * not block, and its future may complete on any thread.
 */
@FunctionalInterface
public interface RequestHandler {

  /**
   * Answers one request.
   *
   * @param request who asks, how long there is, and the way back for progress and log
   * @param input the {@code arguments} of a tool, checked against its schema; the {@code params} of
   *     any other method, unchecked
   * @return the result member; of a tool a {@code CallToolResult}, see {@link ToolResult}. A
   *     failure or a throw becomes a result with {@code isError: true} for a tool and error -32603
   *     for any other method, with the failure's message and never its stack; a {@link
   *     RequestException} becomes the error it says in both cases
   */
  Future<JsonObject> handle(ServerRequest request, JsonObject input);
}
