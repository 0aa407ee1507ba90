package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * Answers one method, or one tool. The server calls it on the event loop that owns the client's
 * channel: it must not block. Its future may complete on any thread.
 */
@PublicApi
@FunctionalInterface
public interface RequestHandler {

  /**
   * Answers one request.
   *
   * @param request the client, the deadline, and the methods that send progress and log messages to
   *     the client
   * @param input the {@code arguments} of a tool, checked against its schema; the {@code params} of
   *     any other method, unchecked
   * @return the member {@code result}; for a tool a {@code CallToolResult}, see {@link ToolResult}.
   *     A failed future or whatever is thrown becomes a result with {@code isError: true} for a
   *     tool and error -32603 for any other method, with the failure's message and never its stack;
   *     a {@link RequestException} becomes a JSON-RPC error with its code in both cases
   */
  Future<JsonObject> handle(ServerRequest request, JsonObject input);
}
