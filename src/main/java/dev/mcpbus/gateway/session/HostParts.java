package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.gateway.request.RequestRouter;
import io.vertx.core.Vertx;
import java.util.function.Consumer;

/**
 * What all sessions of one {@link SessionHost} share. Immutable; its parts are confined to the
 * host's context.
 *
 * @param bound the sessions of the host, and whether each is in use
 * @param end ends a session from outside, and forgets it
 */
record HostParts(
    Vertx vertx,
    RequestSender sender,
    Directory directory,
    RequestRouter router,
    CallRegistry registry,
    SessionStore store,
    int maxCalls,
    FairLimit<GatewaySession> bound,
    Consumer<GatewaySession> end) {}
