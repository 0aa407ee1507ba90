package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.gateway.request.PublishedSession;
import dev.mcpbus.gateway.request.RequestRouter;
import io.vertx.core.Vertx;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What all sessions of one {@link SessionHost} share. Immutable; its parts are confined to the
 * host's context.
 *
 * @param published the sessions of all hosts of this node, by their ids
 * @param telemetry null where nothing is measured
 * @param bound the ids of the host's sessions, and whether each is in use
 */
record HostParts(
    Vertx vertx,
    RequestSender sender,
    Directory directory,
    RequestRouter router,
    CallRegistry registry,
    HostMap store,
    ConcurrentMap<String, PublishedSession> published,
    @Nullable Telemetry telemetry,
    int maxCalls,
    FairLimit<String> bound) {

  /** Whether a server is known to be of the {@code discover} era. */
  boolean isDiscover(String server) {
    DirectoryEntry facts = directory.snapshot().server(server);
    return facts != null && facts.isDiscover();
  }
}
