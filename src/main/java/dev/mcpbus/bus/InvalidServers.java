package dev.mcpbus.bus;

import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why a server that the configuration names is not there: a mistake in its entry. The {@code
 * ServersVerticle} writes the reasons; whatever finds no consumer at the address of a server asks
 * for them. One instance for each Vert.x; any thread may call.
 */
public final class InvalidServers implements Shareable {

  private volatile Map<String, String> reasons = Map.of();

  private InvalidServers() {}

  public static InvalidServers of(Vertx vertx) {
    LocalMap<String, InvalidServers> all = vertx.sharedData().getLocalMap("dev.mcpbus.missing");
    return all.computeIfAbsent("", absent -> new InvalidServers());
  }

  /**
   * Replaces all reasons.
   *
   * @param sentences by server id; each names the server, the place and the remedy
   */
  public void put(Map<String, String> sentences) {
    reasons = Map.copyOf(sentences);
  }

  /** All reasons, by server id; the same object until they change. */
  public Map<String, String> reasons() {
    return reasons;
  }

  /** The failure of a request to a server that does not exist; null if no reason is known. */
  public @Nullable McpFailure failure(String server) {
    String reason = reasons.get(server);
    return reason == null ? null : McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, reason);
  }

  /**
   * As {@link McpFailure#of}, for a request that was sent to a server: if that server is missing,
   * the failure says why.
   */
  public static McpFailure explained(Vertx vertx, String server, Throwable failure) {
    McpFailure leftOut = RequestSender.hadNoReceiver(failure) ? of(vertx).failure(server) : null;
    return leftOut == null ? McpFailure.of(failure) : leftOut;
  }
}
