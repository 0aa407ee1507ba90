package dev.mcpbus.transport.http;

import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints whose GET stream mcpbus leaves off, and why: all channels of one Vert.x share it,
 * so that neither the next session nor another one to the same endpoint tries again. An entry holds
 * for an hour, because servers get better. Any thread may call.
 */
final class GetStreamMemory {

  private static final long MILLIS = 3_600_000;
  private static final int MAX = 10_000;

  /** Why, and until when in milliseconds of the epoch. */
  private record StreamLeftOff(String why, long until) implements Shareable {}

  private final LocalMap<String, StreamLeftOff> endpoints;

  GetStreamMemory(Vertx vertx) {
    this.endpoints = vertx.sharedData().getLocalMap("mcpbus.http.getStreams");
  }

  /** Why the stream of {@code endpoint} stays off, or null. */
  @Nullable String off(HttpEndpoint endpoint, long now) {
    StreamLeftOff known = endpoints.get(endpoint.toString());
    return known == null || known.until < now ? null : known.why;
  }

  /**
   * Keeps the stream of {@code endpoint} off.
   *
   * @return whether that is new
   */
  boolean leaveOff(HttpEndpoint endpoint, String why, long now) {
    if (endpoints.size() >= MAX) {
      endpoints.clear();
    }
    return endpoints.put(endpoint.toString(), new StreamLeftOff(why, now + MILLIS)) == null;
  }
}
