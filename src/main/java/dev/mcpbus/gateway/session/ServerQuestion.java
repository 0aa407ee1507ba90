package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Promise;

/**
 * A question of a server that a client of the {@code discover} era has not answered yet.
 *
 * @param key by which the server takes the question back
 * @param isOfCall whether it is known to belong to the call that has it
 * @param answer the server waits for it
 */
record ServerQuestion(
    String key, String method, RawJson params, boolean isOfCall, Promise<ClientAnswer> answer) {

  /** Whether it is about the whole session: servers ask for roots when they start. */
  boolean isOfSession() {
    return method.equals(Methods.ROOTS_LIST);
  }
}
