package dev.mcpbus.gateway;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.eventbus.Message;
import org.jspecify.annotations.Nullable;

/**
 * A request of a session on its way.
 *
 * @param id as the client gave it
 * @param stream what is said of it before the answer
 * @param exchange names its HTTP response
 * @param message the reply to which is what that response waits for
 * @param token by which the client knows its progress
 */
record SessionCall(
    RawJson id,
    GatewayRequest ask,
    ResumableStream stream,
    String exchange,
    Message<?> message,
    @Nullable RawJson token) {}
